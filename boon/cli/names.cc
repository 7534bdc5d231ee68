#include "boon/cli/names.h"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "boon/cli/spelling.h"
#include "boon/core/check.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "offsets are stored as they lie in memory");

using Count = std::uint64_t;
using Offset = std::uint32_t;

[[noreturn]] void damaged(const char* what) {
  throw Error(ErrorCode::corrupted, std::string("the table of names is damaged: ") + what);
}

// Attachments need not be aligned.
Offset offset_at(Bytes offsets, std::size_t index) noexcept {
  Offset offset = 0;
  std::memcpy(&offset, offsets.data() + index * sizeof offset, sizeof offset);
  return offset;
}

}  // namespace

Names Names::parse(Bytes bytes) {
  Count count = 0;
  if (bytes.size() < sizeof count + sizeof(Offset)) damaged("it is too short");
  std::memcpy(&count, bytes.data(), sizeof count);
  const Bytes rest = bytes.subspan(sizeof count);
  if (count >= rest.size() / sizeof(Offset)) damaged("it has room for fewer names than it claims");
  const Bytes offsets = rest.first((count + 1) * sizeof(Offset));
  const Bytes text = rest.subspan(offsets.size());
  if (offset_at(offsets, 0) != 0 || offset_at(offsets, count) != text.size()) damaged("its ends do not meet");

  Names result;
  result.names_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Offset first = offset_at(offsets, i), last = offset_at(offsets, i + 1);
    if (first > last || last > text.size()) damaged("a name ends before it starts");
    result.names_.emplace_back(reinterpret_cast<const char*>(text.data()) + first, last - first);
  }
  return result;
}

std::vector<std::byte> Names::serialise() const {
  std::vector<Offset> offsets{0};
  offsets.reserve(names_.size() + 1);
  std::size_t end = 0;
  for (const std::string& name : names_) {
    end += name.size();
    if (end > std::numeric_limits<Offset>::max()) {
      throw Error(ErrorCode::invalid_argument, "the names take more than 4 GiB together");
    }
    offsets.push_back(static_cast<Offset>(end));
  }
  const Count count = names_.size();
  std::vector<std::byte> bytes(sizeof count + offsets.size() * sizeof(Offset) + end);
  std::byte* out = bytes.data();
  const auto put = [&](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(out, from, size);
    out += size;
  };
  put(&count, sizeof count);
  put(offsets.data(), offsets.size() * sizeof(Offset));
  for (const std::string& name : names_) put(name.data(), name.size());
  return bytes;
}

std::string_view Names::of(Id id) const noexcept {
  return id < names_.size() ? std::string_view(names_[id]) : std::string_view();
}

std::optional<Names::Id> Names::find(std::string_view name) const noexcept {
  if (name.empty()) return std::nullopt;
  for (Id id = 0; id < names_.size(); ++id) {
    if (names_[id] == name) return id;
  }
  return std::nullopt;
}

std::unordered_map<std::string_view, Names::Id> Names::by_name() const {
  std::unordered_map<std::string_view, Id> result;
  result.reserve(names_.size());
  for (Id id = 0; id < names_.size(); ++id) {
    if (!names_[id].empty()) result.emplace(names_[id], id);
  }
  return result;
}

std::vector<Names::Id> Names::free_ids() const {
  std::vector<Id> result;
  for (Id id = 0; id < names_.size(); ++id) {
    if (names_[id].empty()) result.push_back(id);
  }
  return result;
}

std::vector<std::string> Names::close_to(std::string_view name) const {
  return close_spellings(name, names_);
}

void Names::set(Id id, std::string name) {
  BOON_CHECK(id <= names_.size() && !name.empty());
  if (id == names_.size()) {
    names_.push_back(std::move(name));
  } else {
    names_[id] = std::move(name);
  }
}

void Names::erase(Id id) noexcept {
  if (id < names_.size()) names_[id].clear();
}

}  // namespace boon::cli
