#include "boon/cli/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "boon/cli/vector_parsers.h"

namespace boon::cli {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  // Row i holds the distances of the first i bytes of `a` to each start of `b`.
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  before_last = last;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j - 1] + (same ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    // Later rows are no smaller than the least of two that follow each other.
    if (std::min(*std::ranges::min_element(row), *std::ranges::min_element(last)) > limit) return limit + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::vector<std::string> close_spellings(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kShown = 3;
  // Messages are for reading, and the cost grows with the square of the length.
  constexpr std::size_t kLongest = 64;
  if (word.empty() || word.size() > kLongest) return {};
  const std::size_t limit = std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::vector<std::pair<std::size_t, const std::string*>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;
    const std::size_t distance = edit_distance(word, candidate, limit);
    if (distance <= limit) near.emplace_back(distance, &candidate);
  }
  std::ranges::stable_sort(near, {}, [](const auto& pair) { return pair.first; });
  if (near.size() > kShown) near.resize(kShown);
  std::vector<std::string> result;
  for (const auto& [distance, spelling] : near) result.push_back(*spelling);
  return result;
}

std::string did_you_mean(std::span<const std::string> spellings) {
  if (spellings.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    if (i > 0) list += i + 1 == spellings.size() ? " or " : ", ";
    list += in_quotes(spellings[i]);
  }
  return fmt::format("; did you mean {}?", list);
}

}  // namespace boon::cli
