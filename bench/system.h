// What the comparison asks of boon and of hnswlib alike. No type of either appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace boon::bench {

enum class Distance { squared_euclidean, cosine };

struct Parameters {
  std::size_t dim = 0;
  Distance distance = Distance::cosine;
  std::size_t neighbours = 16;   // M
  std::size_t build_beam = 200;  // ef_construction
};

inline constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

struct Work {
  std::uint64_t hops = 0;       // nodes whose links were followed
  std::uint64_t distances = 0;  // distances computed
};

// An index over the rows of a table, known by their numbers.
class Built {
 public:
  virtual ~Built() = default;
  // The nearest rows, nearest first, kNoRow where there are no more. As a user asks: one query as it came, one call.
  // Not for several threads at once.
  virtual void search(std::span<const float> query, std::size_t beam, std::span<std::uint64_t> rows) = 0;
  // What searching for all of these does, summed.
  virtual Work work(std::span<const float> queries, std::size_t k, std::size_t beam) = 0;
  virtual void save(const std::filesystem::path& path) const = 0;
};

struct System {
  std::string name;
  std::string details;  // version, how it was compiled
  std::unique_ptr<Built> (*build)(const Parameters& parameters, std::span<const float> base, std::size_t threads);
  std::unique_ptr<Built> (*load)(const Parameters& parameters, const std::filesystem::path& path);
};

// The name of hnswlib_system().
inline constexpr std::string_view kPeerName = "hnswlib";

System boon_system();
System hnswlib_system();

}  // namespace boon::bench
