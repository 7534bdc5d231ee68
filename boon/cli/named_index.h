// An index as the command line sees it: vectors called by number, or by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "boon/cli/names.h"
#include "boon/cli/vectors.h"
#include "boon/core/file.h"
#include "boon/index/index.h"

namespace boon::cli {

// The attachment that tells the file of `boon demo` from any other, so that the demo may replace it. It is lost with
// the first change: what a user has put in is the user's.
inline constexpr std::string_view kDemoMark = "demo";

struct NamedIndex {
  Index index;
  std::optional<Names> names;  // nothing: ids are all there is
  Path path;                   // for messages

  // For searching; the file stays mapped. Throws as Index::view does, and corrupted for a damaged table of names.
  static NamedIndex view(const Path& path);
  // For changes; the caller holds the WriterLock.
  static NamedIndex load(const Path& path);
  void save();

  // The vector's name, or its id where it has none.
  std::string label(Id id) const;
  // The id behind a name or, in an index without names, a number. Throws not_found, with close spellings.
  Id find(std::string_view text) const;
};

// Throws not_found, with what makes an index, if there is no file. For commands that lock it, lest a lock stands there
// alone.
void require_file(const Path& path);

// What to do with a row whose name or id is there already.
enum class Existing { refuse, replace, pass_over };

struct Added {
  std::size_t rows = 0;   // given
  std::size_t added = 0;  // new
  std::size_t replaced = 0;
  std::size_t passed_over = 0;
  bool interrupted = false;  // by options.progress; the counts say what was done, and the index is whole
};

// Adds a table read from `source` to the index and its names. With pass_over, rows without ids count as 0, 1, 2 …, as
// in the build that they came from. Throws invalid_argument (a wrong dimension, names where ids are used or the other
// way round, an empty name, a name or id twice, a value that the index refuses) and already_exists; the index may then
// only be dropped.
Added add_rows(NamedIndex& target, const VectorTable& table, std::string_view source, Existing existing,
               AddOptions options);

}  // namespace boon::cli
