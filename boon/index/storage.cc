// The stored form of an index: docs/formats/index.md.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "boon/index/impl.h"

namespace boon {
namespace {

using index::Section;

// The section "meta", as it lies in the file.
struct Meta {
  std::uint32_t metric;
  std::uint32_t dim;
  std::uint64_t slots;
  std::uint64_t stride;  // floats from one row to the next
  std::uint64_t next_id;
  std::uint64_t neighbours;
  std::uint64_t build_beam;
  double level_mult;
  double alpha;
  std::uint64_t seed;
  std::uint32_t levels;  // above the floor
  std::uint32_t entry_row;
};
static_assert(sizeof(Meta) == 80 && std::is_trivially_copyable_v<Meta>);

const Section* find_section(const std::vector<Section>& sections, std::string_view name) {
  for (const Section& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

[[noreturn]] void damaged(std::string_view file, std::string_view what) {
  throw Error(ErrorCode::corrupted, fmt::format("{} is damaged: {}", file, what));
}

const Section& need(const std::vector<Section>& sections, std::string_view name, std::string_view file) {
  const Section* section = find_section(sections, name);
  if (section == nullptr) damaged(file, fmt::format("it has no section \"{}\"", name));
  return *section;
}

std::string level_name(std::size_t level) {
  return fmt::format("level{}", level);
}

IndexOptions options_from(const Meta& meta, std::string_view file) {
  IndexOptions options;
  if (meta.metric > static_cast<std::uint32_t>(Metric::inner_product)) damaged(file, "its metric is unknown");
  options.metric = static_cast<Metric>(meta.metric);
  options.dim = meta.dim;
  options.graph.neighbours = meta.neighbours;
  options.graph.build_beam = meta.build_beam;
  options.graph.level_mult = meta.level_mult;
  options.graph.alpha = meta.alpha;
  options.graph.seed = meta.seed;
  try {
    options.validate();
  } catch (const Error& error) {
    damaged(file, error.what());
  }
  return options;
}

}  // namespace

void Index::Impl::save(const Path& path) const {
  // Waits for a writer, so that what is stored is whole; searches go on.
  std::lock_guard writer(writer_);
  const std::size_t used = slots_.used();
  const graph::Hnsw::Parts parts = graph_.parts(used);
  const Meta meta{static_cast<std::uint32_t>(options_.metric),
                  static_cast<std::uint32_t>(options_.dim),
                  used,
                  stride_,
                  next_id_,
                  options_.graph.neighbours,
                  options_.graph.build_beam,
                  options_.graph.level_mult,
                  options_.graph.alpha,
                  options_.graph.seed,
                  static_cast<std::uint32_t>(parts.uppers.size()),
                  parts.entry_row};
  std::vector<Section> sections{{"meta", as_bytes(&meta, 1)},
                                {"vectors", as_bytes(base_, used * stride_)},
                                {"states", slots_.states()},
                                {"floor", parts.floor}};
  if (!slots_.ids_are_places()) sections.push_back({"ids", slots_.ids()});
  for (std::size_t i = 0; i < parts.uppers.size(); ++i) sections.push_back({level_name(i + 1), parts.uppers[i]});
  for (const auto& [name, bytes] : attachments_) sections.push_back({"+" + name, bytes});
  for (const auto& [name, bytes] : viewed_attachments_) sections.push_back({"+" + name, bytes});
  index::write_container(path, sections);
}

std::unique_ptr<Index::Impl> Index::Impl::open(const Path& path, bool view) {
  const std::string file_name = path.string();
  MappedFile file(path);
  if (!view) file.will_read();
  const std::vector<Section> sections = index::read_container(file.bytes(), file_name);
  const auto checked = [&](std::string_view name) -> Bytes {
    const Section& section = need(sections, name, file_name);
    index::verify(section, file_name);
    return section.bytes;
  };

  const Bytes meta_bytes = checked("meta");
  Meta meta{};
  if (meta_bytes.size() != sizeof(Meta)) damaged(file_name, "its section \"meta\" has a wrong size");
  std::memcpy(&meta, meta_bytes.data(), sizeof(Meta));
  auto impl = std::make_unique<Impl>(options_from(meta, file_name));

  const Bytes vectors = view ? need(sections, "vectors", file_name).bytes : checked("vectors");
  const Bytes states = checked("states");
  const Bytes ids = find_section(sections, "ids") != nullptr ? checked("ids") : Bytes();
  const std::size_t used = meta.slots;
  // Sizes are compared by division: a product of numbers from a file may overflow.
  if (meta.stride != impl->stride_ || states.size() != used || used > graph::kMaxNodes ||
      vectors.size() / sizeof(float) / impl->stride_ != used || vectors.size() % (impl->stride_ * sizeof(float)) != 0 ||
      (!ids.empty() && ids.size() != used * sizeof(Id))) {
    damaged(file_name, "its sections do not fit together");
  }
  if (!view) {
    const auto* values = reinterpret_cast<const float*>(vectors.data());
    if (kernels::distances().first_not_finite(values, used * impl->stride_) < used * impl->stride_) {
      damaged(file_name, "a vector holds a value that is not a number");
    }
  }
  graph::Hnsw::Parts parts{checked("floor"), {}, meta.entry_row};
  if (meta.levels > graph::kMaxLevel) damaged(file_name, "it has too many levels");
  for (std::size_t level = 1; level <= meta.levels; ++level) parts.uppers.push_back(checked(level_name(level)));

  try {
    impl->graph_.adopt(parts, used, !view);
    impl->slots_.adopt(states, ids, !view);
  } catch (const Error& error) {
    throw Error(error.code(), file_name + ": " + error.what());
  }
  impl->next_id_ = meta.next_id;
  impl->read_only_ = view;
  if (view) {
    impl->base_ = reinterpret_cast<const float*>(vectors.data());
  } else if (used > 0) {
    impl->vector_buffer_.reserve(vectors.size());
    std::memcpy(impl->vector_buffer_.data(), vectors.data(), vectors.size());
    impl->set_base();
    impl->restore_norms();
  }
  for (const Section& section : sections) {
    if (section.name.front() != '+') continue;
    index::verify(section, file_name);
    if (view) {
      impl->viewed_attachments_.emplace(section.name.substr(1), section.bytes);
    } else {
      impl->attachments_.emplace(section.name.substr(1),
                                 std::vector<std::byte>(section.bytes.begin(), section.bytes.end()));
    }
  }
  if (view) impl->file_ = std::move(file);
  return impl;
}

}  // namespace boon
