// `boon bench mapped`: what an index costs in memory when its file is mapped, and what searches take then, with its
// vectors on disk and in the page cache, beside the same index in memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <system_error>

#include "boon/cli/bench.h"
#include "boon/cli/data_sets.h"
#include "boon/cli/input.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vectors.h"
#include "boon/core/buffer.h"
#include "boon/core/error.h"
#include "boon/core/file.h"
#include "boon/index/index.h"

namespace boon::cli {
namespace {

// Measured apart: their vectors come from disk, later ones also find what came with those.
constexpr std::size_t kFirstQueries = 100;

struct BenchMappedOptions {
  std::string index;
  std::string data;
  std::size_t k = 10;
  std::size_t beam = SearchOptions{}.beam;
  std::size_t repeat = 5;
};

// What one way of holding the index came to.
struct Way {
  std::string name;
  std::size_t resident = 0;  // bytes that the process grew by
  std::optional<double> us;  // a query
};

struct MappedReport {
  std::size_t vectors = 0;
  std::size_t queries = 0;
  double recall = 0;
  double cached_share = 0;  // of the file, in the page cache after it was asked to be dropped
  std::vector<Way> ways;
};

// Drops the file from the page cache; returns the share of it that stayed, as all of it does on a tmpfs.
double drop_from_cache(const Path& path) {
  const MappedFile mapped(path);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    throw Error(ErrorCode::io,
                fmt::format("cannot open {}: {}", path.string(), std::generic_category().message(errno)));
  }
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
  const std::size_t page = page_bytes();
  std::vector<unsigned char> cached((mapped.bytes().size() + page - 1) / page);
  if (cached.empty() ||
      ::mincore(const_cast<std::byte*>(mapped.bytes().data()), mapped.bytes().size(), cached.data()) != 0) {
    return 0;
  }
  const auto kept = std::count_if(cached.begin(), cached.end(), [](unsigned char state) { return (state & 1) != 0; });
  return static_cast<double>(kept) / static_cast<double>(cached.size());
}

// Searches for queries [begin, end), one at a time; the answers go to `answers`. Returns microseconds a query.
double pass(const Index& index, const Judge& judge, std::size_t beam, std::vector<Id>& answers, std::size_t begin,
            std::size_t end) {
  const Runner runner = runner_of(index, judge.k());
  const Stopwatch watch;
  for (std::size_t i = begin; i < end; ++i) {
    runner.search(judge.query(i), beam, std::span(answers).subspan(i * judge.k(), judge.k()));
  }
  return watch.seconds() * 1e6 / static_cast<double>(end - begin);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

MappedReport measure(const BenchMappedOptions& options) {
  const Path path(options.index);
  const BenchmarkSet set = read_benchmark_set(find_data_set(options.data, data_folder()));
  const Queries queries = take_queries(set, QueryShare::all, options.k);
  MappedReport report;
  report.cached_share = drop_from_cache(path);

  const std::size_t before = resident_bytes();
  const auto grown = [&] { return std::max(resident_bytes(), before) - before; };
  const Index mapped = Index::view(path);
  if (mapped.dim() != set.train.dim || mapped.size() != set.train.values.size() / set.train.dim) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} holds {} vectors of dimension {}, and {} {} of dimension {}: name the set that it was built of",
                    options.index, mapped.size(), mapped.dim(), options.data, set.train.values.size() / set.train.dim,
                    set.train.dim));
  }
  if (const Metric metric = parse_metric(set.metric); metric != mapped.metric()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is of {}, and {} of {}: name the set that it was built of", options.index,
                            name(mapped.metric()), options.data, name(metric)));
  }
  const Judge judge(mapped.metric(), mapped.dim(), queries.values, queries.kth_nearest, options.k,
                    rows_of(set.train.values, mapped.dim()));
  report.vectors = mapped.size();
  report.queries = judge.size();
  report.ways.push_back({"mapped, opened", grown(), std::nullopt});
  std::vector<Id> answers(judge.size() * judge.k(), kNoId);
  const auto all_queries = [&](const Index& index) {
    return pass(index, judge, options.beam, answers, 0, judge.size());
  };
  const std::size_t first = std::min(kFirstQueries, judge.size());
  const double first_us = pass(mapped, judge, options.beam, answers, 0, first);
  report.ways.push_back({fmt::format("mapped, the first {} queries", first), grown(), first_us});
  all_queries(mapped);
  report.recall = judge.recall(answers);
  const std::size_t mapped_resident = grown();

  const std::size_t before_loading = resident_bytes();
  const Index loaded = Index::load(path);
  all_queries(loaded);
  const std::size_t in_memory = std::max(resident_bytes(), before_loading) - before_loading;
  std::vector<double> mapped_us, loaded_us;
  for (std::size_t i = 0; i < options.repeat; ++i) {
    mapped_us.push_back(all_queries(mapped));
    loaded_us.push_back(all_queries(loaded));
  }
  report.ways.push_back({"mapped, vectors in the page cache", mapped_resident, median(mapped_us)});
  report.ways.push_back({"in memory", in_memory, median(loaded_us)});
  return report;
}

