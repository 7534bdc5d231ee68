// .fvecs, .bvecs and .ivecs: rows of a little-endian int32 dimension and that many values, with no header.
// http://corpus-texmex.irisa.fr
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
VectorTable parse_rows(Bytes bytes, std::string_view file, std::size_t max_rows) {
  VectorTable table;
  if (bytes.empty()) return table;
  for (std::size_t row = 0, offset = 0; offset < bytes.size() && (max_rows == 0 || row < max_rows); ++row) {
    const std::size_t left = bytes.size() - offset;
    if (left < sizeof(std::int32_t)) {
      throw Error(ErrorCode::corrupted, fmt::format("{} ends in the middle of row {}", file, row));
    }
    const auto dim = load<std::int32_t>(bytes.data() + offset);
    if (row == 0 && dim <= 0) {
      throw Error(ErrorCode::corrupted,
                  fmt::format("{} row 0 gives its dimension as {}: not a file of this format", file, dim));
    }
    if (row > 0 && static_cast<std::size_t>(dim) != table.dim) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} row {} has dimension {}, and row 0 has {}", file, row, dim, table.dim));
    }
    const std::size_t row_bytes = sizeof(std::int32_t) + static_cast<std::size_t>(dim) * sizeof(T);
    if (left < row_bytes) {
      throw Error(ErrorCode::corrupted,
                  fmt::format("{} ends in the middle of row {}: dimension {} takes {} bytes, and {} are left", file,
                              row, dim, row_bytes, left));
    }
    if (row == 0) {
      table.dim = static_cast<std::size_t>(dim);
      const std::size_t rows = bytes.size() / row_bytes;
      table.values.reserve((max_rows == 0 ? rows : std::min(rows, max_rows)) * table.dim);
    }
    const std::byte* values = bytes.data() + offset + sizeof(std::int32_t);
    for (std::size_t i = 0; i < table.dim; ++i) {
      table.values.push_back(static_cast<float>(load<T>(values + i * sizeof(T))));
    }
    offset += row_bytes;
  }
  check_finite({.file = file}, table.dim, table.values);
  return table;
}

}  // namespace

VectorTable parse_vecs(Bytes bytes, Format format, std::string_view file, std::size_t max_rows) {
  switch (format) {
    case Format::fvecs:
      return parse_rows<float>(bytes, file, max_rows);
    case Format::bvecs:
      return parse_rows<std::uint8_t>(bytes, file, max_rows);
    case Format::ivecs:
      return parse_rows<std::int32_t>(bytes, file, max_rows);
    default:
      throw Error(ErrorCode::invalid_argument, "parse_vecs reads fvecs, bvecs and ivecs");
  }
}

}  // namespace boon::cli
