#include "boon/layout/refusal.h"

#include <string>
#include <string_view>

#include "boon/core/error.h"
#include "boon/layout/layout.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

using std::to_string;

[[noreturn]] void throw_with(const Refusal& refusal, std::string operation, std::string_view operands) {
  operation.append("(").append(operands).append("): ").append(to_string(refusal));
  throw Error(ErrorCode::invalid_argument, operation);
}

std::string pair(const std::string& a, const std::string& b) {
  return a + ", " + b;
}

}  // namespace

std::string_view name(Rule rule) noexcept {
  switch (rule) {
    case Rule::none:
      return "none";
    case Rule::too_many_leaves:
      return "too_many_leaves";
    case Rule::too_deep:
      return "too_deep";
    case Rule::shape_and_stride_not_congruent:
      return "shape_and_stride_not_congruent";
    case Rule::extent_not_positive:
      return "extent_not_positive";
    case Rule::leaf_not_an_integer:
      return "leaf_not_an_integer";
    case Rule::overflows_64_bits:
      return "overflows_64_bits";
    case Rule::mode_not_there:
      return "mode_not_there";
    case Rule::profile_does_not_fit:
      return "profile_does_not_fit";
    case Rule::strides_are_basis_vectors:
      return "strides_are_basis_vectors";
    case Rule::strides_mix_integers_and_basis_vectors:
      return "strides_mix_integers_and_basis_vectors";
    case Rule::coordinate_does_not_fit_shape:
      return "coordinate_does_not_fit_shape";
    case Rule::coordinate_negative:
      return "coordinate_negative";
    case Rule::index_beyond_size:
      return "index_beyond_size";
    case Rule::rhs_stride_does_not_divide_lhs_extent:
      return "rhs_stride_does_not_divide_lhs_extent";
    case Rule::rhs_extent_not_a_multiple_of_lhs_chunk:
      return "rhs_extent_not_a_multiple_of_lhs_chunk";
    case Rule::rhs_leaves_carry_into_next_lhs_mode:
      return "rhs_leaves_carry_into_next_lhs_mode";
    case Rule::rhs_stride_negative:
      return "rhs_stride_negative";
    case Rule::rhs_axis_not_in_lhs:
      return "rhs_axis_not_in_lhs";
    case Rule::strides_overlap:
      return "strides_overlap";
    case Rule::stride_negative:
      return "stride_negative";
    case Rule::stride_not_a_multiple:
      return "stride_not_a_multiple";
    case Rule::gap_not_filled_by_repeating:
      return "gap_not_filled_by_repeating";
    case Rule::rest_needs_a_tiler_by_mode:
      return "rest_needs_a_tiler_by_mode";
    case Rule::tiler_has_more_modes_than_layout:
      return "tiler_has_more_modes_than_layout";
    case Rule::tile_is_nested:
      return "tile_is_nested";
    case Rule::not_one_to_one_and_onto:
      return "not_one_to_one_and_onto";
    case Rule::swizzle_out_of_range:
      return "swizzle_out_of_range";
    case Rule::vector_does_not_fit:
      return "vector_does_not_fit";
    case Rule::extents_not_those_of_layout:
      return "extents_not_those_of_layout";
    case Rule::overflows_index_type:
      return "overflows_index_type";
  }
  return "unknown";
}

