#include "boon/layout/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "boon/core/error.h"
#include "boon/layout/functions.h"
#include "boon/layout/syntax.h"
#include "boon/layout/text.h"

namespace boon::layout {
namespace {

// Numbers and tuples of them, as opposed to what a function gave.
bool is_written_tuple(const Node& node) {
  return node.kind == Node::Kind::leaf ||
         (node.kind == Node::Kind::group && std::ranges::all_of(node.children, is_written_tuple));
}

class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : text_(text) {}

  Value value(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::leaf:
        return node.leaf;
      case Node::Kind::group:
        return group(node);
      case Node::Kind::tiler:
        return tiler(node);
      case Node::Kind::pair:
        return pair(node);
      case Node::Kind::compose:
        return composed(node);
      case Node::Kind::divide:
        return named("logical_divide", node, values(node.children));
      case Node::Kind::product:
        return named("logical_product", node, values(node.children));
      case Node::Kind::call:
        return called(node);
      case Node::Kind::apply:
        return applied(node, value(node.children[0]), std::span(node.children).subspan(1));
    }
    fail(node, "cannot be evaluated");
  }

  // A shape that is the whole expression stands for its layout.
  Value whole(const Node& node) const {
    Value result = value(node);
    if (!is_written_tuple(node)) return result;
    return at(node, [&] { return Value(col_major(std::get<Tuple>(result))); });
  }

 private:
  [[noreturn]] void fail(const Node& node, std::string_view what) const {
    throw Error(ErrorCode::invalid_argument, fmt::format("position {}: {}", position_of(text_, node.at), what));
  }

  // Says where it was that an operation failed. Operands are evaluated before, so no error gets two positions.
  template <class Operation>
  Value at(const Node& node, const Operation& operation) const {
    try {
      return operation();
    } catch (const Error& error) {
      fail(node, error.what());
    }
  }

  std::vector<Value> values(std::span<const Node> nodes) const {
    std::vector<Value> result;
    result.reserve(nodes.size());
    for (const Node& node : nodes) result.push_back(value(node));
    return result;
  }

  // Of tuples the tuple, of layouts the layout; of a single one that is computed that one itself.
  Value group(const Node& node) const {
    std::vector<Value> items = values(node.children);
    const auto is_tuple = [](const Value& item) { return std::holds_alternative<Tuple>(item); };
    if (items.size() == 1 && !is_written_tuple(node)) return items[0];
    if (std::ranges::all_of(items, is_tuple)) return at(node, [&] { return Value(tuple_of(items)); });
    if (std::ranges::any_of(items, is_tuple)) {
      fail(node, "a tuple holds numbers or layouts, not both; < > makes a tiler of both");
    }
    return named("make_layout", node, std::move(items));
  }

  static Tuple tuple_of(const std::vector<Value>& items) {
    Tuple result;
    for (const Value& item : items) result.append(std::get<Tuple>(item));
    return result.grouped();
  }

  Value tiler(const Node& node) const {
    Modes modes;
    for (const Node& child : node.children) {
      const Value item = value(child);
      const auto* tuple = std::get_if<Tuple>(&item);
      const bool number = tuple != nullptr && tuple->is_leaf() && tuple->axis[0] == 0;
      Layout tile;
      if (!number && (tuple != nullptr || !as_layout(item, tile))) {
        fail(child, "a tile is a number, a layout or _; of a tuple, write the strides too");
      }
      at(child, [&]() -> Value {
        if (!number) {
          modes.append(tile);
        } else if (*tuple == Tuple(kAll)) {
          modes.append_leaf(kAll, 1);
        } else {
          modes.append(Layout(*tuple, 1));
        }
        return true;
      });
    }
    return at(node, [&] { return Value(Tiler{modes.shape.grouped(), modes.stride.grouped()}); });
  }

  Value pair(const Node& node) const {
    const auto side = [&](const Node& child) {
      const Value item = value(child);
      if (!std::holds_alternative<Tuple>(item)) fail(child, "shape:stride is made of numbers and tuples of them");
      return std::get<Tuple>(item);
    };
    const Tuple shape = side(node.children[0]);
    const Tuple stride = side(node.children[1]);
    return at(node, [&] { return Value(Layout(shape, stride)); });
  }

  Value named(std::string_view name, const Node& node, std::vector<Value> items) const {
    return at(node, [&] { return call(function_named(name), std::move(items)); });
  }

  Value composed(const Node& node) const {
    std::vector<Value> sides = values(node.children);
    const auto* swizzle = std::get_if<OffsetSwizzle>(&sides[0]);
    if (swizzle == nullptr) return named("composition", node, std::move(sides));
    const Node& right = node.children[1];
    if (right.kind == Node::Kind::leaf && right.leaf.axis[0] == 0 && right.leaf != Tuple(kAll)) {
      return OffsetSwizzle{swizzle->function, right.leaf.value[0]};
    }
    Layout inside;
    bool is_layout = false;
    at(node, [&]() -> Value { return is_layout = as_layout(sides[1], inside); });
    if (!is_layout || has_basis_strides(inside)) fail(node, "a swizzle needs a layout with offsets on its right");
    return ComposedSwizzle{swizzle->function, swizzle->offset, inside};
  }

  // f<n>(L) is f(L, n), but Swizzle<B,M,S>(i) is a swizzle at i.
  Value called(const Node& node) const {
    const Function* function = nullptr;
    at(node, [&]() -> Value {
      function = &function_named(node.name);
      return true;
    });
    std::vector<Value> items = values(node.children);
    std::vector<Value> parameters = values(node.parameters);
    const bool swizzles = function->name() == "swizzle" && !parameters.empty();
    if (swizzles && !items.empty()) return applied(node, named("swizzle", node, std::move(parameters)), node.children);
    std::ranges::move(parameters, std::back_inserter(items));
    return named(node.name, node, std::move(items));
  }

  Value applied(const Node& node, const Value& function, std::span<const Node> coordinates) const {
    const std::vector<Value> items = values(coordinates);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!std::holds_alternative<Tuple>(items[i])) fail(coordinates[i], "a coordinate is a number or a tuple of them");
    }
    return at(node,
              [&] { return at_coordinate(function, items.size() == 1 ? std::get<Tuple>(items[0]) : tuple_of(items)); });
  }

  std::string_view text_;
};

}  // namespace

Value evaluate(std::string_view expression) {
  return Evaluator(expression).whole(parse_expression(expression));
}

std::span<const FunctionHelp> function_help() {
  static const std::vector<FunctionHelp> kHelp = [] {
    std::vector<FunctionHelp> help;
    for (const Function& function : function_table()) help.push_back({function.usage, function.what});
    return help;
  }();
  return kHelp;
}

std::string to_string(const Value& value) {
  struct Printer {
    std::string operator()(bool is) const { return is ? "true" : "false"; }
    std::string operator()(const Tuple& t) const { return to_string(t); }
    std::string operator()(const Layout& l) const { return to_string(l); }
    std::string operator()(const Tiler& t) const { return to_string(t); }
    std::string operator()(const ComposedSwizzle& c) const { return to_string(c); }
    std::string operator()(const Slice& s) const {
      return fmt::format("{} + {}", to_string(s.origin), to_string(s.layout));
    }
    std::string operator()(const OffsetSwizzle& s) const {
      return s.offset == 0 ? to_string(s.function) : fmt::format("{} o {}", to_string(s.function), s.offset);
    }
    std::string operator()(const ThreadValue& tv) const {
      return fmt::format("{} of a tile {}", to_string(tv.tv), to_string(tv.extents));
    }
  };
  return std::visit(Printer{}, value);
}

}  // namespace boon::layout
