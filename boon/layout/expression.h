// Expressions of the layout algebra, read and evaluated: "(4,3):(1,8) o 6:2" is (2,3):(2,8), "size((4,3):(1,8))" is 12.
//
// syntax.h has the notation. What it means:
//  - (4,3):(1,8) is a layout. A shape written without strides, (4,3), is the layout that fills it, leftmost mode
//  fastest.
//  - (A, B) of layouts is the layout with these modes, <A, B> a tiler. As in CuTe a tuple of numbers is a tiler too
//    where one may stand: (8,6) / (4,3) is (8,6) / <4,3>.
//  - A o B is composition(A, B), A / B logical_divide(A, B), A * B logical_product(A, B).
//  - L(7) and L(1,(0,2)) are values of a layout, L(2,_) is slice(L, (2,_)).
//  - Swizzle<2,0,3> o L is a composed layout; a number in between is an offset, as in Swizzle<2,0,3> o 8 o L.
//  - f<4>(L) is f(L, 4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "boon/layout/swizzle.h"
#include "boon/layout/thread_value.h"

namespace boon::layout {

// A swizzle that waits for its layout.
struct OffsetSwizzle {
  Swizzle function;
  std::int64_t offset = 0;
};

using ComposedSwizzle = ComposedLayout<Swizzle>;

// What an expression can be. A number is a Tuple that is a leaf.
using Value = std::variant<Tuple, bool, Layout, Slice, ComposedSwizzle, OffsetSwizzle, Tiler, ThreadValue>;

// Throws Error{invalid_argument}. What cannot be read is named with its position and what was expected there; what the
// algebra refuses, with the position of the operation, the rule and its numbers.
Value evaluate(std::string_view expression);

// The value of a layout, a slice, a composed layout or a swizzle at a coordinate: a number, a coordinate where strides
// are basis vectors, or a slice where the coordinate has a "_". Throws Error{invalid_argument} for any other.
Value at_coordinate(const Value& function, const Tuple& coordinate);

// In the notation of expressions where it has one.
std::string to_string(const Value& value);

// For help.
struct FunctionHelp {
  std::string_view usage;  // "complement(L[, M])"
  std::string_view what;
};
std::span<const FunctionHelp> function_help();

}  // namespace boon::layout