std::string to_string(const Refusal& r) {
  const std::string extent = to_string(Tuple(r.extent));  // which may be "_"
  const std::string stride = to_string(r.stride);
  const std::string met = to_string(r.met);
  const std::string leaf = "leaf " + to_string(r.mode);
  const std::string right = leaf + " of the right side, now " + extent + ":" + stride + ", ";
  switch (r.rule) {
    case Rule::none:
      break;
    case Rule::too_many_leaves:
      return "more than " + met + " numbers; a layout holds at most that many leaves";
    case Rule::too_deep:
      return "more than " + met + " parentheses inside each other";
    case Rule::shape_and_stride_not_congruent:
      return "shape and stride must have the same parentheses, with a stride for each extent";
    case Rule::extent_not_positive:
      return leaf + ": extent " + extent + "; extents are 1 or more";
    case Rule::leaf_not_an_integer:
      return leaf + " must be an integer here, not '_' or a basis vector";
    case Rule::overflows_64_bits:
      return leaf + ", " + extent + ":" + stride + ", takes a size or an offset beyond 64 bits";
    case Rule::mode_not_there:
      return "there is no mode " + to_string(r.mode) + "; there are " + met + ", counted from 0";
    case Rule::profile_does_not_fit:
      return "the profile must be the shape with some of its tuples replaced by numbers, or with fewer modes";
    case Rule::strides_are_basis_vectors:
      return "strides are basis vectors (E0, E1, …), which give coordinates; integers are needed here";
    case Rule::strides_mix_integers_and_basis_vectors:
      return leaf + ": strides must be all integers or all basis vectors";
    case Rule::coordinate_does_not_fit_shape:
      return "a coordinate has one number for each mode, or for each mode within a mode";
    case Rule::coordinate_negative:
      return "coordinate " + extent + " is negative";
    case Rule::index_beyond_size:
      return "number " + extent + " is not among the " + met + ", counted from 0";
    case Rule::rhs_stride_does_not_divide_lhs_extent:
      return right + "steps by " + stride + " through a mode of extent " + met +
             " on the left; neither divides the other, so the steps are uneven";
    case Rule::rhs_extent_not_a_multiple_of_lhs_chunk:
      return right + "meets " + met + " steps in a mode on the left, and " + extent + " is not a multiple of " + met +
             "; the last round would be cut short";
    case Rule::rhs_leaves_carry_into_next_lhs_mode:
      return right + "goes beyond a mode of extent " + met +
             " on the left when added to the leaves before it; no strides express the carry into the next mode";
    case Rule::rhs_stride_negative:
      return right + "goes below offset 0, outside a left side of several modes";
    case Rule::rhs_axis_not_in_lhs:
      return leaf + " of the right side speaks of mode " + stride + ", but the left side has " + met +
             ", counted from 0";
    case Rule::strides_overlap:
      return "the mode " + extent + ":" + stride + " overlaps smaller strides, which cover " + met +
             " offsets; the layout must take each offset at most once";
    case Rule::stride_negative:
      return leaf + ", " + extent + ":" + stride + ": a negative stride has no place here";
    case Rule::stride_not_a_multiple:
      return "the mode " + extent + ":" + stride + " needs a stride that is a multiple of " + met;
    case Rule::gap_not_filled_by_repeating:
      return "tiles with the mode " + extent + ":" + stride + " leave elements out: " + stride +
             " is not a multiple of the " + met + " offsets that smaller modes cover";
    case Rule::rest_needs_a_tiler_by_mode:
      return "what counts the tiles, now " + extent + ":" + stride + ", hangs over within the layout's modes; divide " +
             "mode by mode, with a tiler such as <" + met + ",_>";
    case Rule::tiler_has_more_modes_than_layout:
      return "the tiler has " + extent + " modes and the layout " + met;
    case Rule::tile_is_nested:
      return "a tile that is a tuple needs strides, as in <(2,4):(1,8),3>";
    case Rule::not_one_to_one_and_onto:
      return "together they must take each offset below " + extent + " exactly once, which holds only up to " + met;
    case Rule::swizzle_out_of_range:
      return "a swizzle needs bits and base of 0 or more, a shift of at least as many places as bits, and 62 bits in "
             "all";
    case Rule::vector_does_not_fit:
      return leaf + ", " + extent + ":" + stride + ": vectors of " + met + " do not fit";
    case Rule::extents_not_those_of_layout:
      return "extent " + extent + " is asked for where the layout has " + met;
    case Rule::overflows_index_type:
      return extent + " offsets do not fit an index type that ends at " + met;
  }
  return "nothing was refused";
}

void throw_refusal(const Refusal& refusal, const char* operation) {
  throw_with(refusal, operation, "");
}
void throw_refusal(const Refusal& refusal, const char* operation, const Tuple& a) {
  throw_with(refusal, operation, to_string(a));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Tuple& a, const Tuple& b) {
  throw_with(refusal, operation, pair(to_string(a), to_string(b)));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a) {
  throw_with(refusal, operation, to_string(a));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Layout& b) {
  throw_with(refusal, operation, pair(to_string(a), to_string(b)));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Tuple& b) {
  throw_with(refusal, operation, pair(to_string(a), to_string(b)));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Tiler& b) {
  throw_with(refusal, operation, pair(to_string(a), to_string(b)));
}
void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, std::int64_t b) {
  throw_with(refusal, operation, pair(to_string(a), to_string(b)));
}

}  // namespace boon::layout
