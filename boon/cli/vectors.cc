#include "boon/cli/vectors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <optional>
#include <system_error>

#include "boon/cli/terminal.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"
#include "boon/core/posix.h"

namespace boon::cli {
namespace {

std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Format> format_by_extension(const Path& path) {
  std::string extension = path.extension().native();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array<std::pair<std::string_view, Format>, 11> kExtensions{{{".npy", Format::npy},
                                                                             {".fvecs", Format::fvecs},
                                                                             {".bvecs", Format::bvecs},
                                                                             {".ivecs", Format::ivecs},
                                                                             {".hdf5", Format::hdf5},
                                                                             {".h5", Format::hdf5},
                                                                             {".txt", Format::text},
                                                                             {".vec", Format::text},
                                                                             {".jsonl", Format::jsonl},
                                                                             {".ndjson", Format::jsonl},
                                                                             {".json", Format::jsonl}}};
  for (const auto& [known, format] : kExtensions) {
    if (extension == known) return format;
  }
  return std::nullopt;
}

Format format_by_magic(Bytes first_bytes, std::string_view file) {
  const std::string_view text = as_text(first_bytes);
  if (text.starts_with("\x93NUMPY")) return Format::npy;
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return Format::hdf5;
  if (text.starts_with("\x1f\x8b")) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is compressed with gzip: unpack it, or pipe it in: zcat FILE | boon … -", file));
  }
  if (text.starts_with("PK\x03\x04")) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is a zip archive (as .npz files are): unpack it and give the file inside", file));
  }
  const std::size_t start = text.find_first_not_of(" \t\r\n", text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  return start != std::string_view::npos && text[start] == '{' ? Format::jsonl : Format::text;
}

VectorTable parse(Bytes bytes, Format format, std::string_view file, const ReadOptions& options) {
  switch (format) {
    case Format::npy:
      return parse_npy(bytes, file, options.max_rows);
    case Format::fvecs:
    case Format::bvecs:
    case Format::ivecs:
      return parse_vecs(bytes, format, file, options.max_rows);
    case Format::hdf5:
      return parse_hdf5(bytes, file, options);
    case Format::jsonl:
      return parse_jsonl(as_text(bytes), file, options.max_rows);
    case Format::text:
    case Format::automatic:
      break;
  }
  return parse_text(as_text(bytes), file, options.max_rows);
}

class Descriptor {
 public:
  explicit Descriptor(const Path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw posix::io_error("open", path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(descriptor_); }
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

VectorTable read_stream(int descriptor, const Path& path, std::string_view file, const ReadOptions& options) {
  const std::vector<std::byte> bytes = read_all(descriptor, file);
  const Format format = options.format == Format::automatic ? detect_format(path, bytes) : options.format;
  return parse(bytes, format, file, options);
}

VectorTable read_any(const Path& path, const ReadOptions& options) {
  if (path == "-") return read_stream(STDIN_FILENO, path, "standard input", options);
  const std::string& file = path.native();
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  // A pipe, as the shell makes for <(zcat words.gz), cannot be mapped.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    return read_stream(Descriptor(path).get(), path, file, options);
  }
  const MappedFile mapped(path);
  const Format format = options.format == Format::automatic ? detect_format(path, mapped.bytes()) : options.format;
  if (format == Format::hdf5) return read_hdf5(path, options);
  mapped.will_read();
  return parse(mapped.bytes(), format, file, options);
}

}  // namespace

VectorTable read_vectors(const Path& path, const ReadOptions& options) {
  VectorTable table = read_any(path, options);
  if (table.rows() == 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} holds no vectors", path == "-" ? "standard input" : path.native()));
  }
  return table;
}

Format detect_format(const Path& path, Bytes first_bytes) {
  if (const auto known = format_by_extension(path)) return *known;
  return format_by_magic(first_bytes, path == "-" ? "standard input" : path.native());
}

std::vector<std::byte> read_all(int descriptor, std::string_view file) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  for (;;) {
    if (bytes.size() - size < kStep) bytes.resize(std::max(bytes.size() * 2, kStep));
    const ssize_t count = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    stop_if_interrupted(file);  // after the last read too, which it may have come just before
    if (count == 0) break;
    if (count > 0) {
      size += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw posix::io_error("read", Path(file), errno);
    }
  }
  bytes.resize(size);
  return bytes;
}

void stop_if_interrupted(std::string_view file) {
  if (interrupted()) throw Error(ErrorCode::cancelled, fmt::format("interrupted while reading {}", file));
}

std::string describe(const Place& place) {
  return place.line == 0 ? fmt::format("{} row {}", place.file, place.row)
                         : fmt::format("{} line {} (row {})", place.file, place.line, place.row);
}

void refuse_value(const Place& place, std::size_t component, double value, std::string_view shown) {
  std::string what;
  if (std::isnan(value)) {
    what = "NaN";
  } else if (std::isinf(value) && shown.empty()) {
    what = value > 0 ? "Inf" : "-Inf";
  } else {
    what = fmt::format("{}, more than a 32-bit float can hold", shown.empty() ? fmt::format("{}", value) : shown);
  }
  throw Error(ErrorCode::invalid_argument, fmt::format("{}, component {} is {}", describe(place), component, what));
}

void check_finite(Place place, std::size_t dim, std::span<const float> values) {
  // Exponent bits all set. Integers, because -ffast-math would be free to drop a test with isfinite().
  constexpr std::uint32_t kExponent = 0x7f80'0000;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((std::bit_cast<std::uint32_t>(values[i]) & kExponent) != kExponent) continue;
    place.row += i / dim;
    refuse_value(place, i % dim, values[i]);
  }
}

float narrow(double value, const Place& place, std::size_t component) {
  // Halfway between the largest float and the next one there would be: from here on rounding gives infinity.
  constexpr double kLimit = 0x1.ffffffp127;
  if (!(std::abs(value) < kLimit)) refuse_value(place, component, value);
  return static_cast<float>(value);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  const bool cut = text.size() > kShown;
  if (cut) {
    text = text.substr(0, kShown);
    // Not in the middle of a character: back to its first byte.
    std::size_t start = text.size();
    while (start > 0 && (static_cast<unsigned char>(text[start - 1]) & 0xC0) == 0x80) --start;
    if (start > 0 && static_cast<unsigned char>(text[start - 1]) >= 0xC0) text = text.substr(0, start - 1);
  }
  return fmt::format("\"{}{}\"", printable(text), cut ? "…" : "");
}

}  // namespace boon::cli
