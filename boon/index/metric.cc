#include "boon/index/metric.h"

#include <string>

#include "boon/core/error.h"

namespace boon {

std::string_view name(Metric metric) noexcept {
  switch (metric) {
    case Metric::l2:
      return "l2";
    case Metric::cosine:
      return "cosine";
    case Metric::inner_product:
      return "ip";
  }
  return "unknown";
}

Metric parse_metric(std::string_view name) {
  if (name == "l2" || name == "euclidean" || name == "sqeuclidean") return Metric::l2;
  if (name == "cosine" || name == "angular" || name == "cos") return Metric::cosine;
  if (name == "ip" || name == "dot" || name == "inner_product") return Metric::inner_product;
  throw Error(ErrorCode::invalid_argument,
              "the metric \"" + std::string(name) + "\" is unknown; there are l2, cosine and ip");
}

}  // namespace boon
