#include "bench/gemm/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "boon/cli/bench.h"
#include "boon/cli/machine.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"
#include "boon/kernels/isa.h"

namespace boon::bench::gemm {
namespace {

using cli::Align;
using cli::Json;

constexpr std::string_view kBegin = "<!-- ./dev bench gemm -->";
constexpr std::string_view kEnd = "<!-- end of ./dev bench gemm -->";

enum class Figure { best, median };
constexpr Figure kFigures[] = {Figure::best, Figure::median};

std::string_view name(Figure figure) {
  return figure == Figure::best ? "best" : "median";
}

// The fastest turn, or the one in the middle.
double speed(std::vector<double> gops, Figure figure) {
  const auto at = figure == Figure::best ? gops.end() - 1 : gops.begin() + static_cast<std::ptrdiff_t>(gops.size() / 2);
  std::nth_element(gops.begin(), at, gops.end());
  return *at;
}

double peak(const CaseFigures& figures, Figure figure) {
  return speed(figures.peak_gops, figure);
}

// Of a system, in 1e9 operations a second; 0 if it wasn't timed.
double gops(const CaseFigures& figures, const SystemFigures& system, Figure figure) {
  if (system.seconds.empty()) return 0;
  std::vector<double> speeds;
  for (const double seconds : system.seconds) speeds.push_back(figures.shape.operations() / seconds * 1e-9);
  return speed(std::move(speeds), figure);
}

// Null if none was timed.
const SystemFigures* best_peer(const CaseFigures& figures, Figure figure) {
  const SystemFigures* best = nullptr;
  for (const SystemFigures& system : figures.systems) {
    if (system.name == kOurName || system.seconds.empty()) continue;
    if (best == nullptr || gops(figures, system, figure) > gops(figures, *best, figure)) best = &system;
  }
  return best;
}

// boon's speed as a multiple of the best peer's; 0 if one of them wasn't timed.
double ratio(const CaseFigures& figures, Figure figure) {
  const SystemFigures* peer = best_peer(figures, figure);
  const auto ours = std::find_if(figures.systems.begin(), figures.systems.end(),
                                 [](const SystemFigures& system) { return system.name == kOurName; });
  if (peer == nullptr || ours == figures.systems.end()) return 0;
  return gops(figures, *ours, figure) / gops(figures, *peer, figure);
}

std::string speed_cell(const CaseFigures& figures, const SystemFigures& system, Figure figure) {
  if (!system.fault.empty()) return "wrong";
  const double value = gops(figures, system, figure);
  return value > 0 ? fmt::format("{:.1f} {:3.0f}%", value, 100 * value / peak(figures, figure)) : "–";
}

std::string ratio_cell(const CaseFigures& figures, Figure figure) {
  const double value = ratio(figures, figure);
  return value > 0 ? fmt::format("{:.2f}", value) : "–";
}

// Cases that share a table.
struct Group {
  kernels::Arithmetic what;
  std::size_t threads;
  std::vector<const CaseFigures*> cases;

  std::string title() const {
    const bool floating = what != kernels::Arithmetic::int8;
    return fmt::format("{}, {} thread{}: {} and share of the peak ({})", kernels::name(what), threads,
                       threads == 1 ? "" : "s", floating ? "GFLOPS" : "GOPS", cases.front()->peak_instruction);
  }
  // Of systems that have such products; boon and the peak have a column always.
  std::vector<std::size_t> columns() const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < cases.front()->systems.size(); ++i) {
      const auto has = [&](const CaseFigures* figures) {
        return !figures->systems[i].seconds.empty() || !figures->systems[i].fault.empty();
      };
      if (std::any_of(cases.begin(), cases.end(), has)) columns.push_back(i);
    }
    return columns;
  }
};

std::vector<Group> groups_of(const Report& report) {
  std::vector<Group> groups;
  for (const CaseFigures& figures : report.cases) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.what == figures.what && group.threads == figures.threads;
    });
    if (found == groups.end()) found = groups.insert(found, {figures.what, figures.threads, {}});
    found->cases.push_back(&figures);
  }
  return groups;
}

std::string text_of(const Group& group) {
  std::vector<cli::Table::Column> titles = {{"product"}, {""}, {"peak", Align::right}};
  for (const std::size_t i : group.columns()) titles.push_back({group.cases.front()->systems[i].name, Align::right});
  titles.push_back({"boon / best peer", Align::right});
  titles.push_back({"which"});
  cli::Table table(titles);
  for (const CaseFigures* figures : group.cases) {
    for (const Figure figure : kFigures) {
      const bool first = figure == kFigures[0];
      std::vector<std::string> cells = {first ? name(figures->shape) : "", std::string(name(figure)),
                                        fmt::format("{:.1f}", peak(*figures, figure))};
      for (const std::size_t i : group.columns()) cells.push_back(speed_cell(*figures, figures->systems[i], figure));
      const SystemFigures* peer = best_peer(*figures, figure);
      cells.push_back(ratio_cell(*figures, figure));
      cells.push_back(peer == nullptr ? "" : peer->name);
      table.add(std::move(cells));
    }
  }
  return table.text();
}

