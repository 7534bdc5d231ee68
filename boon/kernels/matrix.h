// A matrix that lies in someone else's memory: element (i, j) at data[i * row_stride + j * column_stride].
#pragma once

#include <cstddef>
#include <type_traits>

namespace boon::kernels {

template <class T>
struct Matrix {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;  // strides count elements
  std::size_t column_stride = 0;

  T& operator()(std::size_t row, std::size_t column) const noexcept {
    return data[row * row_stride + column * column_stride];
  }
  Matrix transposed() const noexcept { return {data, columns, rows, column_stride, row_stride}; }
  Matrix block(std::size_t row, std::size_t column, std::size_t block_rows, std::size_t block_columns) const noexcept {
    return {data + row * row_stride + column * column_stride, block_rows, block_columns, row_stride, column_stride};
  }

  // NOLINTNEXTLINE(google-explicit-constructor): as T* converts to const T*.
  operator Matrix<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns, row_stride, column_stride};
  }
};

// Rows one after the other, `stride` elements apart (BLAS: leading dimension).
template <class T>
Matrix<T> row_major(T* data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept {
  return {data, rows, columns, stride, 1};
}
template <class T>
Matrix<T> row_major(T* data, std::size_t rows, std::size_t columns) noexcept {
  return row_major(data, rows, columns, columns);
}

// Columns one after the other.
template <class T>
Matrix<T> column_major(T* data, std::size_t rows, std::size_t columns, std::size_t stride) noexcept {
  return {data, rows, columns, 1, stride};
}
template <class T>
Matrix<T> column_major(T* data, std::size_t rows, std::size_t columns) noexcept {
  return column_major(data, rows, columns, rows);
}

}  // namespace boon::kernels
