#include "boon/geometry/centring.h"

#include <cstdint>
#include <utility>

#include "boon/core/error.h"
#include "boon/geometry/moments.h"
#include "boon/geometry/stored.h"

namespace boon::geometry {

Centring Centring::fit(const Points& points) {
  const std::vector<double> mean = mean_of(points);
  return Centring({mean.begin(), mean.end()});
}

Centring::Centring(std::vector<float> mean) : mean_(std::move(mean)) {
  check_points({.data = mean_.data(), .count = 1, .dim = mean_.size()}, 1, "the mean, row");
}

void Centring::forward(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), dim(), "the vector");
  check_same_dim(out.size(), dim(), "the result");
  for (std::size_t i = 0; i < dim(); ++i) out[i] = in[i] - mean_[i];
}

void Centring::inverse(std::span<const float> in, std::span<float> out) const {
  check_same_dim(in.size(), dim(), "the vector");
  check_same_dim(out.size(), dim(), "the result");
  for (std::size_t i = 0; i < dim(); ++i) out[i] = in[i] + mean_[i];
}

std::vector<std::byte> Centring::to_bytes() const {
  StoredWriter writer(StoredKind::centring);
  writer.put<std::uint64_t>(dim());
  writer.put(mean());
  return writer.finish();
}

Centring Centring::from_bytes(Bytes bytes) {
  StoredReader reader(bytes, StoredKind::centring);
  const auto dim = reader.get<std::uint64_t>();
  if (dim < 1 || dim > kDimMax) reader.damaged("its dimension is out of range");
  std::vector<float> mean = reader.get_floats(dim);
  reader.finish();
  return Centring(std::move(mean));
}

}  // namespace boon::geometry
