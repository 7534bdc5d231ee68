#include "boon/index/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "boon/core/check.h"
#include "boon/core/error.h"

namespace boon::index {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian and is read in place");

constexpr char kMagic[8] = {'b', 'o', 'o', 'n', 'i', 'd', 'x', '\0'};
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSectionsMax = 64;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t file_size;
  std::uint64_t checksum;  // XXH3 of header and table, with this field zero
};
static_assert(sizeof(Header) == 32);

struct TableEntry {
  char name[kSectionNameMax + 1];  // ended and filled up by zeros
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t checksum;
};
static_assert(sizeof(TableEntry) == 40);

std::uint64_t head_checksum(Header header, const TableEntry* table, std::size_t count) {
  header.checksum = 0;
  std::vector<std::byte> bytes(sizeof(Header) + count * sizeof(TableEntry));
  std::memcpy(bytes.data(), &header, sizeof(Header));
  if (count > 0) std::memcpy(bytes.data() + sizeof(Header), table, count * sizeof(TableEntry));
  return xxh3(bytes);
}

template <class... Arguments>
[[noreturn]] void corrupted(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw Error(ErrorCode::corrupted, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace

void write_container(const Path& path, std::uint32_t version, const std::vector<Section>& sections) {
  BOON_CHECK(sections.size() <= kSectionsMax);
  std::vector<TableEntry> table(sections.size());
  std::uint64_t offset = sizeof(Header) + sections.size() * sizeof(TableEntry);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    BOON_CHECK(sections[i].name.size() <= kSectionNameMax);
    offset = align_up(offset, kAlignment);
    sections[i].name.copy(table[i].name, kSectionNameMax);
    table[i].offset = offset;
    table[i].size = sections[i].bytes.size();
    table[i].checksum = xxh3(sections[i].bytes);
    offset += sections[i].bytes.size();
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = version;
  header.sections = static_cast<std::uint32_t>(sections.size());
  header.file_size = offset;
  header.checksum = head_checksum(header, table.data(), table.size());

  AtomicFile file(path);
  file.write(as_bytes(&header, 1));
  file.write(as_bytes(table.data(), table.size()));
  constexpr std::byte kZeros[kAlignment] = {};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    file.write(Bytes(kZeros, table[i].offset - file.size()));
    file.write(sections[i].bytes);
  }
  BOON_CHECK(file.size() == header.file_size);
  file.commit();
}

Container read_container(Bytes file, std::string_view name) {
  if (file.empty()) corrupted("{} is empty", name);
  const std::size_t compared = std::min(file.size(), sizeof(kMagic));
  if (std::memcmp(file.data(), kMagic, compared) != 0) {
    corrupted("{} is not a boon index: it does not begin as one", name);
  }
  Header header{};
  if (file.size() < sizeof(Header)) corrupted("{} is cut short: {} bytes are not even a header", name, file.size());
  std::memcpy(&header, file.data(), sizeof(Header));
  if (header.version > kFormatVersion) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} has format {} and was written by a newer boon; this one reads up to {}", name,
                            header.version, kFormatVersion));
  }
  if (header.version == 0) corrupted("{} is damaged: format 0", name);
  if (header.file_size != file.size()) {
    corrupted("{} is {}: it has {} bytes and should have {}", name,
              file.size() < header.file_size ? "cut short" : "too long", file.size(), header.file_size);
  }
  if (header.sections > kSectionsMax || sizeof(Header) + header.sections * sizeof(TableEntry) > file.size()) {
    corrupted("{} is damaged: {} sections", name, header.sections);
  }
  std::vector<TableEntry> table(header.sections);
  if (!table.empty()) std::memcpy(table.data(), file.data() + sizeof(Header), table.size() * sizeof(TableEntry));
  if (head_checksum(header, table.data(), table.size()) != header.checksum) {
    corrupted("{} is damaged: the checksum of its header is wrong", name);
  }

  Container container{header.version, {}};
  for (const TableEntry& entry : table) {
    const std::size_t length = strnlen(entry.name, sizeof(entry.name));
    const bool inside = entry.offset <= file.size() && entry.size <= file.size() - entry.offset;
    if (length == 0 || length > kSectionNameMax || !inside || entry.offset % kAlignment != 0) {
      corrupted("{} is damaged: a section lies outside of it", name);
    }
    container.sections.push_back(
        {std::string(entry.name, length), file.subspan(entry.offset, entry.size), entry.checksum});
  }
  return container;
}

void verify(const Section& section, std::string_view file_name) {
  if (xxh3(section.bytes) != section.checksum) {
    corrupted("{} is damaged: the checksum of its section \"{}\" is wrong", file_name, section.name);
  }
}

}  // namespace boon::index