// A line a product: the best turns, and the ratio of the medians beside that of the best.
std::string markdown_of(const Group& group) {
  std::string head = "| product | peak |";
  std::string rule = "|---|---:|";
  for (const std::size_t i : group.columns()) {
    head += fmt::format(" {} |", group.cases.front()->systems[i].name);
    rule += "---:|";
  }
  std::string text = head + " boon / best peer | by medians |\n" + rule + "---:|---:|\n";
  for (const CaseFigures* figures : group.cases) {
    text += fmt::format("| {} | {:.1f} |", name(figures->shape), peak(*figures, Figure::best));
    for (const std::size_t i : group.columns()) {
      text += fmt::format(" {} |", speed_cell(*figures, figures->systems[i], Figure::best));
    }
    text += fmt::format(" {} | {} |\n", ratio_cell(*figures, Figure::best), ratio_cell(*figures, Figure::median));
  }
  return text;
}

// Of the processor, whatever boon and its peers make of them.
std::vector<std::string_view> instruction_sets() {
  const kernels::IsaSupport has = kernels::isa_support();
  std::vector<std::string_view> names;
  const auto add = [&](bool there, std::string_view name) {
    if (there) names.push_back(name);
  };
  add(has.avx2, "avx2");
  add(has.avx_vnni, "avx_vnni");
  add(has.avx512, "avx512");
  add(has.avx512_vnni, "avx512_vnni");
  add(has.avx512_bf16, "avx512_bf16");
  add(has.amx_int8, "amx_int8");
  add(has.amx_bf16, "amx_bf16");
  return names;
}

// What stands above the tables, a line each.
std::vector<std::string> notes_of(const Report& report) {
  std::vector<std::string> notes = {
      fmt::format("{}; processor with {}", cli::describe(cli::describe_machine()), fmt::join(instruction_sets(), " "))};
  for (const SystemDescription& system : report.systems) {
    notes.push_back(fmt::format("{}: {}", system.name, system.details));
  }
  for (const Missing& missing : report.missing) {
    notes.push_back(fmt::format("{} is left out: {}", missing.name, missing.reason));
  }
  for (const CaseFigures& figures : report.cases) {
    for (const SystemFigures& system : figures.systems) {
      if (system.fault.empty()) continue;
      notes.push_back(fmt::format("{} is wrong in {} {} on {} thread{}: {}", system.name, kernels::name(figures.what),
                                  name(figures.shape), figures.threads, figures.threads == 1 ? "" : "s", system.fault));
    }
  }
  return notes;
}

Json json_of(const CaseFigures& figures) {
  Json json{{"arithmetic", kernels::name(figures.what)},
            {"product", name(figures.shape)},
            {"rows", figures.shape.rows},
            {"columns", figures.shape.columns},
            {"depth", figures.shape.depth},
            {"a_transposed", figures.shape.a_transposed},
            {"b_transposed", figures.shape.b_transposed},
            {"threads", figures.threads},
            {"peak_instruction", figures.peak_instruction}};
  for (const Figure figure : kFigures) json[fmt::format("peak_gops_{}", name(figure))] = peak(figures, figure);
  for (const SystemFigures& system : figures.systems) {
    if (system.seconds.empty() && system.fault.empty()) continue;
    Json entry{{"name", system.name}};
    if (!system.kernel.empty()) entry["kernel"] = system.kernel;
    if (!system.fault.empty()) entry["fault"] = system.fault;
    for (const Figure figure : kFigures) {
      const double value = gops(figures, system, figure);
      if (value == 0) continue;
      entry[fmt::format("gops_{}", name(figure))] = value;
      entry[fmt::format("share_{}", name(figure))] = value / peak(figures, figure);
    }
    json["systems"].push_back(std::move(entry));
  }
  for (const Figure figure : kFigures) {
    const double value = ratio(figures, figure);
    if (value == 0) continue;
    json[fmt::format("best_peer_{}", name(figure))] = best_peer(figures, figure)->name;
    json[fmt::format("boon_over_best_peer_{}", name(figure))] = value;
  }
  return json;
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = fmt::format("{}\n", fmt::join(notes_of(report), "\n"));
  for (const Group& group : groups_of(report)) text += fmt::format("\n{}\n\n{}", group.title(), text_of(group));
  return text;
}

std::string to_markdown(const Report& report) {
  std::string text = fmt::format(
      "## Products of matrices beside BLAS libraries\n\n```\n{}\n```\n\n"
      "Written by that command; do not edit. Row-major matrices in memory that was just used, by turns in one process, "
      "each answer\nchecked against double precision first. A product is named by rows and columns of C and the depth; "
      "t marks a matrix that is\nstored transposed, first A, then B. The best of {} turns, each beside the peak that "
      "registers alone allow, measured between the\nturns.\n\n",
      report.command, report.options.turns);
  for (const std::string& note : notes_of(report)) text += fmt::format("- {}.\n", note);
  for (const Group& group : groups_of(report)) text += fmt::format("\n### {}\n\n{}", group.title(), markdown_of(group));
  return text;
}

std::string to_json(const Report& report) {
  Json json{{"command", report.command},
            {"machine", cli::to_json(cli::describe_machine())},
            {"instruction_sets", instruction_sets()},
            {"turns", report.options.turns},
            {"turn_ms", report.options.turn_ms},
            {"processor_time", report.options.processor_time}};
  for (const SystemDescription& system : report.systems) json["systems"][system.name] = system.details;
  for (const Missing& missing : report.missing) json["left_out"][missing.name] = missing.reason;
  for (const CaseFigures& figures : report.cases) json["products"].push_back(json_of(figures));
  return json.dump(1) + "\n";
}

std::string with_report(const std::string& page, const Report& report) {
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw Error(ErrorCode::not_found, fmt::format("the page lacks the lines {} and {}", kBegin, kEnd));
  }
  return page.substr(0, begin) + fmt::format("{}\n{}", kBegin, to_markdown(report)) + page.substr(end);
}

}  // namespace boon::bench::gemm
