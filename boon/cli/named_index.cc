#include "boon/cli/named_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "boon/cli/spelling.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

constexpr std::string_view kNames = "names";

NamedIndex with_names(Index index, const Path& path) {
  NamedIndex result{.index = std::move(index), .names = std::nullopt, .path = path};
  const Bytes bytes = result.index.attachment(kNames);
  if (bytes.empty()) return result;
  try {
    result.names = Names::parse(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path.native(), error.what()));
  }
  return result;
}

std::optional<Id> as_number(std::string_view text) noexcept {
  Id id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

void check_table(const NamedIndex& target, const VectorTable& table, std::string_view source) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} cannot be added to {}: {}", source, target.path.native(), why));
  };
  if (table.dim != target.index.dim()) {
    refuse(fmt::format("its vectors have {} components, those of the index {}", table.dim, target.index.dim()));
  }
  if (target.names && table.names.empty()) refuse("the index calls its vectors by name, and these have none");
  if (!target.names && !table.names.empty()) refuse("the index calls its vectors by number, and these have names");
}

// The ids of a named table's rows: where a name is known its id, else one that is free.
std::vector<Id> ids_for_names(const Names& names, const VectorTable& table, std::string_view source,
                              Existing existing) {
  auto known = names.by_name();
  const std::size_t known_before = known.size();
  std::unordered_map<std::string_view, std::size_t> rows;
  rows.reserve(table.names.size());
  const std::vector<Id> free = known_before < names.size() ? names.free_ids() : std::vector<Id>();
  std::size_t used = 0;
  std::vector<Id> ids;
  ids.reserve(table.names.size());
  for (std::size_t row = 0; row < table.names.size(); ++row) {
    const std::string& name = table.names[row];
    if (name.empty()) throw Error(ErrorCode::invalid_argument, fmt::format("{} row {} has an empty name", source, row));
    const auto [first, fresh] = rows.emplace(name, row);
    if (!fresh) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} has {} twice, in rows {} and {}", source, in_quotes(name), first->second, row));
    }
    const auto it = known.find(name);
    if (it != known.end() && existing == Existing::refuse) {
      throw Error(ErrorCode::already_exists,
                  fmt::format("{} row {}: {} is in the index already; --replace gives it the new vector", source, row,
                              in_quotes(name)));
    }
    if (it != known.end()) {
      ids.push_back(it->second);
    } else {
      ids.push_back(used < free.size() ? free[used] : names.size() + (used - free.size()));
      ++used;
    }
  }
  return ids;
}

// The rows that an interrupted build did not come to.
struct Rest {
  std::vector<float> values;
  std::vector<Id> ids;
  std::vector<std::size_t> rows;
};

Rest rows_not_in(const Index& index, const VectorTable& table, const std::vector<Id>& ids) {
  Rest rest;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (index.contains(ids[row])) continue;
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * table.dim);
    rest.values.insert(rest.values.end(), first, first + static_cast<std::ptrdiff_t>(table.dim));
    rest.ids.push_back(ids[row]);
    rest.rows.push_back(row);
  }
  return rest;
}

// Index::add with `source` in its messages; false when it was stopped.
bool add_to(Index& index, std::span<const float> values, std::span<const Id> ids, std::string_view source,
            const AddOptions& options) {
  try {
    index.add(values, ids, options);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) return false;
    if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::already_exists) throw;
    throw Error(error.code(), fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace

void require_file(const Path& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (status.type() != std::filesystem::file_type::not_found) return;
  throw Error(ErrorCode::not_found, fmt::format("{} does not exist; boon build makes an index", path.native()));
}

NamedIndex NamedIndex::view(const Path& path) {
  return with_names(Index::view(path), path);
}

NamedIndex NamedIndex::load(const Path& path) {
  NamedIndex loaded = with_names(Index::load(path), path);
  loaded.index.detach(kDemoMark);
  return loaded;
}

void NamedIndex::save() {
  if (names) {
    index.attach(kNames, names->serialise());
  } else {
    index.detach(kNames);  // those of an index that was emptied and now counts
  }
  index.save(path);
}

std::string NamedIndex::label(Id id) const {
  const std::string_view name = names ? names->of(id) : std::string_view();
  return name.empty() ? std::to_string(id) : std::string(name);
}

Id NamedIndex::find(std::string_view text) const {
  if (names) {
    const std::optional<Id> id = names->find(text);
    if (id && index.contains(*id)) return *id;
    throw Error(ErrorCode::not_found,
                fmt::format("{} is not in {}{}", in_quotes(text), path.native(), did_you_mean(names->close_to(text))));
  }
  const std::optional<Id> id = as_number(text);
  if (!id) {
    throw Error(ErrorCode::not_found, fmt::format("{} is not in {}, which calls its vectors by number and has no names",
                                                  in_quotes(text), path.native()));
  }
  if (!index.contains(*id)) throw Error(ErrorCode::not_found, fmt::format("{} has no vector {}", path.native(), *id));
  return *id;
}

Added add_rows(NamedIndex& target, const VectorTable& table, std::string_view source, Existing existing,
               AddOptions options) {
  // An empty index has not yet decided.
  if (target.index.size() == 0) target.names = table.names.empty() ? std::nullopt : std::optional<Names>(Names());
  check_table(target, table, source);
  std::vector<Id> ids = table.ids;
  if (target.names) ids = ids_for_names(*target.names, table, source, existing);
  if (ids.empty() && existing == Existing::pass_over) {
    for (Id id = 0; id < table.rows(); ++id) ids.push_back(id);
  }

  Added result{.rows = table.rows()};
  options.replace = existing == Existing::replace;
  const std::size_t before = target.index.size();
  bool whole = true;
  if (existing == Existing::pass_over) {
    const Rest rest = rows_not_in(target.index, table, ids);
    result.passed_over = table.rows() - rest.ids.size();
    const std::string what = result.passed_over == 0 ? std::string(source) : fmt::format("{}, new rows alone", source);
    if (!rest.ids.empty()) whole = add_to(target.index, rest.values, rest.ids, what, options);
  } else {
    if (options.replace) {
      result.replaced =
          static_cast<std::size_t>(std::ranges::count_if(ids, [&](Id id) { return target.index.contains(id); }));
    }
    whole = add_to(target.index, table.values, ids, source, options);
  }
  result.interrupted = !whole;
  result.added = target.index.size() - before;
  if (target.names) {
    for (std::size_t row = 0; row < ids.size(); ++row) {
      // In the order of the rows, so ids grow by one; those not reached leave a free id behind.
      if (ids[row] >= target.names->size() || target.names->of(ids[row]).empty())
        target.names->set(ids[row], table.names[row]);
    }
    for (std::size_t row = 0; !whole && row < ids.size(); ++row) {
      if (!target.index.contains(ids[row])) target.names->erase(ids[row]);
    }
  }
  return result;
}

}  // namespace boon::cli
