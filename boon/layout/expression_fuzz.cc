// Any text is refused with a position or gives a value whose text, read again, is the same value; and it can be drawn.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "boon/core/error.h"
#include "boon/layout/drawing.h"
#include "boon/layout/expression.h"

namespace {

using namespace boon::layout;

bool reads_back(const Value& value) {
  return std::holds_alternative<Layout>(value) || std::holds_alternative<Tiler>(value) ||
         std::holds_alternative<ComposedSwizzle>(value);
}

void draw_it(const Value& value) {
  const DrawingOptions options{.rows = 4, .columns = 4, .panels = 2};
  const auto draw_any = [&](const auto& drawn) {
    if constexpr (requires { draw(drawn, "", options); }) {
      const Picture picture = draw(drawn, "<fuzz>", options);
      if (to_text(picture, Ink::ansi).empty() || to_svg(picture).empty()) std::abort();
    }
  };
  try {
    std::visit(draw_any, value);
  } catch (const boon::Error& error) {
    // Offsets behind an origin can be too large for 64 bits.
    if (error.code() != boon::ErrorCode::invalid_argument) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Value value;
  try {
    value = evaluate(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const boon::Error& error) {
    const std::string_view what = error.what();
    if (error.code() != boon::ErrorCode::invalid_argument || what.find("position ") == what.npos) std::abort();
    return 0;
  }
  const std::string text = to_string(value);
  if (reads_back(value) && to_string(evaluate(text)) != text) std::abort();
  draw_it(value);
  return 0;
}
