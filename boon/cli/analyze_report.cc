#include "boon/cli/analyze_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "boon/cli/terminal.h"
#include "boon/geometry/ball.h"
#include "boon/geometry/projection.h"

namespace boon::cli {
namespace {

using geometry::Analysis;
using geometry::Estimate;

std::string number(double value) {
  return std::abs(value) >= 1e6 ? fmt::format("{:.2e}", value) : fmt::format("{:.3g}", value);
}

std::string interval(const Estimate& estimate) {
  return fmt::format("{} [{}, {}]", number(estimate.value), number(estimate.low), number(estimate.high));
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

// Lines of a name, a value and its meaning, under headings. A long meaning goes on below.
class Page {
 public:
  void heading(const std::string& text) { text_ += fmt::format("\n{}\n", text); }
  void line(const std::string& name, const std::string& value, const std::string& meaning) {
    text_ += fmt::format("  {:<21} {:<22}", name, value);
    std::size_t column = kMeaning;
    for (std::size_t begin = 0; begin < meaning.size();) {
      const std::size_t end = std::min(meaning.find(' ', begin), meaning.size());
      if (column > kMeaning && column + 1 + (end - begin) > kWidth) {
        text_ += '\n' + std::string(kMeaning, ' ');
        column = kMeaning;
      }
      text_ += ' ' + meaning.substr(begin, end - begin);
      column += 1 + end - begin;
      begin = end + 1;
    }
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  void plain(const std::string& text) { text_ += text + '\n'; }
  std::string text() && { return std::move(text_); }

 private:
  static constexpr std::size_t kMeaning = 46, kWidth = 118;
  std::string text_;
};

void add_vectors(Page& page, const Analysis& analysis) {
  const geometry::Components& components = analysis.components;
  page.heading("The vectors");
  page.line("copies", format_count(analysis.copies), "rows that equal one before them; looked at once");
  page.line("lengths", fmt::format("{} +- {}", number(components.norms.mean), number(components.norms.sd)),
            fmt::format("from {} to {}{}", number(components.norms.min), number(components.norms.max),
                        components.zeros == 0 ? "" : fmt::format("; {} are zero", format_count(components.zeros))));
  page.line("components", fmt::format("{} to {}", number(components.min), number(components.max)),
            components.bytes ? "all whole numbers from 0 to 255"
                             : fmt::format("{} of them are 0", percent(components.zero_share)));
  page.line("uneven columns", percent(components.largest_column),
            fmt::format("of all variance is in one of {} columns{}", analysis.dim,
                        components.constants == 0
                            ? ""
                            : fmt::format("; {} columns never change", format_count(components.constants))));
}

void add_directions(Page& page, const Analysis& analysis) {
  const geometry::Cosines& cosines = analysis.cosines;
  page.heading("Directions");
  if (cosines.pairs == 0) return page.line("cosines", "none", "there is no pair of vectors with a direction");
  page.line("mean cosine", interval(cosines.mean), "of random pairs; 0 if directions were random");
  page.line("spread of cosines", number(cosines.sd),
            fmt::format("standard deviation; {} if directions were random: 1 / sqrt({})", number(cosines.expected_sd),
                        analysis.dim));
  page.line("least and most", fmt::format("{} to {}", number(cosines.min), number(cosines.max)),
            fmt::format("of {} pairs", format_count(cosines.pairs)));
  page.line("like a sphere in", number(cosines.effective_dim),
            "dimensions, where random directions have such cosines: 1 / mean cos^2");
  if (analysis.centred_cosines.pairs > 0) {
    page.line("less the mean", number(analysis.centred_cosines.effective_dim),
              "the same once the mean is taken away, which all have in common");
  }
}

std::string contrast_means(double ratio) {
  if (ratio < 1.5) return "nearest and farthest hardly differ: search is hard, and recall costs";
  return ratio < 2.5 ? "the nearest stand out a little" : "the nearest stand out clearly";
}

void add_distances(Page& page, const Analysis& analysis, Metric metric) {
  const geometry::Concentration& concentration = analysis.concentration;
  page.heading("Distances");
  if (concentration.points == 0) return page.line("distances", "none", "no two rows of the sample are apart");
  if (!analysis.nearest.empty() && !analysis.tenth.empty()) {
    page.line("to the nearest", number(geometry::quantile(analysis.nearest, 0.5)),
              fmt::format("the median; to the tenth {}, to any row {}", number(geometry::quantile(analysis.tenth, 0.5)),
                          number(concentration.mean)));
  }
  page.line("mean over nearest", interval(concentration.mean_to_nearest),
            contrast_means(concentration.mean_to_nearest.value));
  page.line("contrast", interval(concentration.contrast), "(farthest - nearest) / nearest, within the sample");
  const auto dim = static_cast<double>(analysis.dim);
  page.line("spread over mean", number(concentration.sd_to_mean),
            metric == Metric::cosine ? fmt::format("{} for random directions: 1 / (2 sqrt({}))",
                                                   number(1 / (2 * std::sqrt(dim))), analysis.dim)
                                     : fmt::format("{} for independent normal components: 1 / sqrt(2 x {})",
                                                   number(1 / std::sqrt(2 * dim)), analysis.dim));
  const double skewness = analysis.hubness.skewness.value;
  page.line("hubs", interval(analysis.hubness.skewness),
            skewness < 1 ? "skewness of how often a row is near to others: few hubs"
                         : "skewness of how often a row is near to others: a few are near to many");
  page.line("in no list", percent(analysis.hubness.never),
            fmt::format("of rows are in no list of {} nearest; the largest hub is in {}", analysis.hub_k,
                        format_count(analysis.hubness.largest)));
}

void add_dimension(Page& page, const Analysis& analysis) {
  page.heading("Dimension");
  page.line("of the space", format_count(analysis.dim), "");
  const auto line = [&](const char* name, const auto& found, const char* meaning) {
    page.line(name, found ? interval(found->dimension) : "none to be seen", meaning);
  };
  if (analysis.spread_dim > 0) {
    page.line("of the spread", number(analysis.spread_dim), "directions that share the variance");
  }
  line("of the surroundings", analysis.maximum_likelihood, "by maximum likelihood from 10 neighbours");
  line("of the nearest two", analysis.two_nearest, "by the ratio of their distances, at the smallest scale");
}

void add_projections(Page& page, const Analysis& analysis) {
  if (analysis.projections.empty() || analysis.projections[0].pairs == 0) return;
  page.heading(fmt::format("Random projections: how squared distances of {} pairs change",
                           format_count(analysis.projections[0].pairs)));
  for (const geometry::Distortion& projection : analysis.projections) {
    page.line(fmt::format("to {} dimension{}", format_count(projection.target), projection.target == 1 ? "" : "s"),
              fmt::format("+- {}", percent(projection.ratio.sd)),
              fmt::format("{} by theory; {} at worst; {}", percent(projection.expected_sd), percent(projection.worst),
                          projection.bound < 1 ? fmt::format("by the lemma at most {}", percent(projection.bound))
                                               : "too few for the lemma"));
  }
  const std::size_t safe = geometry::johnson_lindenstrauss_dim(analysis.different, geometry::kSafeError) + 1;
  if (safe > analysis.dim) {
    page.line("", "",
              fmt::format("keeping all pairs within {:.0f}% takes more dimensions than there are",
                          100 * geometry::kSafeError));
  }
}

void add_ball(Page& page, std::size_t dim) {
  const double width = geometry::equator_width(dim);
  page.heading(fmt::format("A ball of {} dimension{}, for comparison", format_count(dim), dim == 1 ? "" : "s"));
  page.line("shell", number(geometry::half_shell_depth(dim)),
            fmt::format("deep holds half of the volume; by (1 - e)^d <= e^-de it is {}",
                        number(geometry::half_shell_bound(dim))));
  page.line("equator of the ball", percent(geometry::ball_slab_mass(dim, width)),
            fmt::format("of the volume has |x| <= {}; by slices of e^(-(d-1)x^2/2) {}", number(width),
                        percent(geometry::slab_mass_bound(dim, width))));
  page.line("of its surface", percent(geometry::sphere_slab_mass(dim, width)),
            fmt::format("of directions have a cosine of at most {} with a given one", number(width)));
  page.line("room", number(std::min(geometry::near_orthogonal_count(dim, 0.3), 1e300)),
            "random directions, until two have a cosine beyond 0.3");
}

void add_codes(Page& page, const Analysis& analysis) {
  if (analysis.codecs.empty()) return;
  page.heading("Codes: how many of the 10 nearest of the sample are the first 10 by code");
  for (const geometry::CodecTrial& trial : analysis.codecs) {
    page.line(std::string(name(trial.code)), fmt::format("{:.2f}", 10 * trial.plain.recall),
              fmt::format("by {:g} bit{} a component, {} candidates hold 99%; rotated {:.2f} and {}", trial.bits,
                          trial.bits == 1 ? "" : "s", format_count(trial.plain.candidates), 10 * trial.rotated.recall,
                          format_count(trial.rotated.candidates)));
  }
}

void add_advice(Page& page, const AnalysisReport& report) {
  page.heading("Advice");
  page.line("metric", std::string(name(report.advised_metric.metric)), report.advised_metric.why);
  page.line("codes", report.codes.codes, report.codes.why);
  page.line("neighbours (M)", std::to_string(report.neighbours.neighbours), report.neighbours.why);
  if (!report.command.empty()) page.plain("\n  " + printable(report.command));
}

}  // namespace

std::string to_text(const AnalysisReport& report) {
  const Analysis& analysis = report.analysis;
  Page page;
  page.plain(fmt::format("{}: {} vector{} of {} dimension{}, compared by {}", printable(report.name),
                         format_count(analysis.rows), analysis.rows == 1 ? "" : "s", format_count(analysis.dim),
                         analysis.dim == 1 ? "" : "s", name(report.metric)));
  page.plain(fmt::format("neighbours of {} rows, seed {}; in brackets are 95% intervals", format_count(analysis.sample),
                         report.seed));
  add_vectors(page, analysis);
  add_directions(page, analysis);
  add_distances(page, analysis, report.metric);
  add_dimension(page, analysis);
  add_ball(page, analysis.dim);
  add_projections(page, analysis);
  add_codes(page, analysis);
  add_advice(page, report);
  return std::move(page).text();
}

}  // namespace boon::cli
