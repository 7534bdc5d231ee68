// Graphs of hnswlib kept in a folder, so that trying out boon does not build them again each time.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "bench/comparison.h"
#include "bench/system.h"

namespace boon::bench {

class PeerCache {
 public:
  // `folder` may be empty: then nothing is kept and nothing found.
  PeerCache(const std::filesystem::path& folder, const std::string& data_set, const System& system,
            const Parameters& parameters, std::size_t rows);

  // The graph, with the times and sizes of when it was built in `result`. Null if there is none of these rows and this
  // very library, or if its time on one of these numbers of threads is not known.
  std::unique_ptr<Built> load(std::span<const std::size_t> build_threads, SystemResult& result) const;
  void keep(const Built& built, const SystemResult& result) const;

 private:
  std::filesystem::path graph_;  // empty without a folder
  std::filesystem::path notes_;
  const System& system_;
  Parameters parameters_;
  std::size_t rows_;
};

}  // namespace boon::bench
