// What the algebra promises, checked on layouts drawn at random. The unit test draws some thousands with a fixed seed,
// the fuzz target as many as it is given time for.
//
// An operation may refuse; what it returns must be right. Right is decided by going through all elements, so the
// layouts are small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/core/random.h"
#include "boon/layout/divide.h"
#include "boon/layout/inverse.h"
#include "boon/layout/partition.h"
#include "boon/layout/product.h"
#include "boon/layout/recast.h"
#include "boon/layout/text.h"

namespace boon::layout::properties {

// Where choices come from: bytes as long as there are any, then random numbers that follow from them.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes), random_(hash(bytes)) {}

  std::int64_t below(std::int64_t bound) {
    if (at_ < bytes_.size()) return bytes_[at_++] % bound;
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  static std::uint64_t hash(std::span<const std::uint8_t> bytes) {
    std::uint64_t state = bytes.size();
    for (const std::uint8_t byte : bytes) state = splitmix64(state ^ byte);
    return state;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  Random random_;
};

// How often the operations gave a result, so that a test can tell that refusing is not all they do.
struct Tally {
  int rounds = 0;
  int composed = 0;
  int carried = 0;
  int complemented = 0;
  int divided = 0;
  int multiplied = 0;
  int left_inverted = 0;
};

inline constexpr std::int64_t kElementsMax = 256;

enum class Strides { any, not_negative };

// A tree of up to five leaves; strides that fill it, or repeat, or leave gaps, or anything.
inline Layout draw(Choices& choices, Strides strides) {
  static constexpr std::int64_t kExtents[] = {2, 3, 4, 2, 1, 6, 8, 5, 4, 2, 12, 7};
  const auto leaves = static_cast<int>(1 + choices.below(5));
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> steps;
  std::int64_t elements = 1;
  std::int64_t filled = 1;
  for (int i = 0; i < leaves; ++i) {
    std::int64_t extent = kExtents[choices.below(std::size(kExtents))];
    if (elements * extent > kElementsMax) extent = 1;
    elements *= extent;
    std::int64_t step = filled;
    switch (choices.below(8)) {
      case 0:
        step = 0;
        break;
      case 1:
        step = choices.below(30);
        break;
      case 2:
        step = filled * (1 + choices.below(3));
        break;
      case 3:
        if (strides == Strides::any) step = -step;
        break;
      default:
        break;
    }
    filled = std::max(filled, (step < 0 ? -step : step) * extent);
    extents.push_back(extent);
    steps.push_back(step);
  }
  for (int i = leaves - 1; i > 0; --i) {  // the fastest mode is not always the first
    if (choices.one_in(3)) {
      const auto other = static_cast<std::size_t>(choices.below(i + 1));
      std::swap(steps[i], steps[other]);
      if (choices.one_in(2)) std::swap(extents[i], extents[other]);
    }
  }
  // Runs of modes become one, over and over: a tree.
  std::vector<Layout> modes;
  for (int i = 0; i < leaves; ++i) modes.emplace_back(extents[i], steps[i]);
  while (modes.size() > 1 || choices.one_in(8)) {
    const auto size = static_cast<std::int64_t>(modes.size());
    const std::int64_t begin = choices.one_in(2) ? 0 : choices.below(size);
    const std::int64_t end = choices.one_in(2) ? size : begin + 1 + choices.below(size - begin);
    Modes run;
    for (std::int64_t i = begin; i < end; ++i) run.append(modes[i]);
    if (depth(modes[begin]) > 6) break;
    modes[begin] = run.grouped();
    modes.erase(modes.begin() + begin + 1, modes.begin() + end);
  }
  Modes all;
  for (const Layout& mode : modes) all.append(mode);
  return all.unwrapped();
}

// The value at an index, from the definition: split it among the leaves, the last of which takes the rest.
inline std::int64_t value(const Layout& l, std::int64_t index) {
  std::int64_t sum = 0;
  for (int i = 0; i < l.shape.count; ++i) {
    const bool last = i == l.shape.count - 1;
    sum += (last ? index : index % l.shape.value[i]) * l.stride.value[i];
    index /= l.shape.value[i];
  }
  return sum;
}

template <class Call>
std::optional<Layout> unless_refused(const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    return std::nullopt;
  }
}

template <class... Operand>
void promise(bool kept, const char* what, const Operand&... operands) {
  if (kept) return;
  std::string message = what;
  ((message += " " + to_string(operands)), ...);
  throw std::logic_error(message);
}

inline void check_text(const Layout& l) {
  promise(parse_layout(to_string(l)) == l, "text goes round:", l);
  promise(!Layout::broken_invariant(l.shape, l.stride), "invariants:", l);
}

// Counting through the shape like an odometer, with every form of the coordinate.
inline void check_evaluation(const Layout& l) {
  Tuple c = idx2crd(0, l.shape);
  const Tuple modes = product_each(l.shape);
  for (std::int64_t index = 0; index < size(l); ++index) {
    std::int64_t sum = 0;
    for (int i = 0; i < c.count; ++i) sum += c.value[i] * l.stride.value[i];
    promise(l(index) == sum && value(l, index) == sum, "evaluation at an index:", l);
    if (index % 7 == 0) {
      promise(l(c) == sum && idx2crd(index, l.shape) == c && crd2idx(c, l.shape) == index, "at a full coordinate:", l);
      promise(l(idx2crd(index, modes)) == sum, "evaluation at a coordinate by mode:", l);
    }
    for (int i = 0; i < c.count; ++i) {
      if (++c.value[i] < l.shape.value[i]) break;
      c.value[i] = 0;
    }
  }
}

inline void check_coalesce(const Layout& l) {
  const Layout c = coalesce(l);
  promise(size(c) == size(l) && depth(c) <= 1, "coalesce keeps the size and is flat:", l, c);
  const Layout by_mode = coalesce(l, product_each(l.shape));
  promise(congruent(product_each(by_mode.shape), product_each(l.shape)), "coalesce by mode keeps modes:", l, by_mode);
  for (std::int64_t i = 0; i < size(l); ++i) {
    promise(value(c, i) == value(l, i), "coalesce is the same function:", l, c);
    promise(value(by_mode, i) == value(l, i), "coalesce by mode is the same function:", l, by_mode);
  }
}

// Whether the composition of each leaf of b by itself, put together, is a ∘ b.
inline bool leaves_compose_apart(const Layout& a, const Layout& b) {
  Modes apart;
  for (int i = 0; i < b.shape.count; ++i) {
    const ComposeResult leaf = try_compose(a, Layout(b.shape.value[i], b.stride.value[i]));
    if (!leaf) return false;
    apart.append(leaf.layout);
  }
  const Layout r = apart.unwrapped();
  for (std::int64_t i = 0; i < size(b); ++i) {
    if (value(r, i) != value(a, value(b, i))) return false;
  }
  return true;
}

inline void check_composition(const Layout& a, const Layout& b, Tally& tally) {
  const ComposeResult r = try_compose(a, b);
  if (r.refusal.rule == Rule::rhs_leaves_carry_into_next_lhs_mode) {
    ++tally.carried;
    return;
  }
  if (!r) return;
  ++tally.composed;
  promise(size(r.layout) == size(b), "composition keeps the size of B:", a, b, r.layout);
  promise(compatible(b.shape, r.layout.shape), "composition keeps the form of B:", a, b, r.layout);
  // A left side of one mode goes on below 0 as well.
  const bool one_mode = coalesce(a).shape.is_leaf();
  const std::int64_t step = size(a) == 1 ? a.stride.value[a.stride.count - 1] : coalesce(a).stride.value[0];
  for (std::int64_t i = 0; i < size(b); ++i) {
    const std::int64_t place = value(b, i);
    const std::int64_t expected = one_mode && place < 0 ? place * step : value(a, place);
    promise(value(r.layout, i) == expected, "R(i) = A(B(i)):", a, b, r.layout);
  }
}

inline std::vector<std::int64_t> sorted_values(const Layout& l) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < size(l); ++i) result.push_back(value(l, i));
  std::sort(result.begin(), result.end());
  return result;
}
inline bool contains(const std::vector<std::int64_t>& sorted, std::int64_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}
inline bool is_injective(const Layout& l) {
  const std::vector<std::int64_t> all = sorted_values(l);
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

// Whether each gap of l is a multiple of what is below it, so that its complement fills them all.
inline bool gaps_are_whole(const Layout& l) {
  const internal::SortedModes modes(l, "gaps", internal::Negative::refused);
  std::int64_t covered = 1;
  for (int i = 0; i < modes.count; covered = modes.extent[i] * modes.stride[i], ++i) {
    if (modes.stride[i] % covered != 0) return false;
  }
  return true;
}

inline void check_complement(const Layout& l, std::int64_t cotarget, Tally& tally) {
  const auto c = unless_refused([&] { return complement(l, cotarget); });
  if (!c) return;
  ++tally.complemented;
  const Layout moving = filter(l);
  for (std::int64_t j = 1; j < size(*c); ++j) {
    promise(value(*c, j - 1) < value(*c, j), "a complement is ordered:", l, *c);
  }
  const Layout both = make_layout(moving, *c);
  promise(is_injective(both), "a complement is disjoint:", l, *c);
  if (internal::Gaps(l, "gaps").uneven) return;
  const std::vector<std::int64_t> offsets = sorted_values(both);
  for (std::int64_t i = 0; i < cotarget; ++i) promise(contains(offsets, i), "a complement covers:", l, *c);
}

inline void check_divide(const Layout& a, const Layout& b, Tally& tally) {
  const auto d = unless_refused([&] { return logical_divide(a, b); });
  if (!d || size(*d) > 4 * kElementsMax) return;
  ++tally.divided;
  promise(mode(*d, 0) == composition(a, b), "mode 0 of A / B is A o B:", a, b, *d);
  promise(flatten(zipped_divide(a, b)) == flatten(*d), "zipped:", a, b);
  promise(flatten(tiled_divide(a, b)) == flatten(*d), "tiled:", a, b);
  promise(flatten(flat_divide(a, b)) == flatten(*d), "flat:", a, b);
  const std::vector<std::int64_t> parts = sorted_values(*d);
  for (std::int64_t i = 0; i < size(a); ++i) {
    promise(contains(parts, value(a, i)), "a divide keeps each element:", a, b, *d);
  }
}

inline void check_divide_by_mode(const Layout& a, Choices& choices) {
  Modes tiles;
  for (int i = 0; i < rank(a); ++i) {
    tiles.append_leaf(choices.one_in(4) ? kAll : 1 + choices.below(size(mode(a, i))), 1);
  }
  const Tiler tiler{tiles.shape.grouped(), tiles.stride.grouped()};
  const auto zipped = unless_refused([&] { return zipped_divide(a, tiler); });
  if (!zipped) return;
  promise(mode(*zipped, 0) == composition(a, tiler), "mode 0 of a zipped divide is the composition:", a, tiler);
  const std::vector<std::int64_t> parts = sorted_values(*zipped);
  for (std::int64_t i = 0; i < size(a); ++i) {
    promise(contains(parts, value(a, i)), "a divide by mode keeps each element:", a, tiler, *zipped);
  }
  // A tile begins where the zipped layout says, and the identity tells its coordinates.
  const std::int64_t at = choices.below(size(mode(*zipped, 1)));
  const Slice tile = local_tile(a, tiler, at);
  const Slice place = local_tile(identity_layout(a.shape), tiler, at);
  const Tuple extents = a.shape.is_leaf() ? tuple(a.shape) : product_each(a.shape);
  for (std::int64_t i = 0; i < size(tile.layout); ++i) {
    const std::int64_t offset = evaluate(tile, i).value[0];
    promise(offset == value(*zipped, at * size(mode(*zipped, 0)) + i), "a tile is a part:", a, tiler);
    const Tuple c = evaluate(place, i);
    if (!c.is_leaf() && elem_less(c, extents)) {
      promise(a.shape.is_leaf() ? a(c.value[0]) == offset : a(c) == offset, "the identity follows:", a, tiler);
    }
  }
}

inline void check_product(const Layout& a, const Layout& b, Tally& tally) {
  const auto p = unless_refused([&] { return logical_product(a, b); });
  if (!p || size(*p) > 4 * kElementsMax) return;
  ++tally.multiplied;
  promise(mode(*p, 0) == a, "mode 0 of a product is A:", a, b, *p);
  promise(compatible(b.shape, mode(*p, 1).shape), "mode 1 of a product has the form of B:", a, b, *p);
  if (!internal::Gaps(a, "gaps").uneven) {
    const Layout copies = composition(complement(a, size(a) * cosize(b)), b);
    promise(mode(*p, 1) == copies, "mode 1 of a product is A* o B:", a, b, *p);
  }
  promise(!is_injective(a) || !is_injective(b) || is_injective(*p), "copies do not overlap:", a, b, *p);
  const auto blocked = unless_refused([&] { return blocked_product(a, b); });
  const auto raked = unless_refused([&] { return raked_product(a, b); });
  promise(blocked.has_value() == raked.has_value(), "blocked as well as raked:", a, b);
  if (blocked)
    promise(sorted_values(*blocked) == sorted_values(*raked), "blocked and raked take the same offsets:", a, b);
}

inline void check_inverses(const Layout& l, Tally& tally) {
  const Layout right = right_inverse(l);
  for (std::int64_t i = 0; i < size(right); ++i) promise(value(l, value(right, i)) == i, "L(R(i)) = i:", l, right);
  const auto left = unless_refused([&] { return left_inverse(l); });
  if (!left) return;
  ++tally.left_inverted;
  const bool injective = is_injective(l);
  for (std::int64_t i = 0; i < size(l); ++i) {
    const std::int64_t back = value(*left, value(l, i));
    promise(value(l, back) == value(l, i), "L(R(L(i))) = L(i):", l, *left);
    promise(!injective || back == i, "R(L(i)) = i where L takes each offset once:", l, *left);
  }
}

inline void check_common(const Layout& a, const Layout& b) {
  const Layout common = max_common_layout(a, b);
  for (std::int64_t i = 0; i < size(common); ++i) {
    const std::int64_t at = value(common, i);
    promise(value(a, at) == i && value(b, at) == i, "both take 0, 1, 2, …:", a, b, common);
  }
}

inline void check_slices_and_recasts(const Layout& l, Choices& choices) {
  const Tuple full = idx2crd(choices.below(size(l)), l.shape);
  Tuple open = full;
  for (int i = 0; i < open.count; ++i) {
    if (choices.one_in(2)) open.value[i] = kAll;
  }
  const Slice part = slice(l, open);
  Tuple within;
  for (int i = 0; i < open.count; ++i) {
    if (open.value[i] == kAll) within.append(full.value[i]);
  }
  const Tuple at = within.count == 0 ? Tuple(0) : within.count == 1 ? within : within.grouped();
  promise(evaluate(part, at) == Tuple(value(l, crd2idx(full, l.shape))), "a slice is a part:", l, open);

  const std::int64_t n = 1 + choices.below(4);
  const auto parts = unless_refused([&] { return downcast(l, n); });
  if (!parts) return;
  promise(size(*parts) == n * size(l) && upcast(*parts, n) == l, "upcast undoes downcast:", l, *parts);
}

// One round: layouts a and b, and each promise about them. Throws std::logic_error that names a promise not kept.
inline void check_round(Choices& choices, Tally& tally) {
  ++tally.rounds;
  const Layout any = draw(choices, Strides::any);
  const Layout a = draw(choices, Strides::not_negative);
  const Layout b = draw(choices, Strides::not_negative);
  check_text(any);
  check_evaluation(any);
  check_coalesce(any);
  check_slices_and_recasts(any, choices);
  check_composition(any, b, tally);
  check_composition(a, any, tally);
  check_composition(a, coalesce(b), tally);
  check_complement(a, 1 + choices.below(2 * kElementsMax), tally);
  check_divide(a, b, tally);
  check_divide_by_mode(any, choices);
  check_product(a, b, tally);
  check_inverses(a, tally);
  check_common(a, b);
}

}  // namespace boon::layout::properties
