#include <cstdint>

#include "boon/layout/functions.h"
#include "boon/layout/recast.h"

namespace boon::layout {
namespace {

constexpr auto kInside = Function::Acts::inside;
constexpr auto kLayouts = Function::Acts::on_layouts;

template <auto operation>
Value of_layout(const Arguments& a) {
  return operation(a.layout(0));
}
template <auto operation>
Value of_layouts(const Arguments& a) {
  return operation(a.layout(0), a.layout(1));
}
template <auto operation>
Value of_shape(const Arguments& a) {
  return operation(a.shape(0));
}
template <auto operation>
Value of_shapes(const Arguments& a) {
  return operation(a.shape(0), a.shape(1));
}
template <auto operation>
Value with_tile(const Arguments& a) {
  const Layout layout = a.layout(0);
  return std::visit([&](const auto& tile) -> Value { return operation(layout, tile); }, a.tile(1));
}
// Of the layout, or of the mode that is named after it.
template <auto operation>
Value of_mode(const Arguments& a) {
  const Layout layout = a.layout(0);
  return operation(a.has(1) ? mode(layout, a.small_number(1)) : layout);
}

Value make(const Arguments& a) {
  const auto written = [&](std::size_t i) { return std::holds_alternative<Tuple>(a[i]); };
  if (a.count() == 2 && written(0) && written(1)) return Layout(a.tuple(0), a.tuple(1));
  if (a.count() == 1) return a.layout(0);
  Modes modes;
  for (std::size_t i = 0; i < a.count(); ++i) modes.append(a.layout(i));
  return modes.grouped();
}

Value inner_layout(const Arguments& a) {
  if (const auto* slice = std::get_if<Slice>(&a[0])) return slice->layout;
  if (const auto* composed = std::get_if<ComposedSwizzle>(&a[0])) return composed->layout;
  return a.layout(0);
}

Value offset_of(const Arguments& a) {
  if (a.has(2)) return Tuple(crd2idx(a.tuple(0), a.tuple(1), a.tuple(2)));
  return at_coordinate(a[1], a.tuple(0));
}

Value coordinate_of(const Arguments& a) {
  return a.has(2) ? idx2crd(a.number(0), a.tuple(1), a.tuple(2)) : idx2crd(a.number(0), a.shape(1));
}

Value tile_at(const Arguments& a) {
  const Layout layout = a.layout(0);
  const Tuple at = a.tuple(2);
  return std::visit([&](const auto& tile) -> Value { return local_tile(layout, tile, at); }, a.tile(1));
}

// In the order of the help.
const Function kFunctions[] = {
    {"size",
     {"size(L[, i])", "how many coordinates, in all or in mode i"},
     1,
     2,
     kInside,
     of_mode<[](const Layout& l) { return Tuple(size(l)); }>},
    {"cosize",
     {"cosize(L[, i])", "how many places its offsets span"},
     1,
     2,
     kLayouts,
     of_mode<[](const Layout& l) { return Tuple(cosize(l)); }>},
    {"rank",
     {"rank(L[, i])", "how many modes"},
     1,
     2,
     kInside,
     of_mode<[](const Layout& l) { return Tuple(rank(l)); }>},
    {"depth",
     {"depth(L[, i])", "how deep its modes nest"},
     1,
     2,
     kInside,
     of_mode<[](const Layout& l) { return Tuple(depth(l)); }>},
    {"shape", {"shape(L[, i])", "its extents"}, 1, 2, kInside, of_mode<[](const Layout& l) { return l.shape; }>},
    {"stride", {"stride(L[, i])", "its strides"}, 1, 2, kLayouts, of_mode<[](const Layout& l) { return l.stride; }>},
    {"mode", {"mode(L, i)", "mode i, from 0"}, 2, 2, kInside, of_mode<[](const Layout& l) { return l; }>},
    {"layout", {"layout(X)", "the layout inside a slice or a composed layout"}, 1, 1, kLayouts, inner_layout},

    {"make_layout",
     {"make_layout(S, D)", "S:D; of layouts, the layout with these modes"},
     1,
     kLeavesMax,
     kLayouts,
     make},
    {"col_major", {"col_major(S)", "fills the shape, leftmost mode fastest"}, 1, 1, kLayouts, of_shape<col_major>},
    {"row_major", {"row_major(S)", "fills the shape, rightmost mode fastest"}, 1, 1, kLayouts, of_shape<row_major>},
    {"ordered_layout",
     {"ordered_layout(S, O)", "fills the shape, mode of lowest order fastest"},
     2,
     2,
     kLayouts,
     of_shapes<ordered_layout>},
    {"identity_layout",
     {"identity_layout(S)", "gives each coordinate itself"},
     1,
     1,
     kLayouts,
     of_shape<identity_layout>},

    {"crd2idx", {"crd2idx(c, L)", "the offset of a coordinate; also (c, S, D)"}, 2, 3, kLayouts, offset_of},
    {"idx2crd", {"idx2crd(i, S)", "the coordinate of an index; also (i, S, D)"}, 2, 3, kLayouts, coordinate_of},
    {"slice",
     {"slice(L, c)", "the modes where c has _, from where its numbers say"},
     2,
     2,
     kInside,
     [](const Arguments& a) -> Value { return slice(a.layout(0), a.tuple(1)); }},
    {"elem_less", {"elem_less(c, S)", "whether each number is below its extent"}, 2, 2, kLayouts, of_shapes<elem_less>},
    {"congruent", {"congruent(A, B)", "whether the parentheses are the same"}, 2, 2, kLayouts, of_shapes<congruent>},
    {"weakly_congruent",
     {"weakly_congruent(A, B)", "whether A is B with some tuples made numbers"},
     2,
     2,
     kLayouts,
     of_shapes<weakly_congruent>},
    {"compatible",
     {"compatible(A, B)", "whether each coordinate of A is one of B"},
     2,
     2,
     kLayouts,
     of_shapes<compatible>},

    {"flatten",
     {"flatten(L)", "without inner parentheses"},
     1,
     1,
     kInside,
     of_layout<[](const Layout& l) { return flatten(l); }>},
    {"coalesce",
     {"coalesce(L[, profile])", "the same offsets with the fewest modes, or fewest in each"},
     1,
     2,
     kInside,
     [](const Arguments& a) -> Value { return a.has(1) ? coalesce(a.layout(0), a.tuple(1)) : coalesce(a.layout(0)); }},
    {"filter", {"filter(L)", "without modes of stride 0 or extent 1"}, 1, 1, kLayouts, of_layout<filter>},
    {"composition",
     {"composition(A, B)", "A after B, A o B; for a tiler B mode by mode"},
     2,
     2,
     kInside,
     with_tile<[](const Layout& l, const auto& tile) { return composition(l, tile); }>},
    {"complement",
     {"complement(L[, M])", "what L leaves out of M places, or of those it spans"},
     1,
     2,
     kLayouts,
     [](const Arguments& a) -> Value {
       return a.has(1) ? complement(a.layout(0), size(a.layout(1))) : complement(a.layout(0));
     }},
    {"right_inverse",
     {"right_inverse(L)", "R with L(R(i)) = i, as far as offsets have no gap"},
     1,
     1,
     kLayouts,
     of_layout<right_inverse>},
    {"left_inverse", {"left_inverse(L)", "R with L(R(L(i))) = L(i)"}, 1, 1, kLayouts, of_layout<left_inverse>},
    {"max_common_layout",
     {"max_common_layout(A, B)", "where both take the offsets 0, 1, 2, …"},
     2,
     2,
     kLayouts,
     of_layouts<max_common_layout>},
    {"max_common_vector",
     {"max_common_vector(A, B)", "its size: how wide a copy may read"},
     2,
     2,
     kLayouts,
     of_layouts<[](const Layout& a, const Layout& b) { return Tuple(max_common_vector(a, b)); }>},

    {"logical_divide",
     {"logical_divide(A, B)", "A / B: (M,N,L) by <T,U> is ((T,m),(U,n),L)"},
     2,
     2,
     kInside,
     with_tile<[](const Layout& l, const auto& tile) { return logical_divide(l, tile); }>},
    {"zipped_divide",
     {"zipped_divide(A, B)", "the same as ((T,U),(m,n,L))"},
     2,
     2,
     kInside,
     with_tile<[](const Layout& l, const auto& tile) { return zipped_divide(l, tile); }>},
    {"tiled_divide",
     {"tiled_divide(A, B)", "the same as ((T,U),m,n,L)"},
     2,
     2,
     kInside,
     with_tile<[](const Layout& l, const auto& tile) { return tiled_divide(l, tile); }>},
    {"flat_divide",
     {"flat_divide(A, B)", "the same as (T,U,m,n,L)"},
     2,
     2,
     kInside,
     with_tile<[](const Layout& l, const auto& tile) { return flat_divide(l, tile); }>},
    {"logical_product",
     {"logical_product(A, B)", "A * B: A repeated as B says"},
     2,
     2,
     kLayouts,
     with_tile<[](const Layout& l, const auto& tile) { return logical_product(l, tile); }>},
    {"zipped_product",
     {"zipped_product(A, B)", "the same, grouped as by zipped_divide"},
     2,
     2,
     kLayouts,
     with_tile<[](const Layout& l, const auto& tile) { return zipped_product(l, tile); }>},
    {"tiled_product",
     {"tiled_product(A, B)", "the same, grouped as by tiled_divide"},
     2,
     2,
     kLayouts,
     with_tile<[](const Layout& l, const auto& tile) { return tiled_product(l, tile); }>},
    {"flat_product",
     {"flat_product(A, B)", "the same, grouped as by flat_divide"},
     2,
     2,
     kLayouts,
     with_tile<[](const Layout& l, const auto& tile) { return flat_product(l, tile); }>},
    {"blocked_product",
     {"blocked_product(A, B)", "blocks of A side by side, laid out by B"},
     2,
     2,
     kLayouts,
     of_layouts<blocked_product>},
    {"raked_product",
     {"raked_product(A, B)", "the elements of these blocks between each other"},
     2,
     2,
     kLayouts,
     of_layouts<raked_product>},
    {"tile_to_shape",
     {"tile_to_shape(L, S[, O])", "L repeated until it covers S, in the order O"},
     2,
     3,
     kLayouts,
     [](const Arguments& a) -> Value {
       return a.has(2) ? tile_to_shape(a.layout(0), a.shape(1), a.tuple(2)) : tile_to_shape(a.layout(0), a.shape(1));
     }},

    {"local_tile", {"local_tile(L, T, c)", "the tile at c, counted in tiles"}, 3, 3, kInside, tile_at},
    {"local_partition",
     {"local_partition(L, T, i)", "what thread i of the threads T takes"},
     3,
     3,
     kInside,
     [](const Arguments& a) -> Value { return local_partition(a.layout(0), a.layout(1), a.number(2)); }},
    {"make_tv_layout",
     {"make_tv_layout(T, V)", "the places of a tile that the threads T hold, each as V"},
     2,
     2,
     kLayouts,
     of_layouts<make_tv_layout>},
    {"upcast",
     {"upcast(L, n)", "offsets counted in vectors of n"},
     2,
     2,
     kLayouts,
     [](const Arguments& a) -> Value { return upcast(a.layout(0), a.number(1)); }},
    {"downcast",
     {"downcast(L, n)", "offsets counted in parts, n to an element"},
     2,
     2,
     kLayouts,
     [](const Arguments& a) -> Value { return downcast(a.layout(0), a.number(1)); }},
    {"swizzle",
     {"swizzle(B, M, S)", "i ^ (its B bits from M+S, moved down S places)"},
     3,
     3,
     kLayouts,
     [](const Arguments& a) -> Value {
       return OffsetSwizzle{{a.small_number(0), a.small_number(1), a.small_number(2)}};
     }},
};

}  // namespace

std::span<const Function> function_table() {
  return kFunctions;
}

}  // namespace boon::layout
