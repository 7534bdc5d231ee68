#include "boon/layout/syntax.h"

#include <fmt/format.h>

#include <utility>

#include "boon/layout/text.h"

namespace boon::layout {
namespace {

// Deeper than any layout is, and shallow enough for the stack.
constexpr std::size_t kNestingMax = 64;
// A chain of operators is as deep a tree as it is long.
constexpr std::size_t kOperatorsMax = 100;
// Numbers, brackets and calls: many more than an expression of layouts of 32 numbers has use for.
constexpr std::size_t kPartsMax = 10000;

struct Operator {
  std::string_view sign;
  Node::Kind kind;
};
constexpr Operator kOperators[] = {
    {"∘", Node::Kind::compose}, {"/", Node::Kind::divide},  {"⊘", Node::Kind::divide},
    {"*", Node::Kind::product}, {"⊗", Node::Kind::product},
};

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_{text} {}

  Node whole() {
    Node node = expression();
    if (place() < reader_.text.size()) fail("an operator (o, / or *) or the end");
    return node;
  }

 private:
  // Where the next sign stands, blanks skipped.
  std::size_t place() {
    reader_.peek();
    return reader_.at;
  }
  char char_at(std::size_t at) const { return at < reader_.text.size() ? reader_.text[at] : '\0'; }
  bool take(char sign) { return reader_.take(sign); }

  [[noreturn]] void fail(const std::string& expected) { throw_unreadable(reader_.text, place() + 1, expected.c_str()); }

  Node expression() {
    if (nesting_ == kNestingMax) fail(fmt::format("at most {} brackets inside each other", kNestingMax));
    ++nesting_;
    Node left = applied();
    Node::Kind kind{};
    for (std::size_t at = place(); take_operator(kind); at = place()) {
      Node right = applied();
      left = joined(kind, at, std::move(left), std::move(right));
    }
    --nesting_;
    return left;
  }

  bool take_operator(Node::Kind& kind) {
    const std::string_view rest = reader_.text.substr(place());
    for (const Operator& candidate : kOperators) {
      if (!rest.starts_with(candidate.sign)) continue;
      kind = candidate.kind;
      reader_.at += candidate.sign.size();
      count_operator();
      return true;
    }
    // The number after an "o" may touch it; a longer word is none.
    if (!rest.starts_with('o') || is_letter(char_at(reader_.at + 1)) || char_at(reader_.at + 1) == '_') return false;
    kind = Node::Kind::compose;
    ++reader_.at;
    count_operator();
    return true;
  }

  void count_operator() {
    if (++operators_ > kOperatorsMax) fail(fmt::format("at most {} operators", kOperatorsMax));
  }

  static Node joined(Node::Kind kind, std::size_t at, Node left, Node right) {
    Node node{.kind = kind, .at = at};
    node.children.push_back(std::move(left));
    node.children.push_back(std::move(right));
    return node;
  }

  Node applied() {
    Node node = pair();
    for (std::size_t at = place(); take('('); at = place()) {
      count_operator();
      Node application{.kind = Node::Kind::apply, .at = at};
      application.children.push_back(std::move(node));
      append_list(application.children, ')');
      node = std::move(application);
    }
    return node;
  }

  Node pair() {
    const std::size_t at = place();
    Node shape = primary();
    if (!take(':')) return shape;
    Node stride = primary();
    return joined(Node::Kind::pair, at, std::move(shape), std::move(stride));
  }

  // Up to and with the closing sign.
  void append_list(std::vector<Node>& items, char close) {
    do {
      items.push_back(expression());
    } while (take(','));
    if (!take(close)) fail(fmt::format("',' or '{}'", close));
  }

  Node primary() {
    Node node{.at = place()};
    if (++parts_ > kPartsMax) fail(fmt::format("at most {} numbers, brackets and functions", kPartsMax));
    if (take('(')) {
      node.kind = Node::Kind::group;
      append_list(node.children, ')');
    } else if (take('<')) {
      node.kind = Node::Kind::tiler;
      append_list(node.children, '>');
    } else if (leaf_begins(node.at)) {
      node.leaf = reader_.read_tuple();
    } else if (is_letter(char_at(node.at))) {
      call(node);
    } else {
      fail("a number, '(', '<' or a function");
    }
    return node;
  }

  bool leaf_begins(std::size_t at) const {
    const char c = char_at(at);
    return is_digit(c) || c == '-' || c == '_' || (c == 'E' && is_digit(char_at(at + 1)));
  }

  void call(Node& node) {
    std::size_t end = node.at;
    while (is_word(char_at(end))) ++end;
    node.kind = Node::Kind::call;
    node.name = reader_.text.substr(node.at, end - node.at);
    reader_.at = end;
    if (take('<')) append_list(node.parameters, '>');
    if (take('(')) {
      if (!take(')')) append_list(node.children, ')');
    } else if (node.parameters.empty()) {
      fail(fmt::format("'(' after {}", node.name));
    }
  }

  Reader reader_;
  std::size_t nesting_ = 0;
  std::size_t operators_ = 0;
  std::size_t parts_ = 0;
};

}  // namespace

Node parse_expression(std::string_view text) {
  return Parser(text).whole();
}

}  // namespace boon::layout
