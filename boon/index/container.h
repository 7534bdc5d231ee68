// A file of named sections: header, table, then the sections, each on a 64-byte boundary and with its XXH3.
// docs/formats/index.md describes every byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/file.h"

namespace boon::index {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kSectionNameMax = 15;

struct Section {
  std::string name;
  Bytes bytes;
  std::uint64_t checksum = 0;  // as stored; filled in when read
};

// Writes all sections and renames the file into place. Throws io.
void write_container(const Path& path, const std::vector<Section>& sections);

// Finds the sections of a file's bytes, which must outlive the result. Checks the header, the table and that every
// section lies inside; the sections' own checksums are left to verify(). `name` is for messages. Throws corrupted, or
// unsupported for a newer format.
std::vector<Section> read_container(Bytes file, std::string_view name);

// Throws corrupted if the section's bytes have changed.
void verify(const Section& section, std::string_view file_name);

}  // namespace boon::index
