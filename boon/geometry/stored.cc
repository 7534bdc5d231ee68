#include "boon/geometry/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "boon/core/error.h"

namespace boon::geometry {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr char kMagic[8] = {'b', 'o', 'o', 'n', 'g', 'e', 'o', '\0'};

struct Head {
  char magic[8];
  std::uint32_t version;
  std::uint32_t kind;
  std::uint64_t size;  // of all, head and checksum too
};
static_assert(sizeof(Head) == 24);

constexpr std::size_t kLeast = sizeof(Head) + sizeof(std::uint64_t);

Head read_head(Bytes bytes) {
  if (bytes.size() < kLeast) {
    throw Error(ErrorCode::corrupted, fmt::format("{} bytes are too few for a stored transform", bytes.size()));
  }
  Head head;
  std::memcpy(&head, bytes.data(), sizeof(Head));
  if (std::memcmp(head.magic, kMagic, sizeof(kMagic)) != 0) {
    throw Error(ErrorCode::corrupted, "the bytes are no stored transform: they do not begin as one");
  }
  if (head.version > kStoredVersion) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the stored transform has format {} and was written by a newer boon; this one reads up to {}",
                    head.version, kStoredVersion));
  }
  if (head.version == 0 || name(static_cast<StoredKind>(head.kind)).empty()) {
    throw Error(ErrorCode::corrupted,
                fmt::format("the stored transform is damaged: format {}, kind {}", head.version, head.kind));
  }
  return head;
}

template <class T>
std::vector<T> finite(const std::byte* from, std::size_t count, const StoredReader& reader) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
  if (!std::ranges::all_of(values, [](T x) { return std::isfinite(x); })) reader.damaged("a number is not finite");
  return values;
}

}  // namespace

std::string_view name(StoredKind kind) noexcept {
  switch (kind) {
    case StoredKind::rotation:
      return "rotation";
    case StoredKind::projection:
      return "projection";
    case StoredKind::centring:
      return "centring";
    case StoredKind::pca:
      return "pca";
    case StoredKind::sketch:
      return "sketch";
  }
  return "";
}

StoredKind stored_kind(Bytes bytes) {
  return static_cast<StoredKind>(read_head(bytes).kind);
}

StoredWriter::StoredWriter(StoredKind kind) : bytes_(sizeof(Head)) {
  Head head{.magic = {}, .version = kStoredVersion, .kind = static_cast<std::uint32_t>(kind), .size = 0};
  std::memcpy(head.magic, kMagic, sizeof(kMagic));
  std::memcpy(bytes_.data(), &head, sizeof(Head));
}

std::vector<std::byte> StoredWriter::finish() {
  const std::uint64_t size = bytes_.size() + sizeof(std::uint64_t);
  std::memcpy(bytes_.data() + offsetof(Head, size), &size, sizeof(size));
  put(xxh3(bytes_));
  return std::move(bytes_);
}

StoredReader::StoredReader(Bytes bytes, StoredKind kind) : kind_(kind) {
  const Head head = read_head(bytes);
  if (static_cast<StoredKind>(head.kind) != kind) {
    throw Error(ErrorCode::corrupted,
                fmt::format("the bytes hold a {}, not a {}", name(static_cast<StoredKind>(head.kind)), name(kind)));
  }
  if (head.size != bytes.size()) {
    damaged(fmt::format("it has {} bytes and should have {}", bytes.size(), head.size));
  }
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + end, sizeof(checksum));
  if (checksum != xxh3(bytes.first(end))) damaged("its checksum is wrong");
  rest_ = bytes.subspan(sizeof(Head), end - sizeof(Head));
}

void StoredReader::damaged(std::string_view what) const {
  throw Error(ErrorCode::corrupted, fmt::format("the stored {} is damaged: {}", name(kind_), what));
}

const std::byte* StoredReader::take(std::uint64_t count, std::size_t size) {
  if (count > rest_.size() / size) damaged("it is too short for what it says it holds");
  const std::byte* from = rest_.data();
  rest_ = rest_.subspan(count * size);
  return from;
}

std::vector<float> StoredReader::get_floats(std::uint64_t count) {
  return finite<float>(take(count, sizeof(float)), count, *this);
}

std::vector<double> StoredReader::get_doubles(std::uint64_t count) {
  return finite<double>(take(count, sizeof(double)), count, *this);
}

void StoredReader::finish() const {
  if (!rest_.empty()) damaged(fmt::format("{} bytes are left over", rest_.size()));
}

}  // namespace boon::geometry
