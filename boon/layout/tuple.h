// A tuple of 64-bit integers and, in turn, tuples: the shapes, strides and coordinates of layouts, as in (4,(2,3)).
//
// A value of fixed capacity without pointers, so that it can be a template argument and be computed at either time.
// The tree is its leaves in order, each with the number of parentheses that open before it and close after it; a
// mode of a tuple is therefore a run of leaves.
//
// Invariants
//  1. Entries of the arrays at and after `count` are zero: equal tuples are the same template argument.
//  2. No tuple in it is empty; Tuple() itself is a beginning to append to.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>

#include "boon/layout/refusal.h"

namespace boon::layout {

inline constexpr int kLeavesMax = 32;
inline constexpr int kDepthMax = 32;

// The leaf "_": in a coordinate, all of a mode; in a tiler, the mode as it is.
inline constexpr std::int64_t kAll = INT64_MIN;

struct Tuple {
  std::int64_t value[kLeavesMax] = {};
  std::uint8_t axis[kLeavesMax] = {};    // 0: an integer; i + 1: value times E_i, the basis vector of coordinate i
  std::uint8_t opens[kLeavesMax] = {};   // parentheses before the leaf
  std::uint8_t closes[kLeavesMax] = {};  // parentheses after it
  int count = 0;

  constexpr Tuple() = default;
  constexpr Tuple(std::integral auto leaf) : value{static_cast<std::int64_t>(leaf)}, count(1) {}
  // Tuple{4, {2, 3}}. For a tuple of one mode write tuple(x): compilers disagree whether Tuple{x} copies x.
  constexpr Tuple(std::initializer_list<Tuple> modes) {
    for (const Tuple& mode : modes) append(mode);
    *this = grouped();
  }

  constexpr bool is_leaf() const { return count == 1 && opens[0] == 0; }

  // Adds a mode to a tuple under construction; grouped() then puts the parentheses round all of it.
  constexpr void append(const Tuple& mode) {
    if (count + mode.count > kLeavesMax) refuse({Rule::too_many_leaves, count, 0, 0, kLeavesMax}, "tuple", *this, mode);
    for (int i = 0; i < mode.count; ++i) append_leaf(mode, i, mode.opens[i], mode.closes[i]);
  }
  constexpr Tuple grouped() const {
    Tuple result = *this;
    if (count < 1) return result;
    if (depth() == kDepthMax) refuse({Rule::too_deep, 0, 0, 0, kDepthMax}, "tuple", *this);
    ++result.opens[0];
    ++result.closes[count - 1];
    return result;
  }
  // The leaf i of another tuple with parentheses of its own.
  constexpr void append_leaf(const Tuple& from, int i, int opening, int closing) {
    value[count] = from.value[i];
    axis[count] = from.axis[i];
    opens[count] = static_cast<std::uint8_t>(opening);
    closes[count] = static_cast<std::uint8_t>(closing);
    ++count;
  }

  // An integer has depth 0, a tuple 1 more than its deepest mode.
  constexpr int depth() const {
    int deepest = 0;
    int now = 0;
    for (int i = 0; i < count; ++i) {
      now += opens[i];
      deepest = now > deepest ? now : deepest;
      now -= closes[i];
    }
    return deepest;
  }

  friend constexpr bool operator==(const Tuple& a, const Tuple& b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i) {
      if (a.value[i] != b.value[i] || a.axis[i] != b.axis[i] || a.opens[i] != b.opens[i] ||
          a.closes[i] != b.closes[i]) {
        return false;
      }
    }
    return true;
  }
};

// tuple(4, tuple(2, 3)) is (4,(2,3)); tuple(4) is (4), which differs from 4.
template <class... Modes>
constexpr Tuple tuple(const Modes&... modes) {
  Tuple result;
  (result.append(Tuple(modes)), ...);
  return result.grouped();
}

// value * E_axis, a stride of identity layouts.
constexpr Tuple basis(int axis, std::int64_t value = 1) {
  if (axis < 0 || axis >= kLeavesMax) refuse({Rule::mode_not_there, axis, 0, 0, kLeavesMax}, "basis");
  Tuple result(value);
  if (value != 0) result.axis[0] = static_cast<std::uint8_t>(axis + 1);
  return result;
}

constexpr int depth(const Tuple& t) {
  return t.depth();
}

