#include "boon/layout/functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "boon/core/error.h"

namespace boon::layout {
namespace {

struct Alias {
  std::string_view name;
  std::string_view means;
};
// As CuTe in C++ and in Python and other models of it say.
constexpr Alias kAliases[] = {
    {"Layout", "make_layout"},
    {"Sw", "swizzle"},
    {"Swizzle", "swizzle"},
    {"compose", "composition"},
    {"get", "mode"},
    {"identity", "identity_layout"},
    {"make_identity_layout", "identity_layout"},
    {"make_identity_tensor", "identity_layout"},
    {"make_layout_tv", "make_tv_layout"},
    {"make_ordered_layout", "ordered_layout"},
    {"make_swizzle", "swizzle"},
    {"make_tiled_copy", "make_tv_layout"},
    {"make_tiled_copy_tv", "make_tv_layout"},
    {"make_tv", "make_tv_layout"},
};

std::string in_lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// The name that differs in capitals alone, or those that hold the word or begin as it does.
std::vector<std::string_view> names_like(std::string_view written) {
  constexpr std::size_t kBeginning = 4;
  const std::string word = in_lower_case(written);
  std::vector<std::string_view> names;
  for (const Function& function : function_table()) {
    if (function.name() == word) return {function.name()};
    const bool begins = word.size() >= kBeginning && function.name().starts_with(word.substr(0, kBeginning));
    if (begins || function.name().find(word) != std::string_view::npos) names.push_back(function.name());
  }
  return names;
}

// How many arguments the usage speaks of: those in brackets may be left out, "…" is any number.
struct Taken {
  std::size_t least;
  std::size_t most;

  explicit Taken(std::string_view usage)
      : least(counted(usage.substr(0, usage.find('[')))),
        most(usage.find("…") == std::string_view::npos ? counted(usage) : kLeavesMax) {}

  std::string text() const {
    if (least == most) return fmt::format("{} argument{}", least, least == 1 ? "" : "s");
    return fmt::format("{} {} {} arguments", least, most == least + 1 ? "or" : "to", most);
  }

 private:
  static std::size_t counted(std::string_view usage) {
    return 1 + static_cast<std::size_t>(std::ranges::count(usage, ','));
  }
};

// a + b, where one may be the 0 of no axis at all or have fewer axes.
Tuple sum_of(Tuple a, Tuple b) {
  if (a.is_leaf() && a.value[0] == 0) return b;
  if (b.is_leaf() && b.value[0] == 0) return a;
  if (a.count < b.count) std::swap(a, b);
  for (int i = 0; i < b.count; ++i) {
    if (!add(a.value[i], b.value[i], a.value[i])) refuse({Rule::overflows_64_bits, i, b.value[i], 1}, "offset", a, b);
  }
  return a;
}

// What stands round a layout, and goes round what a function makes of it.
class Surroundings {
 public:
  // Takes them off; the layout alone is left.
  explicit Surroundings(Value& value) {
    if (const auto* slice = std::get_if<Slice>(&value)) {
      origin_ = slice->origin;
      value = Layout(slice->layout);
    } else if (const auto* composed = std::get_if<ComposedSwizzle>(&value)) {
      swizzle_ = composed->function;
      origin_ = composed->offset;
      value = Layout(composed->layout);
    }
  }

  Value round(Value value) const {
    if (!origin_) return value;
    Slice inner;
    if (const auto* layout = std::get_if<Layout>(&value)) {
      inner.layout = *layout;
    } else if (const auto* slice = std::get_if<Slice>(&value)) {
      inner = *slice;
    } else {
      return value;
    }
    inner.origin = sum_of(*origin_, inner.origin);
    if (!swizzle_) return inner;
    return ComposedSwizzle{*swizzle_, inner.offset(), inner.layout};
  }

