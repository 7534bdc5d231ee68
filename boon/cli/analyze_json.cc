#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "boon/cli/analyze_report.h"
#include "boon/geometry/ball.h"
#include "boon/geometry/projection.h"

namespace boon::cli {
namespace {

using geometry::Analysis;
using geometry::Estimate;

Json to_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json to_json(const std::optional<geometry::IntrinsicDimension>& found) {
  if (!found) return nullptr;
  Json json = to_json(found->dimension);
  json["points"] = found->points;
  return json;
}

Json to_json(const geometry::Spread& spread) {
  return {{"mean", spread.mean}, {"sd", spread.sd}, {"min", spread.min}, {"max", spread.max}};
}

Json to_json(const geometry::CodecRanking& ranking) {
  return {
      {"recall_at_10", ranking.recall}, {"among_20", ranking.among_twenty}, {"candidates_for_99", ranking.candidates}};
}

// The formulas of boon/geometry/ball.h beside the bounds by exponentials that are quoted for them.
Json ball(std::size_t dim) {
  const double width = geometry::equator_width(dim), infinite = 1e300;
  return {{"volume", geometry::ball_volume(dim)},
          {"half_shell", geometry::half_shell_depth(dim)},
          {"half_shell_bound", geometry::half_shell_bound(dim)},
          {"equator_width", width},
          {"equator_of_ball", geometry::ball_slab_mass(dim, width)},
          {"equator_of_sphere", geometry::sphere_slab_mass(dim, width)},
          {"equator_bound", geometry::slab_mass_bound(dim, width)},
          {"near_orthogonal_at_0.3", std::min(geometry::near_orthogonal_count(dim, 0.3), infinite)}};
}

Json to_json(const geometry::Cosines& cosines) {
  return {{"pairs", cosines.pairs},
          {"mean", to_json(cosines.mean)},
          {"sd", cosines.sd},
          {"min", cosines.min},
          {"max", cosines.max},
          {"expected_sd", cosines.expected_sd},
          {"effective_dim", cosines.effective_dim},
          {"gap", cosines.gap},
          {"histogram", cosines.histogram}};
}

Json quantiles(const std::vector<double>& sorted) {
  if (sorted.empty()) return nullptr;
  Json json = Json::object();
  for (const double q : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0}) {
    json[fmt::format("{:g}", q)] = geometry::quantile(sorted, q);
  }
  return json;
}

}  // namespace

Json to_json(const AnalysisReport& report) {
  const Analysis& analysis = report.analysis;
  const geometry::Components& components = analysis.components;
  Json projections = Json::array(), codecs = Json::array(), safe = Json::object();
  for (const geometry::Distortion& projection : analysis.projections) {
    projections.push_back({{"target", projection.target},
                           {"pairs", projection.pairs},
                           {"ratio", to_json(projection.ratio)},
                           {"worst", projection.worst},
                           {"expected_sd", projection.expected_sd},
                           {"bound", projection.bound < 1 ? Json(projection.bound) : Json(nullptr)}});
  }
  for (const double eps : {0.1, 0.2, 0.3, 0.5}) {
    safe[fmt::format("{:g}", eps)] =
        geometry::johnson_lindenstrauss_dim(std::max<std::size_t>(analysis.different, 1), eps);
  }
  for (const geometry::CodecTrial& trial : analysis.codecs) {
    codecs.push_back({{"code", name(trial.code)},
                      {"bits", trial.bits},
                      {"plain", to_json(trial.plain)},
                      {"rotated", to_json(trial.rotated)}});
  }
  return {{"file", report.name},
          {"rows", analysis.rows},
          {"dim", analysis.dim},
          {"metric", name(report.metric)},
          {"sample", analysis.sample},
          {"seed", report.seed},
          {"copies", analysis.copies},
          {"different", analysis.different},
          {"l2_cosine_agreement", report.agreement.points > 0 ? Json(report.agreement.share) : Json(nullptr)},
          {"components",
           {{"norms", to_json(components.norms)},
            {"zero_rows", components.zeros},
            {"min", components.min},
            {"max", components.max},
            {"zero_share", components.zero_share},
            {"bytes", components.bytes},
            {"constant_columns", components.constants},
            {"largest_column", components.largest_column}}},
          {"cosines", to_json(analysis.cosines)},
          {"centred_cosines", to_json(analysis.centred_cosines)},
          {"concentration",
           {{"points", analysis.concentration.points},
            {"mean", analysis.concentration.mean},
            {"contrast", to_json(analysis.concentration.contrast)},
            {"mean_to_nearest", to_json(analysis.concentration.mean_to_nearest)},
            {"sd_to_mean", analysis.concentration.sd_to_mean}}},
          {"hubness",
           {{"k", analysis.hub_k},
            {"skewness", to_json(analysis.hubness.skewness)},
            {"never", analysis.hubness.never},
            {"top_share", analysis.hubness.top_share},
            {"largest", analysis.hubness.largest}}},
          {"nearest", quantiles(analysis.nearest)},
          {"tenth", quantiles(analysis.tenth)},
          {"dimension",
           {{"spread", analysis.spread_dim},
            {"maximum_likelihood", to_json(analysis.maximum_likelihood)},
            {"two_nearest", to_json(analysis.two_nearest)}}},
          {"ball", ball(analysis.dim)},
          {"projections", projections},
          {"johnson_lindenstrauss_dim", safe},
          {"codes", codecs},
          {"advice",
           {{"metric", name(report.advised_metric.metric)},
            {"metric_why", report.advised_metric.why},
            {"codes", report.codes.codes},
            {"record_bytes", report.codes.record_bytes},
            {"codes_why", report.codes.why},
            {"neighbours", report.neighbours.neighbours},
            {"neighbours_why", report.neighbours.why},
            {"command", report.command}}}};
}

}  // namespace boon::cli
