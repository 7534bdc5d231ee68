// Why an operation on layouts was refused: the rule that was broken and the numbers that broke it.
//
// Every operation is one constexpr function for both times. At run time refuse() throws Error{invalid_argument} with a
// sentence; in a constant expression it stops the compiler. Compose<A, B> (fixed.h) gives the shortest message then.
#pragma once

#include <cstdint>
#include <type_traits>

namespace boon::layout {

struct Tuple;
struct Layout;
struct Tiler;

enum class Rule : std::uint8_t {
  none,  // nothing was refused

  // of every layout and tuple
  too_many_leaves,
  too_deep,
  shape_and_stride_not_congruent,
  extent_not_positive,
  leaf_not_an_integer,
  overflows_64_bits,
  mode_not_there,
  profile_does_not_fit,
  strides_are_basis_vectors,
  strides_mix_integers_and_basis_vectors,

  // of coordinates
  coordinate_does_not_fit_shape,
  coordinate_negative,
  index_beyond_size,

  // of composition
  rhs_stride_does_not_divide_lhs_extent,
  rhs_extent_not_a_multiple_of_lhs_chunk,
  rhs_leaves_carry_into_next_lhs_mode,
  rhs_stride_negative,
  rhs_axis_not_in_lhs,

  // of the operations on top of it
  strides_overlap,
  stride_negative,
  stride_not_a_multiple,
  gap_not_filled_by_repeating,
  rest_needs_a_tiler_by_mode,
  tiler_has_more_modes_than_layout,
  tile_is_nested,
  not_one_to_one_and_onto,
  swizzle_out_of_range,
  vector_does_not_fit,
  extents_not_those_of_layout,
  overflows_index_type,
};

// What broke the rule. The fields that a rule does not speak of are 0.
struct Refusal {
  Rule rule = Rule::none;
  int mode = 0;             // number of the leaf, in order, from 0; in a composition of the right side's
  std::int64_t extent = 0;  // of that leaf, as far as it was left when the rule met it
  std::int64_t stride = 0;  // likewise
  std::int64_t met = 0;     // the number on the other side: an extent, a chunk of it, a limit

  constexpr explicit operator bool() const { return rule != Rule::none; }
  friend constexpr bool operator==(const Refusal&, const Refusal&) = default;
};

// Throw Error{invalid_argument}: "composition((4,3):(1,8), 6:1): …".
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Tuple& a);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Tuple& a, const Tuple& b);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Layout& b);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Tuple& b);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, const Tiler& b);
[[noreturn]] void throw_refusal(const Refusal& refusal, const char* operation, const Layout& a, std::int64_t b);

// What stops a constant expression: compilers show the line, which names the rule, and clang the numbers of the call.
constexpr void stop_compiling(Rule rule, [[maybe_unused]] int leaf, [[maybe_unused]] std::int64_t extent,
                              [[maybe_unused]] std::int64_t stride, [[maybe_unused]] std::int64_t met) {
  switch (rule) {
    case Rule::rhs_stride_does_not_divide_lhs_extent:
      throw "rhs_stride_does_not_divide_lhs_extent";
    case Rule::rhs_extent_not_a_multiple_of_lhs_chunk:
      throw "rhs_extent_not_a_multiple_of_lhs_chunk";
    case Rule::rhs_leaves_carry_into_next_lhs_mode:
      throw "rhs_leaves_carry_into_next_lhs_mode";
    case Rule::rhs_stride_negative:
      throw "rhs_stride_negative";
    case Rule::rhs_axis_not_in_lhs:
      throw "rhs_axis_not_in_lhs";
    default:
      throw "refused, see the call of refuse()";
  }
}

// Returns only where nothing is refused.
template <class... Operands>
constexpr void refuse(const Refusal& r, const char* operation, const Operands&... operands) {
  if (r.rule == Rule::none) return;
  if (std::is_constant_evaluated()) stop_compiling(r.rule, r.mode, r.extent, r.stride, r.met);
  throw_refusal(r, operation, operands...);
}

// a * b and a + b, or false where they do not fit.
constexpr bool multiply(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}
constexpr bool add(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return !__builtin_add_overflow(a, b, &sum);
}

}  // namespace boon::layout