void print_json(const MappedReport& report, const BenchMappedOptions& options, std::ostream& out) {
  Json ways = Json::array();
  for (const Way& way : report.ways) {
    ways.push_back({{"name", way.name},
                    {"resident_bytes", way.resident},
                    {"us_per_query", way.us ? Json(*way.us) : Json(nullptr)}});
  }
  print(out, {{"machine", to_json(describe_machine())},
              {"index", options.index},
              {"data", options.data},
              {"n", report.vectors},
              {"queries", report.queries},
              {"k", options.k},
              {"beam", options.beam},
              {"recall", report.recall},
              {"cached_share", report.cached_share},
              {"ways", ways}});
}

void print_table(const MappedReport& report, const BenchMappedOptions& options, std::ostream& out) {
  Table table(
      {{"", Align::left}, {"resident", Align::right}, {"bytes a vector", Align::right}, {"µs a query", Align::right}});
  for (const Way& way : report.ways) {
    table.add({way.name, format_bytes(way.resident),
               fmt::format("{:.0f}", static_cast<double>(way.resident) / static_cast<double>(report.vectors)),
               way.us ? fmt::format("{:.1f}", *way.us) : ""});
  }
  out << describe(describe_machine()) << '\n'
      << fmt::format("{}: {} vectors; {} queries, one thread, beam {}, recall@{} {:.4f}\n", options.index,
                     format_count(report.vectors), format_count(report.queries), options.beam, options.k,
                     report.recall);
  if (report.cached_share > 0.01) {
    out << fmt::format("{:.0f}% of the file stayed in the page cache, so not all vectors came from disk\n",
                       100 * report.cached_share);
  }
  out << '\n' << table.text();
}

void run_mapped(const BenchMappedOptions& options, Console& console) {
  const MappedReport report = measure(options);
  if (console.json) {
    print_json(report, options, console.out);
  } else {
    print_table(report, options, console.out);
  }
}

}  // namespace

void register_bench_mapped(CLI::App& bench, Console& console) {
  CLI::App* command =
      bench.add_subcommand("mapped", "Memory and time of a search in a mapped file, beside the index in memory");
  command->footer(
      R"(A mapped index needs its graph, its codes and its ids in memory; of the vectors, only those that rank what a search
found are read, and the system may drop them again at any time. The file is first dropped from the page cache.)");
  auto options = std::make_shared<BenchMappedOptions>();
  command->add_option("index", options->index, "An index (.boon)")->required();
  command->add_option("data", options->data, "The data set that it was built of, by name or as an HDF5 file")
      ->required();
  command->add_option("-k", options->k, "Answers to each query")->check(CLI::Range(1, 10000))->capture_default_str();
  command->add_option("--beam", options->beam, "Candidates kept by a search (ef)")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--repeat", options->repeat, "Passes over the queries once the vectors are in memory")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_option(*command, console);
  command->callback([options, &console] { run_mapped(*options, console); });
}

}  // namespace boon::cli
