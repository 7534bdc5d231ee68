// Layouts as mappings of multidimensional arrays, as std::mdspan and its kin ask for ([mdspan.layout.reqmts]): one
// extent for each mode, whatever is inside it.
//
//   std::mdspan<float, std::dextents<long, 2>, MdspanLayout<>> a(data, mapping);
//
// MdspanLayout<Layout> holds a layout made at run time, MdspanLayout<Fixed<L>> one that the compiler knows, and
// MdspanLayout<ComposedLayout<Swizzle>> a swizzled one. Nothing here needs <mdspan>; Extents stands in for
// std::extents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "boon/layout/complement.h"
#include "boon/layout/fixed.h"
#include "boon/layout/layout.h"
#include "boon/layout/swizzle.h"

namespace boon::layout {

// Whether no offset is taken twice, as far as extents and strides by rising stride tell; it may say no where the answer
// is yes, as for (2,2):(2,3).
constexpr bool is_unique(const Layout& l) {
  for (int i = 0; i < l.shape.count; ++i) {
    if (l.shape.value[i] > 1 && l.stride.value[i] == 0) return false;
  }
  const internal::SortedModes modes(l, "is_unique", internal::Negative::refused);
  std::int64_t covered = 1;
  for (int i = 0; i < modes.count; ++i) {
    if (modes.stride[i] < covered || !multiply(modes.extent[i], modes.stride[i], covered)) return false;
  }
  return true;
}
// Whether every offset below cosize is taken, and once.
constexpr bool is_exhaustive(const Layout& l) {
  return is_unique(l) && size(l) == cosize(l);
}
// Whether each mode steps evenly.
constexpr bool is_strided(const Layout& l) {
  for (int i = 0; i < rank(l); ++i) {
    if (!coalesce(mode(l, i)).shape.is_leaf()) return false;
  }
  return true;
}

// What a mapping asks of what it is made of.
template <class Source>
struct MappingTraits;

template <>
struct MappingTraits<Layout> {
  static constexpr bool always(bool (*)(const Layout&)) { return false; }
  static constexpr const Layout& shape_of(const Layout& l) { return l; }
  static constexpr std::int64_t span(const Layout& l) { return cosize(l); }
  static constexpr bool strided(const Layout& l) { return is_strided(l); }
};
template <Layout L>
struct MappingTraits<Fixed<L>> {
  static constexpr bool always(bool (*property)(const Layout&)) { return property(L); }
  static constexpr const Layout& shape_of(const Fixed<L>&) { return Fixed<L>::kLayout; }
  static constexpr std::int64_t span(const Fixed<L>&) { return cosize(L); }
  static constexpr bool strided(const Fixed<L>&) { return is_strided(L); }
};
template <>
struct MappingTraits<ComposedLayout<Swizzle>> {
  static constexpr bool always(bool (*)(const Layout&)) { return false; }
  static constexpr const Layout& shape_of(const ComposedLayout<Swizzle>& c) { return c.layout; }
  // A swizzle changes no bits but those of its target.
  static constexpr std::int64_t span(const ComposedLayout<Swizzle>& c) {
    return ((c.offset + cosize(c.layout) - 1) | c.function.target()) + 1;
  }
  static constexpr bool strided(const ComposedLayout<Swizzle>&) { return false; }
};

template <class Source = Layout>
struct MdspanLayout {
  template <class ExtentsType>
  class mapping {  // NOLINT(readability-identifier-naming): the name that mdspan asks for
    using Traits = MappingTraits<Source>;

   public:
    using extents_type = ExtentsType;
    using index_type = typename ExtentsType::index_type;
    using size_type = typename ExtentsType::size_type;
    using rank_type = typename ExtentsType::rank_type;
    using layout_type = MdspanLayout;

    // Throws Error{invalid_argument} where the modes are not as many as the extents, where an extent that the type
    // states is another, where an offset could be negative or where offsets go beyond index_type.
    constexpr explicit mapping(const Source& source) : source_(source), extents_(extents_of(Traits::shape_of(source))) {
      require(extents_);
    }
    constexpr mapping()
      requires(std::is_empty_v<Source>)
        : mapping(Source{}) {}
    // Without a layout: one without gaps, the leftmost mode fastest. Throws for an extent of 0.
    constexpr explicit mapping(const extents_type& extents)
      requires(std::is_same_v<Source, Layout>)
        : source_(without_gaps(extents)), extents_(extents) {
      require(extents);
    }
    constexpr mapping(const extents_type& extents, const Source& source) : source_(source), extents_(extents) {
      require(extents);
    }

    constexpr const extents_type& extents() const noexcept { return extents_; }
    constexpr const Source& source() const noexcept { return source_; }

