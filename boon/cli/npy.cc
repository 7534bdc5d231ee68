// .npy: a magic, a version, the length of a header, the header (a Python dict literal of three fields), then the array.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

struct Header {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// Reads the header's literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  Header parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        header.descr = descr();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = shape();
      } else {
        fail(fmt::format("the field {} is unknown or given twice", in_quotes(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) fail("there is text after the closing brace");
    if (!has_descr || !has_order || !has_shape) fail("one of descr, fortran_order and shape is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw Error(ErrorCode::corrupted, fmt::format("{} has a damaged .npy header: {}", file_, why));
  }

  void skip_blanks() {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }

  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' expected before {}", c, in_quotes(rest_)));
  }

  std::string string() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') fail(fmt::format("a string expected before {}", in_quotes(rest_)));
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail("a string without an end");
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  std::string descr() {
    skip_blanks();
    if (rest_.starts_with('[')) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} holds records with named fields; save one field as a plain float32 array", file_));
    }
    return string();
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail(fmt::format("True or False expected before {}", in_quotes(rest_)));
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> axes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (error != std::errc()) fail(fmt::format("a length expected before {}", in_quotes(rest_)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // as Python 2 wrote long integers
      axes.push_back(length);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return axes;
  }

  std::string_view rest_;
  std::string_view file_;
};

// IEEE 754 binary16, carried in its bits. Every value is exact as a float.
struct Half {
  std::uint16_t bits;
};

double widen(Half half) noexcept {
  const int exponent = (half.bits >> 10) & 0x1F;
  const int mantissa = half.bits & 0x3FF;
  double magnitude;
  if (exponent == 0x1F) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(mantissa + 0x400, exponent - 25);
  }
  return (half.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
double widen(T value) noexcept {
  return value;
}

template <class T>
T load(const std::byte* at, bool swap) noexcept {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// A table as the header lays it out; the steps are in elements.
struct Layout {
  std::size_t rows;
  std::size_t dim;
  std::size_t row_step;
  std::size_t column_step;
};

template <class T>
void decode(Bytes array, bool swap, const Layout& layout, std::string_view file, std::vector<float>& values) {
  values.resize(layout.rows * layout.dim);
  if (std::is_same_v<T, float> && !swap && layout.column_step == 1) {
    std::memcpy(values.data(), array.data(), values.size() * sizeof(float));
    check_finite({.file = file}, layout.dim, values);
    return;
  }
  float* out = values.data();
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const Place place{.file = file, .row = row};
    for (std::size_t column = 0; column < layout.dim; ++column) {
      const std::size_t element = row * layout.row_step + column * layout.column_step;
      *out++ = narrow(widen(load<T>(array.data() + element * sizeof(T), swap)), place, column);
    }
  }
}

struct ElementType {
  std::string_view name;  // without the byte order
  std::size_t size;
  void (*decode)(Bytes, bool, const Layout&, std::string_view, std::vector<float>&);
};

constexpr std::array<ElementType, 5> kElementTypes{{{"f2", 2, decode<Half>},
                                                    {"f4", 4, decode<float>},
                                                    {"f8", 8, decode<double>},
                                                    {"u1", 1, decode<std::uint8_t>},
                                                    {"i1", 1, decode<std::int8_t>}}};

const ElementType& element_type(const std::string& descr, std::string_view file) {
  if (!descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos) {
    for (const ElementType& type : kElementTypes) {
      if (descr.substr(1) == type.name) return type;
    }
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} holds elements of type {}; boon reads f2, f4, f8, u1 and i1: save it again with "
                          "array.astype('float32')",
                          file, in_quotes(descr)));
}

// What precedes the array: the header's text and where the array starts.
std::pair<std::string_view, std::size_t> split(Bytes bytes, std::string_view file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (!text.starts_with(kMagic.substr(0, text.size()))) {
    throw Error(ErrorCode::corrupted, fmt::format("{} is not a .npy file", file));
  }
  const auto cut_short = [&] { return Error(ErrorCode::corrupted, fmt::format("{} ends inside its header", file)); };
  if (text.size() < kMagic.size() + 2) throw cut_short();
  const int version = static_cast<unsigned char>(text[kMagic.size()]);
  if (version < 1 || version > 3) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} is of version {} of the .npy format; boon reads 1 to 3", file, version));
  }
  const std::size_t length_at = kMagic.size() + 2;
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (text.size() < length_at + length_size) throw cut_short();
  std::size_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text[length_at + i]);
  const std::size_t header_at = length_at + length_size;
  if (text.size() - header_at < length) throw cut_short();
  return {text.substr(header_at, length), header_at + length};
}

Layout layout_of(const Header& header, std::string_view file) {
  if (header.shape.empty() || header.shape.size() > 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has shape ({}); boon reads one vector (d,) or rows of vectors (n, d): save it again "
                            "with array.reshape(len(array), -1)",
                            file, fmt::join(header.shape, ", ")));
  }
  const std::size_t rows = header.shape.size() == 1 ? 1 : header.shape.front();
  const std::size_t dim = header.shape.back();
  if (dim == 0) throw Error(ErrorCode::invalid_argument, fmt::format("{} has vectors of dimension 0", file));
  return header.fortran_order ? Layout{rows, dim, 1, rows} : Layout{rows, dim, dim, 1};
}

}  // namespace

VectorTable parse_npy(Bytes bytes, std::string_view file, std::size_t max_rows) {
  const auto [literal, array_at] = split(bytes, file);
  const Header header = HeaderParser(literal, file).parse();
  const ElementType& type = element_type(header.descr, file);
  Layout layout = layout_of(header, file);

  const Bytes array = bytes.subspan(array_at);
  const std::size_t elements = array.size() / type.size;
  // rows * dim without the product, which may not fit.
  const bool enough = layout.rows <= elements / layout.dim;
  if (!enough || array.size() != layout.rows * layout.dim * type.size) {
    throw Error(ErrorCode::corrupted,
                fmt::format("{} {}: its header promises {} x {} elements of {} bytes, and {} bytes follow", file,
                            enough ? "goes on after its array" : "is cut short", layout.rows, layout.dim, type.size,
                            array.size()));
  }
  if (max_rows != 0) layout.rows = std::min(layout.rows, max_rows);

  VectorTable table;
  table.dim = layout.dim;
  // "|" and "=" mean that there is no order to choose or that it is the machine's own.
  const bool swap = header.descr.front() == (std::endian::native == std::endian::little ? '>' : '<');
  type.decode(array, swap, layout, file, table.values);
  return table;
}

}  // namespace boon::cli
