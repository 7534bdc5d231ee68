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

// The newest format that is read.
inline constexpr std::uint32_t kFormatVersion = 5;
inline constexpr std::size_t kSectionNameMax = 15;

struct Section {
  std::string name;
  Bytes bytes;
  std::uint64_t checksum = 0;  // as stored; filled in when read
};

// What a file holds.
struct Container {
  std::uint32_t version = 0;
  std::vector<Section> sections;
};

// Writes all sections as a file of the format `version` and renames it into place. Throws io.
void write_container(const Path& path, std::uint32_t version, const std::vector<Section>& sections);

// Finds the sections of a file's bytes, which must outlive the result. Checks the header, the table and that every
// section lies inside; the sections' own checksums are left to verify(). `name` is for messages. Throws corrupted, or
// unsupported for a newer format.
Container read_container(Bytes file, std::string_view name);

// Throws corrupted if the section's bytes have changed.
void verify(const Section& section, std::string_view file_name);

}  // namespace boon::index