    template <class... Index>
      requires(sizeof...(Index) == ExtentsType::rank() && (std::is_convertible_v<Index, index_type> && ...))
    constexpr index_type operator()(Index... indices) const noexcept {
      return static_cast<index_type>(source_(static_cast<index_type>(indices)...));
    }

    constexpr index_type required_span_size() const noexcept { return static_cast<index_type>(Traits::span(source_)); }

    static constexpr bool is_always_unique() noexcept { return Traits::always(&layout::is_unique); }
    static constexpr bool is_always_exhaustive() noexcept { return Traits::always(&layout::is_exhaustive); }
    static constexpr bool is_always_strided() noexcept { return Traits::always(&layout::is_strided); }
    constexpr bool is_unique() const noexcept { return layout::is_unique(shape()); }
    constexpr bool is_exhaustive() const noexcept {
      return layout::is_unique(shape()) && Traits::span(source_) == size(shape());
    }
    constexpr bool is_strided() const noexcept { return Traits::strided(source_); }
    // The step of a mode, 0 where its extent is 1. Only where is_strided().
    constexpr index_type stride(rank_type r) const noexcept {
      return static_cast<index_type>(coalesce(mode(shape(), static_cast<int>(r))).stride.value[0]);
    }

    friend constexpr bool operator==(const mapping& a, const mapping& b) noexcept { return a.source_ == b.source_; }

   private:
    static_assert(ExtentsType::rank() >= 1, "a layout has at least one mode");

    constexpr const Layout& shape() const noexcept { return Traits::shape_of(source_); }
    static constexpr Layout without_gaps(const extents_type& extents) {
      Tuple shape;
      for (rank_type r = 0; r < extents_type::rank(); ++r) shape.append(extents.extent(r));
      return col_major(shape.grouped());
    }
    static constexpr extents_type extents_of(const Layout& l) {
      std::array<index_type, extents_type::rank()> sizes{};
      if (rank(l) == static_cast<int>(sizes.size())) {
        for (int r = 0; r < rank(l); ++r) sizes[r] = static_cast<index_type>(size(mode(l, r)));
      }
      return extents_type(sizes);
    }
    constexpr void require(const extents_type& extents) const {
      constexpr auto kLimit = static_cast<std::int64_t>(std::numeric_limits<index_type>::max());
      const Layout& l = shape();
      const auto ranks = static_cast<int>(extents_type::rank());
      if (rank(l) != ranks) refuse({Rule::extents_not_those_of_layout, 0, ranks, 0, rank(l)}, "mapping", l);
      if (Traits::span(source_) > kLimit) refuse({Rule::overflows_index_type, 0, cosize(l), 0, kLimit}, "mapping", l);
      for (int i = 0; i < l.stride.count; ++i) {
        const std::int64_t d = l.stride.value[i];
        if (d < 0) refuse({Rule::stride_negative, i, l.shape.value[i], d}, "mapping", l);
      }
      for (int r = 0; r < ranks; ++r) {
        const auto extent = static_cast<std::int64_t>(extents.extent(static_cast<rank_type>(r)));
        const std::int64_t met = size(mode(l, r));
        if (extent != met) refuse({Rule::extents_not_those_of_layout, r, extent, 0, met}, "mapping", l);
      }
    }

    [[no_unique_address]] Source source_;
    extents_type extents_;
  };
};

// As many extents as Rank, all known at run time: std::dextents<std::int64_t, Rank> where there is no <mdspan>.
template <std::size_t Rank>
class Extents {
 public:
  using index_type = std::int64_t;
  using size_type = std::uint64_t;
  using rank_type = std::size_t;

  constexpr Extents() = default;
  constexpr explicit Extents(const std::array<index_type, Rank>& extents) : extents_(extents) {}

  static constexpr rank_type rank() noexcept { return Rank; }
  static constexpr rank_type rank_dynamic() noexcept { return Rank; }
  static constexpr std::size_t static_extent(rank_type) noexcept { return std::numeric_limits<std::size_t>::max(); }
  constexpr index_type extent(rank_type r) const noexcept { return extents_[r]; }

  friend constexpr bool operator==(const Extents&, const Extents&) = default;

 private:
  std::array<index_type, Rank> extents_ = {};
};

// The layout of another mapping that is strided, such as std::layout_right's.
template <class Mapping>
  requires(Mapping::extents_type::rank() >= 1)
constexpr Layout layout_of(const Mapping& mapping) {
  Modes modes;
  for (std::size_t r = 0; r < Mapping::extents_type::rank(); ++r) {
    modes.append(Layout(mapping.extents().extent(r), mapping.stride(r)));
  }
  return modes.grouped();
}

}  // namespace boon::layout
