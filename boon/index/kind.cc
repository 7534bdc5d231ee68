#include "boon/index/kind.h"

#include <string>

#include "boon/core/error.h"

namespace boon {

std::string_view name(IndexKind kind) noexcept {
  return kind == IndexKind::exact ? "exact" : "hnsw";
}

IndexKind parse_kind(std::string_view name) {
  if (name == "hnsw" || name == "graph") return IndexKind::hnsw;
  if (name == "exact" || name == "flat" || name == "brute") return IndexKind::exact;
  throw Error(ErrorCode::invalid_argument,
              "the kind of index \"" + std::string(name) + "\" is unknown; there are hnsw and exact");
}

}  // namespace boon
