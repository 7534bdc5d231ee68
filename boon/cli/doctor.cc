// boon doctor: whether a file can be trusted. Every check is made, also after one has failed, as far as what it needs
// could be read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>

#include "boon/cli/input.h"
#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/core/error.h"
#include "boon/index/container.h"

namespace boon::cli {
namespace {

constexpr const char* kDoctorFooter =
    R"(Exit code 0 when healthy, 6 otherwise: damaged, or with sound bytes and a graph so weak that some vectors are not
found. "verdict" in the JSON says which: healthy, weak or damaged.

Examples:
  boon doctor words.boon
  boon doctor words.boon --sample 0 --json)";

struct DoctorCommand {
  std::string file;
  std::size_t sample = 1000;
  std::size_t threads = 0;
};

// The worse, the later.
enum class Verdict {
  healthy,
  weak,     // every byte and link is sound, and yet the graph does not lead to every vector
  damaged,  // what is there is not what was written
};

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"healthy", "weak", "damaged"};
  return kNames[static_cast<std::size_t>(verdict)];
}

struct Finding {
  std::string check;
  Verdict verdict = Verdict::healthy;
  std::string detail;
};

// What a check says when it holds; an Error about the file's bytes is a finding, any other a failure of the doctor.
Finding examine(std::string check, const std::function<std::string()>& look) {
  try {
    return {.check = std::move(check), .verdict = Verdict::healthy, .detail = look()};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupted && error.code() != ErrorCode::unsupported) throw;
    return {.check = std::move(check), .verdict = Verdict::damaged, .detail = error.what()};
  }
}

void check_bytes(const MappedFile& file, const std::string& name, std::vector<Finding>& findings) {
  std::vector<index::Section> sections;
  findings.push_back(examine("header", [&] {
    sections = index::read_container(file.bytes(), name).sections;
    return fmt::format("{} sections, {}", sections.size(), format_bytes(file.bytes().size()));
  }));
  for (const index::Section& section : sections) {
    findings.push_back(examine("section " + section.name, [&] {
      index::verify(section, name);
      return format_bytes(section.bytes.size());
    }));
  }
}

Finding check_names(const NamedIndex& opened) {
  return examine("names", [&]() -> std::string {
    if (!opened.names) return "none; vectors are called by number";
    for (const Id id : opened.index.ids()) {
      if (opened.names->of(id).empty()) throw Error(ErrorCode::corrupted, fmt::format("vector {} has no name", id));
    }
    const std::size_t named = opened.names->by_name().size();
    if (named != opened.index.size()) {
      throw Error(ErrorCode::corrupted, fmt::format("{} different names for {} vectors", named, opened.index.size()));
    }
    return fmt::format("{} different ones", format_count(named));
  });
}

void check_finding(const NamedIndex& opened, const DoctorCommand& command, std::vector<Finding>& findings) {
  const IndexHealth health = opened.index.check(command.sample, command.threads);
  const auto add = [&](const char* check, std::size_t faults, Verdict if_any, std::string detail) {
    findings.push_back(
        {.check = check, .verdict = faults == 0 ? Verdict::healthy : if_any, .detail = std::move(detail)});
  };
  if (opened.index.kind() == IndexKind::exact) {
    add("ids", health.not_found, Verdict::damaged,
        fmt::format("{} lead to their vectors; there is no graph", format_count(health.checked - health.not_found)));
    return;
  }
  add("links", health.broken_links, Verdict::damaged, fmt::format("{} broken", format_count(health.broken_links)));
  add("reachability", health.unreachable, Verdict::weak,
      fmt::format("{} unreachable", format_count(health.unreachable)));
  add("self-search", health.not_found, Verdict::weak,
      fmt::format("{} of {} find themselves, {} of them by a wider beam",
                  format_count(health.checked - health.not_found), format_count(health.checked),
                  format_count(health.widened)));
}

std::vector<Finding> examine_file(const DoctorCommand& command) {
  std::vector<Finding> findings;
  const MappedFile file(command.file);
  check_bytes(file, command.file, findings);
  std::optional<NamedIndex> opened;
  findings.push_back(examine("index", [&] {
    opened = NamedIndex::load(command.file);
    return fmt::format("{} vectors", format_count(opened->index.size()));
  }));
  if (opened) {
    findings.push_back(check_names(*opened));
    check_finding(*opened, command, findings);
  }
  return findings;
}

std::string conclusion(Verdict verdict) {
  switch (verdict) {
    case Verdict::healthy:
      return "is healthy";
    case Verdict::weak:
      return "has sound bytes and a weak graph: some vectors are not found, even with a wide beam; boon export, then "
             "boon build with a larger -M or --build-beam, makes a better one";
    case Verdict::damaged:
      break;
  }
  return "is damaged; build it anew from the vectors, or restore a copy";
}

void doctor(const DoctorCommand& command, Console& console) {
  const std::vector<Finding> findings = examine_file(command);
  const Verdict verdict = std::ranges::max(findings, {}, &Finding::verdict).verdict;
  const bool healthy = verdict == Verdict::healthy;
  if (!healthy) console.exit_code = exit_code(ErrorCode::corrupted);
  if (console.json) {
    Json checks = Json::array();
    for (const Finding& finding : findings) {
      checks.push_back(
          {{"check", finding.check}, {"ok", finding.verdict == Verdict::healthy}, {"detail", finding.detail}});
    }
    print(console.out, {{"file", command.file}, {"healthy", healthy}, {"verdict", name(verdict)}, {"checks", checks}});
    return;
  }
  constexpr std::array<const char*, 3> kResults{"ok", "weak", "BAD"};
  Table table({{"check"}, {"result"}, {"detail"}});
  for (const Finding& finding : findings) {
    table.add({finding.check, kResults[static_cast<std::size_t>(finding.verdict)], finding.detail});
  }
  console.out << table.text();
  console.err << printable(command.file) << ' ' << conclusion(verdict) << '\n';
}

}  // namespace

void register_doctor(CLI::App& app, Console& console) {
  const auto options = std::make_shared<DoctorCommand>();
  CLI::App* command = app.add_subcommand("doctor", "Check that a file is whole and its graph sound");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  add_count_option(*command, "--sample", options->sample, "Vectors to search for by themselves; 0 takes all");
  add_threads_option(*command, options->threads);
  add_json_option(*command, console);
  command->footer(kDoctorFooter);
  command->callback([&console, options] { doctor(*options, console); });
}

}  // namespace boon::cli
