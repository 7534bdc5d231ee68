#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "boon/cli/bench.h"
#include "boon/cli/machine.h"
#include "boon/cli/terminal.h"

namespace boon::bench {
namespace {

using cli::Align;
using cli::Json;
using cli::SweepPoint;

constexpr std::array kRecalls = {0.90, 0.95, 0.99};

// What the article reports for 1,291,147 vectors of 50 components, M = 16 and ef_construction = 50.
constexpr double kArticleBuildSeconds = 93.10;
constexpr double kArticleQueryMicroseconds = 92.0;
constexpr double kArticleRecall = 0.90;

// One figure of a data set, with the value of each system.
struct Figure {
  std::string title;
  std::vector<std::optional<double>> values;
  int decimals = 0;
  std::vector<bool> cached = {};

  // boon's share of the peer's.
  std::optional<double> ratio() const {
    if (values.size() != 2) return std::nullopt;
    const std::optional<double> ours = values[0];
    const std::optional<double> theirs = values[1];
    if (!ours || !theirs || *theirs == 0) return std::nullopt;
    return *ours / *theirs;
  }
};

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

const BuildResult* build_on(const SystemResult& system, std::size_t threads) {
  const auto found = std::find_if(system.builds.begin(), system.builds.end(),
                                  [&](const BuildResult& build) { return build.threads == threads; });
  return found == system.builds.end() ? nullptr : &*found;
}

std::vector<Figure> figures_of(const SetResult& set, const ComparisonOptions& options) {
  std::vector<Figure> figures;
  for (const double recall : kRecalls) {
    Figure figure{.title = fmt::format("queries/s at recall@{} = {:.2f}", options.k, recall), .values = {}};
    for (const SystemResult& system : set.systems) figure.values.push_back(cli::speed_at(system.points, recall));
    figures.push_back(figure);
  }
  for (const std::size_t threads : options.build_threads) {
    Figure figure{
        .title = fmt::format("build on {} thread{}, s", threads, threads == 1 ? "" : "s"), .values = {}, .decimals = 1};
    for (const SystemResult& system : set.systems) {
      const BuildResult* build = build_on(system, threads);
      figure.values.push_back(build == nullptr ? std::nullopt : std::optional(build->seconds));
      figure.cached.push_back(build != nullptr && build->cached);
    }
    figures.push_back(figure);
  }
  Figure resident{.title = "bytes in memory a vector", .values = {}};
  Figure file{.title = "bytes on disk a vector", .values = {}};
  for (const SystemResult& system : set.systems) {
    const auto rows = static_cast<double>(set.rows);
    resident.values.push_back(known(static_cast<double>(system.resident_bytes) / rows));
    file.values.push_back(known(static_cast<double>(system.file_bytes) / rows));
  }
  figures.push_back(resident);
  figures.push_back(file);
  return figures;
}

std::string with_decimals(double value, int decimals) {
  return decimals == 0 ? cli::format_count(static_cast<std::uint64_t>(std::llround(value)))
                       : fmt::format("{:.{}f}", value, decimals);
}

std::vector<std::string> cells_of(const Figure& figure) {
  std::vector<std::string> cells = {figure.title};
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    const auto& value = figure.values[i];
    const bool cached = i < figure.cached.size() && figure.cached[i];
    cells.push_back((value ? with_decimals(*value, figure.decimals) : "-") + (cached ? "*" : ""));
  }
  const auto ratio = figure.ratio();
  cells.push_back(ratio ? fmt::format("{:.2f}", *ratio) : "-");
  return cells;
}

bool any_cached(const SetResult& set) {
  return std::any_of(set.systems.begin(), set.systems.end(), [](const SystemResult& system) {
    return std::any_of(system.builds.begin(), system.builds.end(),
                       [](const BuildResult& build) { return build.cached; });
  });
}

std::string describe_share(cli::QueryShare share) {
  switch (share) {
    case cli::QueryShare::tuning:
      return "tuning queries";
    case cli::QueryShare::reporting:
      return "held-out queries, none used for tuning";
    case cli::QueryShare::all:
      break;
  }
  return "held-out queries";
}

std::string describe_set(const SetResult& set, const ComparisonOptions& options) {
  return fmt::format(
      "{}: {} × {}, {}; M = {}, ef_construction = {}; {} {}, one at a time on one thread, best of {} passes{}",
      set.name, cli::format_count(set.rows), set.dim, set.metric, options.neighbours, options.build_beam,
      cli::format_count(set.queries), describe_share(options.queries), options.sweep.repeat,
      options.sweep.processor_time ? ", processor time" : "");
}

cli::Table figure_table(const SetResult& set, const ComparisonOptions& options) {
  std::vector<cli::Table::Column> columns = {{"figure"}};
  for (const SystemResult& system : set.systems) columns.push_back({system.name, Align::right});
  columns.push_back({"ratio", Align::right});
  cli::Table table(columns);
  for (const Figure& figure : figures_of(set, options)) table.add(cells_of(figure));
  return table;
}

cli::Table curve_table(const SetResult& set) {
  cli::Table table({{"system"},
                    {"beam", Align::right},
                    {"recall", Align::right},
                    {"queries/s", Align::right},
                    {"median", Align::right},
                    {"hops", Align::right},
                    {"distances", Align::right},
                    {"ns/distance", Align::right}});
  for (const SystemResult& system : set.systems) {
    for (const SweepPoint& point : system.points) {
      table.add({system.name, fmt::format("{}", point.beam), fmt::format("{:.4f}", point.recall),
                 with_decimals(point.qps, 0), with_decimals(point.qps_median, 0), fmt::format("{:.0f}", point.hops),
                 fmt::format("{:.0f}", point.distances), fmt::format("{:.1f}", 1e9 / point.qps / point.distances)});
    }
  }
  return table;
}

// Under "qps_at_recall" and "qps_median_at_recall".
Json speeds_of(const SystemResult& system, double SweepPoint::*speed) {
  Json speeds = Json::object();
  for (const double recall : kRecalls) {
    const auto value = cli::speed_at(system.points, recall, speed);
    speeds[fmt::format("{:.2f}", recall)] = value ? Json(*value) : Json(nullptr);
  }
  return speeds;
}

Json json_of(const SystemResult& system, const SetResult& set) {
  Json builds = Json::array();
  for (const BuildResult& build : system.builds) {
    builds.push_back({{"threads", build.threads}, {"seconds", build.seconds}, {"from_earlier_run", build.cached}});
  }
  return {{"name", system.name},
          {"details", system.details},
          {"builds", builds},
          {"resident_bytes", system.resident_bytes},
          {"file_bytes", system.file_bytes},
          {"resident_bytes_per_vector", static_cast<double>(system.resident_bytes) / static_cast<double>(set.rows)},
          {"file_bytes_per_vector", static_cast<double>(system.file_bytes) / static_cast<double>(set.rows)},
          {"qps_at_recall", speeds_of(system, &SweepPoint::qps)},
          {"qps_median_at_recall", speeds_of(system, &SweepPoint::qps_median)},
          {"points", cli::to_json(system.points)}};
}

// The fastest beam with enough recall.
const SweepPoint* fastest_with(const SystemResult& system, double recall) {
  const SweepPoint* best = nullptr;
  for (const SweepPoint& point : system.points) {
    if (point.recall >= recall && (best == nullptr || point.qps > best->qps)) best = &point;
  }
  return best;
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = cli::describe(cli::describe_machine()) + "\n";
  for (const SetResult& set : report.sets) {
    if (&set == &report.sets.front()) {
      for (const SystemResult& system : set.systems) text += fmt::format("{}: {}\n", system.name, system.details);
    }
    text += fmt::format("\n{}\n\n{}{}\n{}", describe_set(set, report.options), figure_table(set, report.options).text(),
                        any_cached(set) ? "* measured in an earlier run\n" : "", curve_table(set).text());
  }
  return text;
}

std::string to_markdown(const Report& report) {
  std::string text;
  for (const SetResult& set : report.sets) {
    if (&set == &report.sets.front()) {
      text += "| data set | figure |";
      for (const SystemResult& system : set.systems) text += fmt::format(" {} |", system.name);
      text += " ratio |\n|---|---|" + std::string(set.systems.size(), '@') + "---:|\n";
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, "---:|");
    }
    bool first = true;
    for (const Figure& figure : figures_of(set, report.options)) {
      text += fmt::format("| {} | {} |\n", first ? set.name : "", fmt::join(cells_of(figure), " | "));
      first = false;
    }
  }
  text += fmt::format("\n{}.\n", cli::describe(cli::describe_machine()));
  for (const SetResult& set : report.sets) {
    if (&set == &report.sets.front()) {
      for (const SystemResult& system : set.systems) text += fmt::format("{}: {}.\n", system.name, system.details);
    }
    text += describe_set(set, report.options) + ".\n";
    if (any_cached(set)) text += "* measured in an earlier run.\n";
  }
  return text + fmt::format("\n```\n{}\n```\n", report.command);
}

