// boon info: what an index file holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/calibrations.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/index/container.h"

namespace boon::cli {
namespace {

struct FileReport {
  std::uint64_t bytes = 0;
  std::uint32_t version = 0;
  std::vector<index::Section> sections;  // without their bytes, whose sizes are in `sizes`
  std::vector<std::size_t> sizes;
};

FileReport look_at(const Path& path) {
  const MappedFile file(path);
  index::Container container = index::read_container(file.bytes(), path.native());
  FileReport report{.bytes = file.bytes().size(), .version = container.version, .sections = {}, .sizes = {}};
  for (index::Section& section : container.sections) {
    report.sizes.push_back(section.bytes.size());
    report.sections.push_back({.name = std::move(section.name), .bytes = {}, .checksum = section.checksum});
  }
  return report;
}

Json to_json(const NamedIndex& opened, const IndexStatistics& statistics, const FileReport& file) {
  const IndexOptions& options = opened.index.options();
  Json sections = Json::array();
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    sections.push_back({{"name", file.sections[i].name},
                        {"bytes", file.sizes[i]},
                        {"xxh3", fmt::format("{:016x}", file.sections[i].checksum)}});
  }
  Json calibrations = Json::array();
  for (const Calibration& calibration : opened.index.calibrations()) calibrations.push_back(cli::to_json(calibration));
  return {{"file", opened.path.native()},
          {"vectors", statistics.live},
          {"dim", options.dim},
          {"metric", name(options.metric)},
          {"kind", name(options.kind)},
          {"component", statistics.component},
          {"dtype", opened.index.options().dtype},
          {"codes", opened.index.codes()},
          {"named", opened.names.has_value()},
          {"options",
           {{"neighbours", options.graph.neighbours},
            {"build_beam", options.graph.build_beam},
            {"level_mult", options.graph.effective_level_mult()},
            {"alpha", options.graph.alpha},
            {"seed", options.graph.seed}}},
          {"calibrations", calibrations},
          {"deleted", statistics.deleted},
          {"free", statistics.free},
          {"twins", statistics.twins},
          {"unreachable", statistics.unreachable},
          {"level_sizes", statistics.level_sizes},
          {"mean_degree", statistics.mean_degree},
          {"max_degree", statistics.max_degree},
          {"memory",
           {{"vectors", statistics.vector_bytes},
            {"codes", statistics.code_bytes},
            {"graph", statistics.graph_bytes},
            {"ids", statistics.id_bytes},
            {"total", statistics.total_bytes()}}},
          {"stored", {{"bytes", file.bytes}, {"version", file.version}, {"sections", sections}}}};
}

std::string bytes_each(std::size_t bytes, std::size_t vectors) {
  const double each = vectors == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(vectors);
  return fmt::format("{} ({:.1f} B a vector)", format_bytes(bytes), each);
}

void add_graph_facts(Table& facts, const graph::HnswOptions& options, const IndexStatistics& statistics) {
  std::vector<std::string> levels;
  for (const std::size_t size : statistics.level_sizes) levels.push_back(format_count(size));
  facts.add({"twins", format_count(statistics.twins)});
  facts.add({"unreachable", format_count(statistics.unreachable)});
  facts.add({"levels, floor first", fmt::format("{}", fmt::join(levels, " "))});
  facts.add({"links on the floor",
             fmt::format("{:.1f} on average, {} at most", statistics.mean_degree, statistics.max_degree)});
  facts.add({"neighbours (M)", std::to_string(options.neighbours)});
  facts.add({"build beam", std::to_string(options.build_beam)});
  facts.add({"level mult (m)", fmt::format("{:g}", options.effective_level_mult())});
  facts.add({"alpha", fmt::format("{:g}", options.alpha)});
  facts.add({"seed", std::to_string(options.seed)});
}

std::string to_text(const NamedIndex& opened, const IndexStatistics& statistics, const FileReport& file) {
  const IndexOptions& options = opened.index.options();
  Table facts({{"", Align::left}, {"", Align::left}});
  const std::size_t live = statistics.live;
  facts.add({"vectors", format_count(live)});
  facts.add({"dimension", std::to_string(options.dim)});
  facts.add({"metric", std::string(name(options.metric))});
  facts.add({"kind", std::string(name(options.kind))});
  facts.add({"component", std::string(statistics.component)});
  if (options.dtype != IndexOptions{}.dtype && options.dtype != statistics.component) {
    facts.add({"others become", options.dtype});
  }
  facts.add({"codes", std::string(opened.index.codes())});
  facts.add({"called by", opened.names ? "name" : "number"});
  facts.add({"deleted, unrepaired", format_count(statistics.deleted)});
  facts.add({"free places", format_count(statistics.free)});
  if (options.kind == IndexKind::hnsw) add_graph_facts(facts, options.graph, statistics);
  for (const Calibration& calibration : opened.index.calibrations()) {
    facts.add({calibration.stale() ? "calibrated, stale" : "calibrated", summary(calibration)});
  }
  facts.add({"memory, vectors", bytes_each(statistics.vector_bytes, live)});
  if (statistics.code_bytes > 0) facts.add({"memory, codes", bytes_each(statistics.code_bytes, live)});
  facts.add({"memory, graph", bytes_each(statistics.graph_bytes, live)});
  facts.add({"memory, ids", bytes_each(statistics.id_bytes, live)});
  facts.add({"file", fmt::format("{}, format version {}", format_bytes(file.bytes), file.version)});
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    facts.add({"  " + file.sections[i].name, format_bytes(file.sizes[i])});
  }
  const std::string text = facts.text();
  return text.substr(text.find('\n') + 1);  // the columns have no titles
}

void show(const Path& path, Console& console) {
  const NamedIndex opened = NamedIndex::view(path);
  const IndexStatistics statistics = opened.index.statistics();
  const FileReport file = look_at(path);
  if (console.json) {
    print(console.out, to_json(opened, statistics, file));
  } else {
    console.out << to_text(opened, statistics, file);
  }
}

}  // namespace

void register_info(CLI::App& app, Console& console) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("info", "Show what an index holds and how it was built");
  command->add_option("FILE", *file, "The index")->required()->type_name("");
  add_json_option(*command, console);
  command->footer("Examples:\n  boon info words.boon\n  boon info words.boon --json | jq .level_sizes");
  command->callback([&console, file] { show(*file, console); });
}

}  // namespace boon::cli
