#include "boon/cli/search_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {

std::vector<float> parse_vector(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\n[]";
  std::vector<float> result;
  for (;;) {
    const std::size_t start = text.find_first_not_of(kBetween);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::string_view token = text.substr(0, text.find_first_of(kBetween));
    float value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size() || !std::isfinite(value)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--vector, component {}: {} is not a number that a float holds", result.size(),
                              in_quotes(token)));
    }
    result.push_back(value);
    text.remove_prefix(token.size());
  }
  return result;
}

Query combine(const NamedIndex& opened, const std::vector<Id>& plus, const std::vector<Id>& minus) {
  // In double, so that words that cancel out do so exactly or nearly.
  std::vector<double> sum(opened.index.dim());
  double largest = 0;
  const auto add = [&](Id id, double sign) {
    const std::vector<float> vector = opened.index.get(id);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += sign * static_cast<double>(vector[i]);
      largest = std::max(largest, std::abs(static_cast<double>(vector[i])));
    }
  };
  for (const Id id : plus) add(id, 1);
  for (const Id id : minus) add(id, -1);

  Query query{.vector = {sum.begin(), sum.end()}, .given = plus};
  query.given.insert(query.given.end(), minus.begin(), minus.end());
  // What rounding alone leaves of a float.
  constexpr double kRounding = 0x1p-20;
  const bool nothing = std::ranges::all_of(sum, [&](double x) { return std::abs(x) <= largest * kRounding; });
  if (nothing && opened.index.metric() == Metric::cosine) {
    throw Error(ErrorCode::invalid_argument, "the words cancel out: nothing is left to search for");
  }
  return query;
}

std::vector<Match> answer(const Index& index, const Query& query, std::size_t k, const SearchOptions& options,
                          graph::SearchStatistics& statistics) {
  // As many more as may have to be left out.
  const std::size_t live = index.size();
  const std::size_t wanted = k >= live ? live : std::min(live, k + query.given.size());
  if (wanted == 0) return {};
  std::vector<Match> matches = index.search(query.vector, wanted, options, &statistics);
  std::erase_if(matches,
                [&](const Match& match) { return std::ranges::find(query.given, match.id) != query.given.end(); });
  if (matches.size() > k) matches.resize(k);
  return matches;
}

}  // namespace boon::cli
