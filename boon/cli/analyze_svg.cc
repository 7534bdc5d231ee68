#include "boon/cli/analyze_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "boon/cli/terminal.h"
#include "boon/geometry/ball.h"

namespace boon::cli {
namespace {

// Pixels.
constexpr double kPanelWidth = 420, kPanelHeight = 240, kMargin = 48, kTop = 76, kGap = 64;
constexpr int kTicks = 7;  // at most
constexpr double kSlack = 1e-9;

constexpr const char* kStyle = R"(<style>
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
  .page { fill: #ffffff; }
  .title { font-weight: 600; font-size: 14px; }
  .label { fill: #59636e; }
  .middle { text-anchor: middle; }
  .axis { stroke: #59636e; }
  .bar { fill: #0969da; fill-opacity: 0.45; }
  .bar2 { fill: #bf8700; fill-opacity: 0.40; }
  .curve { fill: none; stroke: #cf222e; stroke-width: 2; }
  .mark { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 5 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .page { fill: #0d1117; }
    .label { fill: #9198a1; }
    .axis { stroke: #9198a1; }
    .bar { fill: #4493f8; }
    .bar2 { fill: #d29922; }
    .curve, .mark { stroke: #f85149; }
  }
</style>
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

// The least of 1, 2 and 5 times a power of ten that is not below.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= step * (1 - kSlack)) return digit * power;
  }
  return 10 * power;
}

// A plot of shares over [low, high].
class Panel {
 public:
  Panel(double left, double low, double high, double top) : left_(left), low_(low), high_(high), top_(top) {}

  double x(double value) const { return left_ + (value - low_) / (high_ - low_) * kPanelWidth; }
  double y(double share) const { return kTop + kPanelHeight * (1 - std::min(share / top_, 1.0)); }

  void text(double dx, double dy, const std::string& kind, const std::string& text) {
    body_ +=
        fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"{}\">{}</text>\n", left_ + dx, dy, kind, escaped(text));
  }
  void bar(double from, double to, double share, const char* kind) {
    if (share <= 0) return;
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", x(from),
                         y(share), std::max(x(to) - x(from) - 0.5, 0.5), kTop + kPanelHeight - y(share), kind);
  }
  void curve(const std::vector<std::pair<double, double>>& points) {
    body_ += "<polyline class=\"curve\" points=\"";
    for (const auto& [value, share] : points) body_ += fmt::format("{:.1f},{:.1f} ", x(value), y(share));
    body_ += "\"/>\n";
  }
  void mark(double value) {
    body_ += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" class=\"mark\"/>\n", x(value), kTop,
                         kTop + kPanelHeight);
  }
  void axis() {
    const double bottom = kTop + kPanelHeight, step = round_step((high_ - low_) / kTicks);
    line(left_, bottom, left_ + kPanelWidth, bottom);
    for (double i = std::ceil(low_ / step - kSlack); i * step <= high_ + kSlack * step; ++i) {
      const double at = x(i * step);
      line(at, bottom, at, bottom + 4);
      text(at - left_, bottom + 18, "label middle", fmt::format("{:.6g}", i * step + 0.0));
    }
  }
  const std::string& body() const { return body_; }

 private:
  void line(double x1, double y1, double x2, double y2) {
    body_ +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"axis\"/>\n", x1, y1, x2, y2);
  }

  double left_, low_, high_, top_;
  std::string body_;
};

std::string cosine_panel(const geometry::Analysis& analysis) {
  using geometry::Cosines;
  constexpr double kWidth = 2.0 / Cosines::kBins;
  const Cosines& cosines = analysis.cosines;
  const double pairs = std::max<double>(1, static_cast<double>(cosines.pairs));
  const double expected = 4 * cosines.expected_sd;
  const double low = std::max(-1.0, std::floor(10 * std::min(cosines.min, -expected)) / 10);
  const double high = std::min(1.0, std::ceil(10 * std::max(cosines.max, expected)) / 10);
  const auto predicted = [&](double c) { return geometry::cosine_density(analysis.dim, c) * kWidth; };
  double top = analysis.dim > 2 ? predicted(0) : 0;
  for (const std::size_t count : cosines.histogram) top = std::max(top, static_cast<double>(count) / pairs);
  Panel panel(kMargin, low, high, 1.05 * std::max(top, 1e-9));
  panel.text(0, kTop - 30, "", fmt::format("cosines of {} random pairs", format_count(cosines.pairs)));
  panel.text(0, kTop - 12, "label", fmt::format("curve: random directions in {} dimensions", analysis.dim));
  for (std::size_t i = 0; i < Cosines::kBins; ++i) {
    const double from = -1 + kWidth * static_cast<double>(i);
    panel.bar(from, from + kWidth, static_cast<double>(cosines.histogram[i]) / pairs, "bar");
  }
  if (analysis.dim > 1) {
    std::vector<std::pair<double, double>> points;
    for (int i = 1; i < 200; ++i) {
      const double c = low + (high - low) * i / 200;
      points.emplace_back(c, predicted(c));
    }
    panel.curve(points);
  }
  panel.axis();
  return panel.body();
}

std::string distance_panel(const geometry::Analysis& analysis) {
  constexpr std::size_t kBins = 60;
  const double mean = analysis.concentration.mean;
  const double far = analysis.tenth.empty() ? 0 : geometry::quantile(analysis.tenth, 0.995);
  double high = 1.05 * std::max(far, mean);
  if (!(high > 0)) high = 1;
  const auto shares = [&](const std::vector<double>& distances) {
    std::vector<double> bins(kBins);
    for (const double distance : distances) {
      const auto bin = static_cast<std::size_t>(distance / high * kBins);
      bins[std::min(bin, kBins - 1)] += 1 / static_cast<double>(distances.size());
    }
    return bins;
  };
  const std::vector<double> nearest = shares(analysis.nearest), tenth = shares(analysis.tenth);
  const double top = std::max({*std::ranges::max_element(nearest), *std::ranges::max_element(tenth), 1e-9});
  Panel panel(kMargin + kPanelWidth + kGap, 0, high, 1.05 * top);
  panel.text(0, kTop - 30, "", fmt::format("distances of {} vectors", format_count(analysis.sample)));
  panel.text(0, kTop - 12, "label", "blue: nearest, amber: tenth, line: mean of all");
  for (std::size_t i = 0; i < kBins; ++i) {
    const double from = high * static_cast<double>(i) / kBins, to = high * static_cast<double>(i + 1) / kBins;
    panel.bar(from, to, nearest[i], "bar");
    panel.bar(from, to, tenth[i], "bar2");
  }
  if (mean > 0) panel.mark(mean);
  panel.axis();
  return panel.body();
}

}  // namespace

std::string analysis_svg(const geometry::Analysis& analysis, const std::string& title) {
  constexpr int kWidth = static_cast<int>(2 * kMargin + 2 * kPanelWidth + kGap);
  constexpr int kHeight = static_cast<int>(kTop + kPanelHeight + 36);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"page\" width=\"{0}\" height=\"{1}\" rx=\"6\"/>\n"
      "<text x=\"{4}\" y=\"26\" class=\"title\">{2}</text>\n{5}{6}</svg>\n",
      kWidth, kHeight, escaped(title), kStyle, kMargin, cosine_panel(analysis), distance_panel(analysis));
}

}  // namespace boon::cli
