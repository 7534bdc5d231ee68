// For tests of exact search: sets of vectors that are hard in one way each, and the answer by brute force.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boon/core/random.h"
#include "boon/kernels/knn.h"

namespace boon::kernels {

struct TestSet {
  std::string_view what;
  std::size_t dim;
  std::vector<float> base, queries;

  std::size_t rows() const noexcept { return base.size() / dim; }
  std::size_t asked() const noexcept { return queries.size() / dim; }
};

enum class Kind {
  gaussian,
  clustered,
  copies,
  constant,
  zeros,
  huge,
  tiny,
  far_away,
  outlier_dimension,
  lengths,
  pixels
};

inline constexpr Kind kKinds[] = {
    Kind::gaussian, Kind::clustered,         Kind::copies,  Kind::constant, Kind::zeros, Kind::huge, Kind::tiny,
    Kind::far_away, Kind::outlier_dimension, Kind::lengths, Kind::pixels};

inline std::string_view name(Kind kind) noexcept {
  constexpr std::string_view kNames[] = {"gaussian", "clustered", "copies",   "constant",          "zeros",
                                         "huge",     "tiny",      "far_away", "outlier_dimension", "lengths",
                                         "pixels"};
  return kNames[static_cast<std::size_t>(kind)];
}

// `rows` vectors, then `asked` queries of the same kind.
inline TestSet make_set(Kind kind, std::size_t rows, std::size_t asked, std::size_t dim, std::uint64_t seed = 1) {
  Random random(seed * 1000003 + static_cast<std::uint64_t>(kind));
  std::vector<float> all((rows + asked) * dim);
  const auto normal = [&] { return static_cast<float>(random.normal()); };
  for (float& value : all) value = normal();
  const auto scale_all = [&](float by) {
    for (float& value : all) value *= by;
  };
  switch (kind) {
    case Kind::gaussian:
      break;
    case Kind::clustered:  // eight centres, little around each
      for (std::size_t i = 0; i < rows + asked; ++i) {
        Random centre(random.below(8));
        for (std::size_t j = 0; j < dim; ++j) {
          all[i * dim + j] = static_cast<float>(centre.normal()) + 1e-3f * all[i * dim + j];
        }
      }
      break;
    case Kind::copies:  // of few vectors, so every distance is there many times
      for (std::size_t i = 7; i < rows + asked; ++i) {
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(random.below(7) * dim), dim,
                    all.begin() + static_cast<std::ptrdiff_t>(i * dim));
      }
      break;
    case Kind::constant:
      std::fill(all.begin(), all.end(), 0.1f);
      break;
    case Kind::zeros:  // half of the rows
      for (std::size_t i = 0; i < rows + asked; i += 2) {
        std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i * dim), dim, 0.0f);
      }
      break;
    case Kind::huge:
      scale_all(1e17f);
      break;
    case Kind::tiny:
      scale_all(1e-20f);
      break;
    case Kind::far_away:  // as time stamps are: nearly all of a component is common to all
      for (float& value : all) value = 1e6f + value;
      break;
    case Kind::outlier_dimension:
      for (std::size_t i = 0; i < rows + asked; ++i) all[i * dim + dim / 2] *= 1e4f;
      break;
    case Kind::lengths:  // from 1e-6 to 1e6
      for (std::size_t i = 0; i < rows + asked; ++i) {
        const auto length = static_cast<float>(std::pow(10.0, 12 * random.uniform() - 6));
        for (std::size_t j = 0; j < dim; ++j) all[i * dim + j] *= length;
      }
      break;
    case Kind::pixels:
      for (float& value : all) value = static_cast<float>(random.below(256));
      break;
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(rows * dim);
  return {name(kind), dim, {all.begin(), middle}, {middle, all.end()}};
}

struct Answers {
  std::size_t count = 0;
  std::vector<std::uint32_t> rows;
  std::vector<float> distances;

  bool operator==(const Answers&) const = default;
};

// The first answer that differs; empty if none does.
inline std::string difference(const Answers& found, const Answers& expected) {
  std::ostringstream text;
  if (found.count != expected.count) text << found.count << " answers instead of " << expected.count;
  for (std::size_t i = 0; i < found.rows.size() && text.str().empty(); ++i) {
    if (found.rows[i] == expected.rows[i] && found.distances[i] == expected.distances[i]) continue;
    text << "answer " << i << ": row " << found.rows[i] << " at " << found.distances[i] << " instead of row "
         << expected.rows[i] << " at " << expected.distances[i];
  }
  return text.str();
}

inline Answers ask(const KnnBase& base, const KnnQuery& query) {
  Answers answers;
  answers.rows.assign(query.count * query.k, 12345);
  answers.distances.assign(query.count * query.k, -12345);
  answers.count = knn(base, query, answers.rows.data(), answers.distances.data());
  return answers;
}

// Double-precision brute force that shares no code with the library: the definitions of knn.h and knn_exact.h, spelled
// out, and everything sorted.
class BruteForce {
 public:
  BruteForce(const TestSet& set, KnnSpace space) : set_(set), space_(space) {
    for (std::size_t q = 0; q < set.asked(); ++q) {
      auto& all = sorted_.emplace_back();
      for (std::size_t row = 0; row < set.rows(); ++row) all.emplace_back(key(q, row), static_cast<std::uint32_t>(row));
      std::sort(all.begin(), all.end());
    }
  }

  Answers ask(std::size_t k, const std::vector<bool>* allowed = nullptr) const {
    Answers answers;
    for (const auto& all : sorted_) {
      answers.count = 0;
      for (const auto& [key, row] : all) {
        if (answers.count == k) break;
        if (allowed != nullptr && !(*allowed)[row]) continue;
        ++answers.count;
        answers.rows.push_back(row);
        answers.distances.push_back(static_cast<float>(space_ == KnnSpace::inner_product ? 1 + key : key));
      }
      answers.rows.resize(answers.rows.size() + k - answers.count, kNoRow32);
      answers.distances.resize(answers.rows.size(), INFINITY);
    }
    return answers;
  }

 private:
  template <class Term>
  double sum(const Term& term) const {
    double sums[8] = {};
    for (std::size_t i = 0; i < set_.dim; ++i) sums[i % 8] += term(i);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }
  double inverse_length(const float* x) const {
    const double squares = sum([&](std::size_t i) { return double{x[i]} * double{x[i]}; });
    return squares > 0 ? 1 / std::sqrt(squares) : 0;
  }
  double key(std::size_t query, std::size_t row) const {
    const float* q = set_.queries.data() + query * set_.dim;
    const float* x = set_.base.data() + row * set_.dim;
    if (space_ == KnnSpace::l2) {
      return sum([&](std::size_t i) {
        const double difference = double{q[i]} - double{x[i]};
        return difference * difference;
      });
    }
    if (space_ == KnnSpace::inner_product) {
      return -sum([&](std::size_t i) { return double{q[i]} * double{x[i]}; });
    }
    const double q_scale = inverse_length(q), x_scale = inverse_length(x);
    if (q_scale == 0 || x_scale == 0) return 1;
    return sum([&](std::size_t i) {
             const double difference = q[i] * q_scale - x[i] * x_scale;
             return difference * difference;
           }) /
           2;
  }

  const TestSet& set_;
  KnnSpace space_;
  std::vector<std::vector<std::pair<double, std::uint32_t>>> sorted_;  // of each query
};

}  // namespace boon::kernels
