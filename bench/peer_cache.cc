#include "bench/peer_cache.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "boon/core/error.h"

namespace boon::bench {

PeerCache::PeerCache(const std::filesystem::path& folder, const std::string& data_set, const System& system,
                     const Parameters& parameters, std::size_t rows)
    : system_(system), parameters_(parameters), rows_(rows) {
  if (folder.empty()) return;
  const std::string stem = fmt::format("{}-{}-M{}-b{}", std::filesystem::path(data_set).stem().native(), system.name,
                                       parameters.neighbours, parameters.build_beam);
  graph_ = folder / (stem + ".graph");
  notes_ = folder / (stem + ".json");
}

std::unique_ptr<Built> PeerCache::load(std::span<const std::size_t> build_threads, SystemResult& result) const {
  if (notes_.empty() || !std::filesystem::exists(notes_)) return nullptr;
  std::ifstream file(notes_);
  const auto notes = nlohmann::json::parse(file, nullptr, false);
  if (notes.is_discarded() || notes.at("details") != system_.details || notes.at("rows") != rows_) return nullptr;
  std::vector<BuildResult> builds;
  for (const std::size_t threads : build_threads) {
    const std::string key = fmt::format("{}", threads);
    if (!notes.at("build_seconds").contains(key)) return nullptr;
    builds.push_back({.threads = threads, .seconds = notes["build_seconds"][key], .cached = true});
  }
  result.builds = std::move(builds);
  result.resident_bytes = notes.at("resident_bytes");
  result.file_bytes = notes.at("file_bytes");
  return system_.load(parameters_, graph_);
}

void PeerCache::keep(const Built& built, const SystemResult& result) const {
  if (graph_.empty()) return;
  std::filesystem::create_directories(graph_.parent_path());
  built.save(graph_);
  nlohmann::json build_seconds;
  for (const BuildResult& build : result.builds) build_seconds[fmt::format("{}", build.threads)] = build.seconds;
  const nlohmann::json notes{{"details", system_.details},
                             {"rows", rows_},
                             {"resident_bytes", result.resident_bytes},
                             {"file_bytes", result.file_bytes},
                             {"build_seconds", build_seconds}};
  // Last, so that notes are there only beside a whole graph.
  std::ofstream file(notes_);
  file << notes.dump(2) << '\n';
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot write {}", notes_.native()));
}

}  // namespace boon::bench