 private:
  std::optional<Swizzle> swizzle_;
  std::optional<Tuple> origin_;
};

bool has_all(const Tuple& coordinate) {
  return std::ranges::find(coordinate.value, kAll) != std::end(coordinate.value);
}

bool is_number(const Tuple& tuple) {
  return tuple.is_leaf() && tuple.axis[0] == 0 && tuple.value[0] != kAll;
}

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

const Function& function_named(std::string_view name) {
  const auto alias = std::ranges::find(kAliases, name, &Alias::name);
  const std::string_view meant = alias == std::end(kAliases) ? name : alias->means;
  for (const Function& function : function_table()) {
    if (function.name() == meant) return function;
  }
  const std::vector<std::string_view> like = names_like(name);
  fail(fmt::format("there is no function {}{}{}", name, like.empty() ? "" : "; there is ", fmt::join(like, ", ")));
}

Value call(const Function& function, std::vector<Value> values) {
  const Taken taken(function.usage);
  if (values.size() < taken.least || values.size() > taken.most) {
    fail(fmt::format("{} takes {}, not {}: {}", function.name(), taken.text(), values.size(), function.usage));
  }
  if (function.acts == Function::Acts::on_layouts) return function.call(Arguments(function, std::move(values)));
  const Surroundings surroundings(values[0]);
  return surroundings.round(function.call(Arguments(function, std::move(values))));
}

void Arguments::refuse(std::size_t i, std::string_view expected) const {
  fail(fmt::format("argument {} of {} must be {}, not {}", i + 1, function_.name(), expected, to_string(values_[i])));
}

Layout Arguments::layout(std::size_t i) const {
  Layout layout;
  if (!as_layout(values_[i], layout)) refuse(i, "a layout or a shape");
  return layout;
}

Tuple Arguments::tuple(std::size_t i) const {
  const auto* tuple = std::get_if<Tuple>(&values_[i]);
  if (tuple == nullptr) refuse(i, "a tuple or a number");
  return *tuple;
}

Tuple Arguments::shape(std::size_t i) const {
  if (const auto* written = std::get_if<Tuple>(&values_[i])) return *written;
  return layout(i).shape;
}

std::int64_t Arguments::number(std::size_t i) const {
  const auto* tuple = std::get_if<Tuple>(&values_[i]);
  if (tuple == nullptr || !is_number(*tuple)) refuse(i, "a number");
  return tuple->value[0];
}

int Arguments::small_number(std::size_t i) const {
  const std::int64_t value = number(i);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) refuse(i, "a small number");
  return static_cast<int>(value);
}

std::variant<Layout, Tiler> Arguments::tile(std::size_t i) const {
  if (const auto* tiler = std::get_if<Tiler>(&values_[i])) return *tiler;
  if (const auto* tuple = std::get_if<Tuple>(&values_[i])) {
    if (!tuple->is_leaf()) return tiler_of(*tuple);
    return Layout(number(i), 1);
  }
  Layout layout;
  if (!as_layout(values_[i], layout)) refuse(i, "a layout or a tiler");
  return layout;
}

bool as_layout(const Value& value, Layout& layout) {
  if (const auto* whole = std::get_if<Layout>(&value)) {
    layout = *whole;
  } else if (const auto* slice = std::get_if<Slice>(&value); slice != nullptr && slice->origin == Tuple(0)) {
    layout = slice->layout;
  } else if (const auto* tv = std::get_if<ThreadValue>(&value)) {
    layout = tv->tv;
  } else if (const auto* tuple = std::get_if<Tuple>(&value)) {
    layout = col_major(*tuple);
  } else {
    return false;
  }
  return true;
}

Value at_coordinate(const Value& function, const Tuple& coordinate) {
  if (const auto* swizzle = std::get_if<OffsetSwizzle>(&function)) {
    if (!is_number(coordinate)) fail(fmt::format("a swizzle takes a number, not {}", to_string(coordinate)));
    return Tuple(swizzle->function(sum_of(swizzle->offset, coordinate).value[0]));
  }
  Value inside = function;
  const Surroundings surroundings(inside);
  Layout layout;
  if (!as_layout(inside, layout)) fail(fmt::format("{} has no values at coordinates", to_string(function)));
  Value part = surroundings.round(slice(layout, coordinate));
  if (has_all(coordinate)) return part;
  // A slice without a mode left begins at the value.
  if (const auto* composed = std::get_if<ComposedSwizzle>(&part)) return Tuple(composed->function(composed->offset));
  return std::get<Slice>(part).origin;
}

}  // namespace boon::layout
