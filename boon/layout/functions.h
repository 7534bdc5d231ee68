// The functions of expressions: a table by name, and calls with checked arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "boon/layout/expression.h"

namespace boon::layout {

class Arguments;

struct Function {
  // What becomes of a slice or a composed layout as the first argument.
  enum class Acts {
    on_layouts,  // it is refused: the function needs a layout that begins at 0
    inside,      // the function reads the layout inside, and the rest goes round the result
  };

  std::string_view usage;  // "complement(L[, M])": says the name, and what may be left out
  std::string_view what;
  Acts acts;
  Value (*call)(const Arguments& arguments);

  std::string_view name() const { return usage.substr(0, usage.find('(')); }
};

std::span<const Function> function_table();

// Throws Error{invalid_argument} for a name that is not there.
const Function& function_named(std::string_view name);

// Throws Error{invalid_argument} for arguments of the wrong number or kind, and what the algebra throws.
Value call(const Function& function, std::vector<Value> values);

// The values of a call. Each accessor throws Error{invalid_argument}, with the argument's number, for one of another
// kind.
class Arguments {
 public:
  Arguments(const Function& function, std::vector<Value> values) : function_(function), values_(std::move(values)) {}

  std::size_t count() const { return values_.size(); }
  bool has(std::size_t i) const { return i < values_.size(); }
  const Value& operator[](std::size_t i) const { return values_[i]; }

  Layout layout(std::size_t i) const;
  std::int64_t number(std::size_t i) const;
  int small_number(std::size_t i) const;
  Tuple tuple(std::size_t i) const;
  Tuple shape(std::size_t i) const;                       // written, or of a layout
  std::variant<Layout, Tiler> tile(std::size_t i) const;  // for the whole, or for each mode

  [[noreturn]] void refuse(std::size_t i, std::string_view expected) const;

 private:
  const Function& function_;
  std::vector<Value> values_;
};

// The layout that a value stands for: itself, the one that fills a shape, or from thread and value to a place in the
// tile. False if it is none.
bool as_layout(const Value& value, Layout& layout);

}  // namespace boon::layout
