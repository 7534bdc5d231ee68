#include <cstdint>

#include "boon/layout/functions.h"
#include "boon/layout/recast.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

constexpr auto kInside = Function::Acts::inside;
constexpr auto kOnLayouts = Function::Acts::on_layouts;

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
// Of the layout, or of the mode that is named after it.
template <auto operation>
Value of_mode(const Arguments& a) {
  const Layout layout = a.layout(0);
  return operation(a.has(1) ? mode(layout, a.small_number(1)) : layout);
}
template <auto operation>
Value with_number(const Arguments& a) {
  return operation(a.layout(0), a.number(1));
}
// By a layout the whole, by a tiler each mode.
template <auto operation>
Value with_tile(const Arguments& a) {
  const Layout layout = a.layout(0);
  return std::visit([&](const auto& tile) -> Value { return operation(layout, tile); }, a.tile(1));
}

// Overloaded functions as values, and numbers as tuples.
constexpr auto kSize = [](const Layout& l) { return Tuple(size(l)); };
constexpr auto kCosize = [](const Layout& l) { return Tuple(cosize(l)); };
constexpr auto kRank = [](const Layout& l) { return Tuple(rank(l)); };
constexpr auto kDepth = [](const Layout& l) { return Tuple(depth(l)); };
constexpr auto kShape = [](const Layout& l) { return l.shape; };
constexpr auto kStride = [](const Layout& l) { return l.stride; };
constexpr auto kItself = [](const Layout& l) { return l; };
constexpr auto kFlatten = [](const Layout& l) { return flatten(l); };
constexpr auto kMaxCommonVector = [](const Layout& a, const Layout& b) { return Tuple(max_common_vector(a, b)); };
constexpr auto kUpcast = [](const Layout& l, std::int64_t n) { return upcast(l, n); };
constexpr auto kDowncast = [](const Layout& l, std::int64_t n) { return downcast(l, n); };
constexpr auto kComposition = [](const Layout& l, const auto& tile) { return composition(l, tile); };
constexpr auto kLogicalDivide = [](const Layout& l, const auto& tile) { return logical_divide(l, tile); };
constexpr auto kZippedDivide = [](const Layout& l, const auto& tile) { return zipped_divide(l, tile); };
constexpr auto kTiledDivide = [](const Layout& l, const auto& tile) { return tiled_divide(l, tile); };
constexpr auto kFlatDivide = [](const Layout& l, const auto& tile) { return flat_divide(l, tile); };
constexpr auto kLogicalProduct = [](const Layout& l, const auto& tile) { return logical_product(l, tile); };
constexpr auto kZippedProduct = [](const Layout& l, const auto& tile) { return zipped_product(l, tile); };
constexpr auto kTiledProduct = [](const Layout& l, const auto& tile) { return tiled_product(l, tile); };
constexpr auto kFlatProduct = [](const Layout& l, const auto& tile) { return flat_product(l, tile); };

