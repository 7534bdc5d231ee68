// The notation of layout expressions: text in, a tree out. It knows how things are written and not what they mean.
//
//   expression = applied { operator applied }                operators bind alike, from left to right
//   operator   = "o" | "∘" | "/" | "⊘" | "*" | "⊗"
//   applied    = layout { "(" list ")" }                     a layout at a coordinate
//   layout     = primary [ ":" primary ]                     shape:stride
//   primary    = leaf | "(" list ")" | "<" list ">" | name "(" [ list ] ")" | name "<" list ">" [ "(" [ list ] ")" ]
//   list       = expression { "," expression }
//   leaf       = 4 | -4 | E0 | 2E1 | _                       as in text.h
//
// Blanks mean nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "boon/layout/tuple.h"

namespace boon::layout {

struct Node {
  enum class Kind {
    leaf,
    group,    // ( children )
    tiler,    // < children >
    pair,     // shape:stride
    compose,  // of two children: left, right
    divide,
    product,
    call,   // name and children; `parameters` stood in < >
    apply,  // the first child at the others
  };
  Kind kind = Kind::leaf;
  std::size_t at = 0;  // the byte where it begins; of an operator, where that stands
  Tuple leaf = {};
  std::string name = {};
  std::vector<Node> children = {};
  std::vector<Node> parameters = {};
};

// Throws Error{invalid_argument} that names the position, what was expected there and what was found.
Node parse_expression(std::string_view text);

}  // namespace boon::layout
