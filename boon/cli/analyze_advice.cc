#include "boon/cli/analyze_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "boon/cli/terminal.h"
#include "boon/codec/codec.h"
#include "boon/graph/options.h"
#include "boon/index/code_choice.h"

namespace boon::cli {
namespace {

// Lengths that differ by less, of their mean, hardly move distances.
constexpr double kAlike = 0.01;
// In a smaller set the ten nearest are most of it, by any metric.
constexpr std::size_t kRowsForAgreement = 100;

std::string reason(const geometry::Components& components) {
  if (components.bytes) return "the components are whole numbers from 0 to 255, as those of pixels and SIFT are";
  if (components.zeros > 0) return "there are vectors of zeros, which have no direction";
  if (components.norms.sd < kAlike * components.norms.mean)
    return "all vectors are about as long, so it hardly matters which";
  return fmt::format(
      "lengths differ by {:.0f}% of their mean, and in embeddings the direction carries the meaning; take l2 where the "
      "length does too, ip where the model says so",
      100 * components.norms.sd / components.norms.mean);
}

}  // namespace

MetricAdvice advise_metric(const geometry::Components& components, const geometry::Agreement& agreement,
                           std::string_view of_file) {
  MetricAdvice advice{.metric = Metric::cosine, .why = "the file says so"};
  if (!of_file.empty()) {
    advice.metric = parse_metric(of_file);
  } else {
    if (components.bytes || components.zeros > 0) advice.metric = Metric::l2;
    advice.why = reason(components);
  }
  if (advice.metric == Metric::cosine && components.zeros > 0) {
    advice.why += fmt::format(", but an index refuses vectors of zeros there, of which there are {}",
                              format_count(components.zeros));
  }
  if (agreement.points >= kRowsForAgreement) {
    advice.why += fmt::format("; l2 and cosine share {:.0f}% of the 10 nearest", 100 * agreement.share);
  }
  return advice;
}

CodesAdvice advise_codes(const geometry::Analysis& analysis, Metric metric) {
  if (analysis.components.bytes && metric == Metric::l2) {
    return {"u8", analysis.dim, "a byte holds each component without loss, and walks read those"};
  }
  if (analysis.rows < index::kCodesFrom) {
    return {.why = fmt::format("among fewer than {} vectors walks are short, and codes not worth their memory",
                               format_count(index::kCodesFrom))};
  }
  if (analysis.codecs.empty()) return {.why = "the sample is too small, or the vectors too long, to try codes"};
  const std::size_t vector_bytes = analysis.dim * sizeof(float);
  bool tried = false;
  for (const auto code : {geometry::TrialCode::nvfp4, geometry::TrialCode::int8}) {
    const auto trial = std::ranges::find(analysis.codecs, code, &geometry::CodecTrial::code);
    if (trial == analysis.codecs.end()) continue;
    const std::string codec(name(code));
    const std::size_t bytes = codec::make_codec({.name = codec, .dim = analysis.dim, .centre = {}})->record_bytes();
    if (bytes * 2 > vector_bytes) continue;
    tried = true;
    if (trial->plain.among_twenty < index::kCodesEnough) continue;
    return {
        codec, bytes,
        fmt::format("for walks: {} bytes in place of {}, and {:.1f}% of the 10 nearest are among the first 20 by code",
                    bytes, vector_bytes, 100 * trial->plain.among_twenty)};
  }
  if (!tried) return {.why = "the vectors are hardly longer than codes of them"};
  return {.why = fmt::format("neither nvfp4 nor int8 has {:.0f}% of the 10 nearest among its first 20",
                             100 * index::kCodesEnough)};
}

NeighboursAdvice advise_neighbours(const geometry::Analysis& analysis) {
  // An M that found 99% of the ten nearest of 20,000 vectors with at most 5% more distances than the best M did, for
  // sets of 4 to 25 dimensions, and grows with the dimension; docs/notes/geometry.md has the table. 24 lies between 16
  // and 32.
  constexpr std::array<std::size_t, 5> kSteps{8, 12, 16, 24, 32};
  constexpr std::array<double, 4> kDimensions{6, 10, 18, 22};
  const auto& seen = analysis.maximum_likelihood ? analysis.maximum_likelihood : analysis.two_nearest;
  if (!seen) return {graph::HnswOptions{}.neighbours, "the default, as no dimension could be measured"};
  const double dimension = seen->dimension.value;
  const auto step = std::ranges::upper_bound(kDimensions, dimension) - kDimensions.begin();
  return {kSteps[static_cast<std::size_t>(step)],
          fmt::format("about {:.0f} dimensions around a vector; the more there are, the more links pay", dimension)};
}

}  // namespace boon::cli
