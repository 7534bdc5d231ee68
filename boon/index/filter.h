// Which ids a search may answer with. A function must not call the index that is being searched: it holds a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace boon {

class Filter {
 public:
  // Every id.
  Filter() = default;

  // Ids for which the function holds. It is called from the searching threads, on the ids that a search meets, and must
  // not change its mind or throw. Whether few ids match is estimated from a sample.
  static Filter where(std::function<bool(std::uint64_t id)> allows) {
    Filter filter;
    filter.allows_ = std::move(allows);
    return filter;
  }
  // These ids; those not in the index do no harm.
  static Filter only(std::span<const std::uint64_t> ids) {
    Filter filter;
    filter.ids_ = std::make_shared<const std::vector<std::uint64_t>>(ids.begin(), ids.end());
    return filter;
  }
  // Ids whose bit is set: bit id % 64 of words[id / 64]. The words are borrowed for the time of the search.
  static Filter bitmap(std::span<const std::uint64_t> words) {
    return where(
        [words](std::uint64_t id) { return id / 64 < words.size() && ((words[id / 64] >> (id % 64)) & 1) != 0; });
  }

  bool everything() const noexcept { return !allows_ && ids_ == nullptr; }
  const std::function<bool(std::uint64_t)>& predicate() const noexcept { return allows_; }
  // Null unless made by only().
  const std::vector<std::uint64_t>* ids() const noexcept { return ids_.get(); }

 private:
  std::function<bool(std::uint64_t)> allows_;
  std::shared_ptr<const std::vector<std::uint64_t>> ids_;
};

}  // namespace boon