Value made_layout(const Arguments& a) {
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

Value offset_at(const Arguments& a) {
  if (a.has(2)) return Tuple(crd2idx(a.tuple(0), a.tuple(1), a.tuple(2)));
  return at_coordinate(a[1], a.tuple(0));
}

Value coordinate_of(const Arguments& a) {
  return a.has(2) ? idx2crd(a.number(0), a.tuple(1), a.tuple(2)) : idx2crd(a.number(0), a.shape(1));
}

Value slice_at(const Arguments& a) {
  const auto written = [&](std::size_t i) { return std::holds_alternative<Tuple>(a[i]); };
  // CuTe writes the coordinate first. Called once more, what stands round the layout is taken off.
  if (written(0) && !written(1) && !std::holds_alternative<Tiler>(a[1]))
    return call(function_named("slice"), {a[1], a[0]});
  return slice(a.layout(0), a.tuple(1));
}

Value coalesced(const Arguments& a) {
  return a.has(1) ? coalesce(a.layout(0), a.tuple(1)) : coalesce(a.layout(0));
}

Value complement_of(const Arguments& a) {
  return a.has(1) ? complement(a.layout(0), size(a.layout(1))) : complement(a.layout(0));
}

Value tiled_to_shape(const Arguments& a) {
  return a.has(2) ? tile_to_shape(a.layout(0), a.shape(1), a.tuple(2)) : tile_to_shape(a.layout(0), a.shape(1));
}

Value tile_at(const Arguments& a) {
  const Layout layout = a.layout(0);
  const Tuple at = a.tuple(2);
  return std::visit([&](const auto& tile) -> Value { return local_tile(layout, tile, at); }, a.tile(1));
}

Value part_of_thread(const Arguments& a) {
  const Tuple thread = a.tuple(2);
  const Layout threads = a.layout(1);
  if (thread.is_leaf()) return local_partition(a.layout(0), threads, a.number(2));
  if (!elem_less(thread, threads.shape)) a.refuse(2, "a thread or its coordinate in " + to_string(threads.shape));
  return local_partition(a.layout(0), threads, threads(thread));
}

Value swizzle_of(const Arguments& a) {
  return OffsetSwizzle{{a.small_number(0), a.small_number(1), a.small_number(2)}};
}

// In the order of the help.
constexpr Function kFunctions[] = {
    {"size(L[, i])", "how many coordinates, in all or in mode i", kInside, of_mode<kSize>},
    {"cosize(L[, i])", "how many places its offsets span", kOnLayouts, of_mode<kCosize>},
    {"rank(L[, i])", "how many modes", kInside, of_mode<kRank>},
    {"depth(L[, i])", "how deep its modes nest", kInside, of_mode<kDepth>},
    {"shape(L[, i])", "its extents", kInside, of_mode<kShape>},
    {"stride(L[, i])", "its strides", kOnLayouts, of_mode<kStride>},
    {"mode(L, i)", "mode i, from 0", kInside, of_mode<kItself>},
    {"layout(X)", "the layout inside a slice or a composed layout", kOnLayouts, inner_layout},

    {"make_layout(A[, B, …])", "A:B of tuples; of layouts the layout with these modes", kOnLayouts, made_layout},
    {"col_major(S)", "fills the shape, leftmost mode fastest", kOnLayouts, of_shape<col_major>},
    {"row_major(S)", "fills the shape, rightmost mode fastest", kOnLayouts, of_shape<row_major>},
    {"ordered_layout(S, O)", "fills the shape, mode of lowest order fastest", kOnLayouts, of_shapes<ordered_layout>},
    {"identity_layout(S)", "gives each coordinate itself", kOnLayouts, of_shape<identity_layout>},

    {"crd2idx(c, L[, D])", "the offset of a coordinate; with D, in the layout L:D", kOnLayouts, offset_at},
    {"idx2crd(i, S[, D])", "the coordinate of an index; with D, of an offset of S:D", kOnLayouts, coordinate_of},
    {"slice(L, c)", "the modes where c has _, from where its numbers say", kInside, slice_at},
    {"elem_less(c, S)", "whether each number of c is below its extent", kOnLayouts, of_shapes<elem_less>},
    {"congruent(A, B)", "whether the parentheses are the same", kOnLayouts, of_shapes<congruent>},
    {"weakly_congruent(A, B)", "whether A is B with some tuples made numbers", kOnLayouts, of_shapes<weakly_congruent>},
    {"compatible(A, B)", "whether each coordinate of A is one of B", kOnLayouts, of_shapes<compatible>},

    {"flatten(L)", "without inner parentheses", kInside, of_layout<kFlatten>},
    {"coalesce(L[, P])", "the same offsets with fewest modes; by a profile, mode by mode", kInside, coalesced},
    {"filter(L)", "without modes of stride 0 or extent 1", kOnLayouts, of_layout<filter>},
    {"composition(A, B)", "A o B, A after B; by a tiler mode by mode", kInside, with_tile<kComposition>},
    {"complement(L[, M])", "what L leaves out of M places, or of those it spans", kOnLayouts, complement_of},
    {"right_inverse(L)", "R with L(R(i)) = i, as far as offsets have no gap", kOnLayouts, of_layout<right_inverse>},
    {"left_inverse(L)", "R with L(R(L(i))) = L(i)", kOnLayouts, of_layout<left_inverse>},
    {"max_common_layout(A, B)", "where both take offsets 0, 1, 2, …", kOnLayouts, of_layouts<max_common_layout>},
    {"max_common_vector(A, B)", "its size: how wide a copy may read", kOnLayouts, of_layouts<kMaxCommonVector>},

    {"logical_divide(A, B)", "A / B: (M,N,L) by <T,U> is ((T,m),(U,n),L)", kInside, with_tile<kLogicalDivide>},
    {"zipped_divide(A, B)", "the same as ((T,U),(m,n,L))", kInside, with_tile<kZippedDivide>},
    {"tiled_divide(A, B)", "the same as ((T,U),m,n,L)", kInside, with_tile<kTiledDivide>},
    {"flat_divide(A, B)", "the same as (T,U,m,n,L)", kInside, with_tile<kFlatDivide>},
    {"logical_product(A, B)", "A * B: A repeated as B says", kOnLayouts, with_tile<kLogicalProduct>},
    {"zipped_product(A, B)", "the same, grouped as by zipped_divide", kOnLayouts, with_tile<kZippedProduct>},
    {"tiled_product(A, B)", "the same, grouped as by tiled_divide", kOnLayouts, with_tile<kTiledProduct>},
    {"flat_product(A, B)", "the same, grouped as by flat_divide", kOnLayouts, with_tile<kFlatProduct>},
    {"blocked_product(A, B)", "blocks of A side by side, laid out by B", kOnLayouts, of_layouts<blocked_product>},
    {"raked_product(A, B)", "the elements of such blocks between each other", kOnLayouts, of_layouts<raked_product>},
    {"tile_to_shape(L, S[, O])", "L repeated until it covers S, in the order O", kOnLayouts, tiled_to_shape},

    {"local_tile(L, T, c)", "the tile at c, counted in tiles", kInside, tile_at},
    {"local_partition(L, T, i)", "what thread i, or the one at a coordinate, of the threads T takes", kInside,
     part_of_thread},
    {"make_tv_layout(T, V)", "a tile shared by threads T, V to each", kOnLayouts, of_layouts<make_tv_layout>},
    {"upcast(L, n)", "offsets counted in vectors of n", kOnLayouts, with_number<kUpcast>},
    {"downcast(L, n)", "offsets counted in parts, n to an element", kOnLayouts, with_number<kDowncast>},
    {"swizzle(B, M, S)", "i ^ (its B bits from M+S, moved down S places)", kOnLayouts, swizzle_of},
};

}  // namespace

std::span<const Function> function_table() {
  return kFunctions;
}

}  // namespace boon::layout