std::string to_json(const Report& report) {
  const ComparisonOptions& options = report.options;
  Json json{{"command", report.command},
            {"machine", cli::to_json(cli::describe_machine())},
            {"neighbours", options.neighbours},
            {"build_beam", options.build_beam},
            {"k", options.k},
            {"repeat", options.sweep.repeat},
            {"processor_time", options.sweep.processor_time},
            {"queries", describe_share(options.queries)}};
  for (const SetResult& set : report.sets) {
    Json systems = Json::array();
    for (const SystemResult& system : set.systems) systems.push_back(json_of(system, set));
    json["sets"].push_back({{"name", set.name},
                            {"metric", set.metric},
                            {"rows", set.rows},
                            {"dim", set.dim},
                            {"queries", set.queries},
                            {"systems", systems}});
  }
  return json.dump(2) + "\n";
}

std::string article_text(const Report& report) {
  std::vector<cli::Table::Column> columns = {{"figure"}, {"article", Align::right}};
  for (const SystemResult& system : report.sets.front().systems) {
    columns.push_back({system.name, Align::right});
    columns.push_back({"share", Align::right});
  }
  cli::Table table(columns);
  std::vector<std::string> build = {"build on one thread, s", fmt::format("{:.1f}", kArticleBuildSeconds)};
  std::vector<std::string> query = {fmt::format("µs a query at recall@10 ≥ {:.2f}", kArticleRecall),
                                    fmt::format("{:.1f}", kArticleQueryMicroseconds)};
  std::vector<std::string> found = {"recall@10 there", "-"};
  for (const SystemResult& system : report.sets.front().systems) {
    const BuildResult* one = build_on(system, 1);
    build.push_back(one == nullptr ? "-" : fmt::format("{:.1f}", one->seconds));
    build.push_back(one == nullptr ? "-" : fmt::format("{:.2f}", one->seconds / kArticleBuildSeconds));
    const SweepPoint* point = fastest_with(system, kArticleRecall);
    query.push_back(point == nullptr ? "-" : fmt::format("{:.1f}", 1e6 / point->qps));
    query.push_back(point == nullptr ? "-" : fmt::format("{:.2f}", 1e6 / point->qps / kArticleQueryMicroseconds));
    found.push_back(point == nullptr ? "-" : fmt::format("{:.4f} (beam {})", point->recall, point->beam));
    found.push_back("");
  }
  table.add(build);
  table.add(query);
  table.add(found);
  return table.text();
}

}  // namespace boon::bench