// A run of the leaves of a tuple: [begin, end).
struct Run {
  int begin = 0;
  int end = 0;
};

// The leaves of the modes of a tuple, one after the other: for (Run m = first_mode(t); m.begin < t.count; m = …).
constexpr Run mode_at(const Tuple& t, int begin) {
  int open = begin == 0 && !t.is_leaf() ? -1 : 0;  // the parenthesis round the whole is nobody's
  int i = begin;
  do {
    open += t.opens[i] - t.closes[i];
    ++i;
  } while (i < t.count && open > 0);
  return {begin, i};
}
constexpr Run first_mode(const Tuple& t) {
  return t.count == 0 ? Run{} : mode_at(t, 0);
}
constexpr Run next_mode(const Tuple& t, Run m) {
  return m.end == t.count ? Run{m.end, m.end} : mode_at(t, m.end);
}

// The modes of a tuple; an integer is its own only mode.
constexpr int rank(const Tuple& t) {
  int modes = 0;
  for (Run m = first_mode(t); m.begin < t.count; m = next_mode(t, m)) ++modes;
  return modes;
}

constexpr Run mode_run(const Tuple& t, int mode) {
  Run m = first_mode(t);
  for (int i = 0; i < mode && m.begin < t.count; ++i) m = next_mode(t, m);
  if (mode < 0 || m.begin >= t.count) refuse({Rule::mode_not_there, mode, 0, 0, rank(t)}, "mode", t);
  return m;
}

// The leaves of a mode as a tuple of their own, without the parentheses round the whole.
constexpr Tuple subtuple(const Tuple& t, Run run) {
  Tuple result;
  const int outer = t.is_leaf() ? 0 : 1;
  for (int i = run.begin; i < run.end; ++i) {
    result.append_leaf(t, i, t.opens[i] - (i == 0 ? outer : 0), t.closes[i] - (i == t.count - 1 ? outer : 0));
  }
  return result;
}

constexpr Tuple mode(const Tuple& t, int i) {
  return subtuple(t, mode_run(t, i));
}

// All leaves in one tuple; an integer stays one.
constexpr Tuple flatten(const Tuple& t) {
  if (t.is_leaf()) return t;
  Tuple result;
  for (int i = 0; i < t.count; ++i) result.append_leaf(t, i, 0, 0);
  return result.grouped();
}

// The product of the leaves.
constexpr std::int64_t size(const Tuple& t) {
  std::int64_t product = 1;
  for (int i = 0; i < t.count; ++i) {
    if (!multiply(product, t.value[i], product)) {
      refuse({Rule::overflows_64_bits, i, t.value[i], 0, product}, "size", t);
    }
  }
  return product;
}

// The same parentheses.
constexpr bool congruent(const Tuple& a, const Tuple& b) {
  if (a.count != b.count) return false;
  for (int i = 0; i < a.count; ++i) {
    if (a.opens[i] != b.opens[i] || a.closes[i] != b.closes[i]) return false;
  }
  return true;
}

// b is a, or a with some leaves replaced by tuples: a can be a coordinate, or a profile, of b.
constexpr bool weakly_congruent(const Tuple& a, const Tuple& b) {
  if (a.is_leaf()) return b.count > 0;
  if (b.is_leaf() || rank(a) != rank(b)) return false;
  for (int i = 0; i < rank(a); ++i) {
    if (!weakly_congruent(mode(a, i), mode(b, i))) return false;
  }
  return true;
}

// Shapes of one size such that each coordinate of a is one of b: 24 ≤ (4,6) ≤ ((2,2),6).
constexpr bool compatible(const Tuple& a, const Tuple& b) {
  if (a.is_leaf()) return a.value[0] == size(b);
  if (b.is_leaf() || rank(a) != rank(b)) return false;
  for (int i = 0; i < rank(a); ++i) {
    if (!compatible(mode(a, i), mode(b, i))) return false;
  }
  return true;
}

// The sizes of the modes: ((2,2),6) gives (4,6).
constexpr Tuple product_each(const Tuple& t) {
  if (t.is_leaf()) return t;
  Tuple result;
  for (Run m = first_mode(t); m.begin < t.count; m = next_mode(t, m)) result.append(size(subtuple(t, m)));
  return result.grouped();
}

}  // namespace boon::layout
