// Names for ids: the word of each row, kept in the index file as the attachment "names".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "boon/core/bytes.h"

namespace boon::cli {

// A table from ids, counted from 0, to names and back. A name is never empty; an id without one is free.
class Names {
 public:
  using Id = std::uint64_t;

  // Reads what serialise() wrote: u64 count, u32 offsets[count + 1] into the bytes that follow; little-endian.
  // Throws corrupted unless every byte is accounted for.
  static Names parse(Bytes bytes);
  // Throws invalid_argument when the names together pass 4 GiB.
  std::vector<std::byte> serialise() const;

  // Ids below this may have names.
  std::size_t size() const noexcept { return names_.size(); }
  // Empty if the id has none.
  std::string_view of(Id id) const noexcept;
  // Looks at every name; by_name() is for many.
  std::optional<Id> find(std::string_view name) const noexcept;
  // The views die with the next change.
  std::unordered_map<std::string_view, Id> by_name() const;
  // Ids without a name, the smallest first.
  std::vector<Id> free_ids() const;
  // Up to three names spelt almost like this one, the likeliest first.
  std::vector<std::string> close_to(std::string_view name) const;

  // id <= size(); at size() the table grows by one.
  void set(Id id, std::string name);
  void erase(Id id) noexcept;

 private:
  std::vector<std::string> names_;
};

}  // namespace boon::cli
