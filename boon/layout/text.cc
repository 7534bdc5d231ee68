#include "boon/layout/text.h"

#include <string>

#include "boon/core/error.h"
#include "boon/layout/swizzle.h"

namespace boon::layout {
namespace {

void print_leaf(std::string& out, std::int64_t value, int axis) {
  if (value == kAll) {
    out += '_';
  } else if (axis == 0) {
    out += std::to_string(value);
  } else {
    if (value == -1) out += '-';
    if (value != 1 && value != -1) out += std::to_string(value);
    out += 'E';
    out += std::to_string(axis - 1);
  }
}

// A message ends at its first NUL.
std::string without_nul(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '\0' ? "\\0" : std::string(1, c));
  return out;
}

}  // namespace

std::string to_string(const Tuple& t) {
  std::string out;
  for (int i = 0; i < t.count; ++i) {
    if (i != 0) out += ',';
    out.append(t.opens[i], '(');
    print_leaf(out, t.value[i], t.axis[i]);
    out.append(t.closes[i], ')');
  }
  return t.count == 0 ? "()" : out;
}

std::string to_string(const Layout& l) {
  return to_string(l.shape) + ":" + to_string(l.stride);
}

std::string to_string(const Tiler& t) {
  std::string out;
  for (int i = 0; i < rank(t); ++i) {
    out += i == 0 ? "<" : ",";
    out += t.leaves(i) ? "_" : to_string(t.tile(i));
  }
  return out + ">";
}

std::string to_string(const Swizzle& s) {
  return "Swizzle<" + std::to_string(s.bits) + "," + std::to_string(s.base) + "," + std::to_string(s.shift) + ">";
}

std::size_t position_of(std::string_view text, std::size_t at) noexcept {
  std::size_t position = 1;
  for (const char c : text.substr(0, at)) position += (static_cast<unsigned char>(c) & 0xc0u) == 0x80u ? 0 : 1;
  return position;
}

void throw_unreadable(std::string_view text, std::size_t byte, const char* expected) {
  constexpr std::size_t kShown = 60;  // of a long text, what leads to the position
  const std::size_t at = byte - 1;
  const std::size_t begin = at > kShown ? at - kShown : 0;
  const std::string_view shown = text.substr(begin, 2 * kShown);
  std::string message = begin == 0 ? "\"" : "\"…";
  message.append(without_nul(shown)).append(begin + shown.size() < text.size() ? "…\"" : "\"");
  message.append(", position ").append(std::to_string(position_of(text, at))).append(": expected ").append(expected);
  if (at >= text.size()) {
    message.append(", but the text ends");
  } else {
    std::size_t end = at + 1;  // of a character of several bytes all of them
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) ++end;
    message.append(", not '").append(without_nul(text.substr(at, end - at))).append("'");
  }
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace boon::layout
