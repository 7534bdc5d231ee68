// A view: elements in memory, found through a layout.
#pragma once

#include <concepts>
#include <cstdint>

#include "boon/layout/fixed.h"
#include "boon/layout/layout.h"
#include "boon/layout/partition.h"

namespace boon::layout {

// Borrows the memory. Access is unchecked; a coordinate is one index or one for each mode. Source is Layout, Fixed<L>
// or ComposedLayout<Swizzle>.
template <class T, class Source = Layout>
class View {
 public:
  constexpr View(T* data, const Source& source) noexcept : data_(data), source_(source) {}

  constexpr T& operator()(std::integral auto... index) const noexcept { return data_[source_(index...)]; }

  constexpr T* data() const noexcept { return data_; }
  constexpr const Source& layout() const noexcept { return source_; }

  // Parts of it, as partition.h says.
  constexpr View<T> slice(const Tuple& coordinate) const
    requires std::same_as<Source, Layout>
  {
    return part(layout::slice(source_, coordinate));
  }
  template <class Tile>
  constexpr View<T> tile(const Tile& tile, const Tuple& coordinate) const
    requires std::same_as<Source, Layout>
  {
    return part(local_tile(source_, tile, coordinate));
  }

 private:
  constexpr View<T> part(const Slice& s) const { return {data_ + s.offset(), s.layout}; }

  T* data_;
  [[no_unique_address]] Source source_;
};

}  // namespace boon::layout
