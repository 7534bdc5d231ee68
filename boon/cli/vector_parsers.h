// The parsers behind read_vectors(): bytes in, a table out. `file` is only for messages; `max_rows` 0 means all.
// No parser allocates by a number that it read before the bytes at hand are known to support that number.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "boon/cli/vectors.h"
#include "boon/core/bytes.h"

namespace boon::cli {

VectorTable parse_npy(Bytes bytes, std::string_view file, std::size_t max_rows = 0);
// `format` is fvecs, bvecs or ivecs.
VectorTable parse_vecs(Bytes bytes, Format format, std::string_view file, std::size_t max_rows = 0);
VectorTable parse_text(std::string_view text, std::string_view file, std::size_t max_rows = 0);
VectorTable parse_jsonl(std::string_view text, std::string_view file, std::size_t max_rows = 0);

// HDF5 is opened by its own library: by path, or from bytes that came through a pipe.
VectorTable read_hdf5(const Path& path, const ReadOptions& options);
VectorTable parse_hdf5(Bytes bytes, std::string_view file, const ReadOptions& options);

// The format of a file, never `automatic`. Throws invalid_argument for compressed files, saying how to unpack them.
Format detect_format(const Path& path, Bytes first_bytes);

// Everything from a descriptor up to its end. Throws io, and cancelled after an interrupt.
std::vector<std::byte> read_all(int descriptor, std::string_view file);

// Throws cancelled after an interrupt.
void stop_if_interrupted(std::string_view file);
// Parsers that take long for a row look for one after so many.
inline constexpr std::size_t kRowsBetweenLooks = 8192;

// A row in a file; `line` is 0 for formats without lines.
struct Place {
  std::string_view file;
  std::size_t row = 0;
  std::size_t line = 0;
};

// "words.txt line 18 (row 17)"
std::string describe(const Place& place);

// Throws invalid_argument: this component is NaN, infinite, or `shown`, which no float can hold.
[[noreturn]] void refuse_value(const Place& place, std::size_t component, double value, std::string_view shown = {});

// Throws through refuse_value() unless every value is finite. `place` is the first row of values.
void check_finite(Place place, std::size_t dim, std::span<const float> values);

// The nearest float. Throws through refuse_value() where there is none.
float narrow(double value, const Place& place, std::size_t component);

// Text in quotes for a message: control characters escaped, cut to a readable length.
std::string in_quotes(std::string_view text);

}  // namespace boon::cli
