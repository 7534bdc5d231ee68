// The stored form of an index: docs/formats/index.md.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "boon/index/impl.h"

namespace boon {
namespace {

using index::Element;
using index::Section;

// The first format with rows of bytes, in a section in place of "vectors", the first that may have no graph, the first
// that may have codes, and the first in which vectors may be rounded, as a section says.
constexpr std::uint32_t kFormatOfBytes = 2;
constexpr std::uint32_t kFormatOfExact = 3;
constexpr std::uint32_t kFormatOfCodes = 4;
constexpr std::uint32_t kFormatOfDtypes = 5;
constexpr std::string_view kSectionOfBytes = "bytes";
constexpr std::string_view kSectionOfFloats = "vectors";
constexpr const char* kFloor = "floor";
constexpr const char* kDtype = "dtype";
constexpr const char* kCodec = "codec";
constexpr const char* kCodes = "codes";
constexpr const char* kRecall = "recall";

// The section "meta", as it lies in the file.
struct Meta {
  std::uint32_t metric;
  std::uint32_t dim;
  std::uint64_t slots;
  std::uint64_t stride;  // components from one row to the next
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

// The section "codec": the codes that were asked for and, where the index has chosen some, which: "auto:nvfp4". Nothing
// for no codes.
constexpr std::string_view kChosen = "auto:";
std::string stored_codec(std::string_view asked, std::string_view held) {
  if (held == index::kNoCodes) return asked == index::kCodesToChoose ? std::string(asked) : "";
  return (asked == index::kCodesToChoose ? std::string(kChosen) : "") + std::string(held);
}
struct CodesFound {
  std::string asked{index::kNoCodes}, held{index::kNoCodes};
};
CodesFound codes_from(Bytes section, bool coded, std::string_view file) {
  const std::string text(reinterpret_cast<const char*>(section.data()), section.size());
  CodesFound found;
  if (!coded) {
    if (!text.empty() && text != index::kCodesToChoose) damaged(file, "it has no codes and says which");
    if (!text.empty()) found.asked = text;
    return found;
  }
  const bool chosen = text.starts_with(kChosen);
  found.held = chosen ? text.substr(kChosen.size()) : text;
  found.asked = chosen ? std::string(index::kCodesToChoose) : found.held;
  const auto names = code_names();
  if (found.held == index::kNoCodes || found.held == index::kCodesToChoose ||
      std::find(names.begin(), names.end(), found.held) == names.end()) {
    damaged(file, "its vectors are coded in an unknown way");
  }
  return found;
}

std::string dtype_from(Bytes section, std::string_view file) {
  std::string text(reinterpret_cast<const char*>(section.data()), section.size());
  if (index::element_of(text) == Element::f32) damaged(file, "its vectors are held in an unknown way");
  return text;
}

// An exponent of all ones is an infinity or a NaN.
template <std::uint16_t kExponent>
bool all_finite(Bytes halves) noexcept {
  const auto* bits = reinterpret_cast<const std::uint16_t*>(halves.data());
  bool bad = false;
  for (std::size_t i = 0; i < halves.size() / sizeof *bits; ++i) bad |= (bits[i] & kExponent) == kExponent;
  return !bad;
}
bool all_finite(Element element, Bytes rows) noexcept {
  switch (element) {
    case Element::u8:
      return true;
    case Element::fp16:
      return all_finite<0x7c00>(rows);
    case Element::bf16:
      return all_finite<0x7f80>(rows);
    case Element::f32:
      break;
  }
  const std::size_t count = rows.size() / sizeof(float);
  return kernels::distances().first_not_finite(reinterpret_cast<const float*>(rows.data()), count) == count;
}

}  // namespace

void Index::Impl::save(const Path& path) const {
  // Waits for a writer, so that what is stored is whole; searches go on.
  std::lock_guard writer(writer_);
  const std::size_t used = slots_.used();
  will_read_rows();
  const graph::Hnsw::Parts parts = has_graph() ? graph_.parts(used) : graph::Hnsw::Parts{};
  const bool of_bytes = rows_.element() == Element::u8;
  const Meta meta{static_cast<std::uint32_t>(options_.metric),
                  static_cast<std::uint32_t>(options_.dim),
                  used,
                  vectors().stride / kernels::bytes_of(rows_.element()),
                  next_id_,
                  options_.graph.neighbours,
                  options_.graph.build_beam,
                  options_.graph.level_mult,
                  options_.graph.alpha,
                  options_.graph.seed,
                  static_cast<std::uint32_t>(parts.uppers.size()),
                  parts.entry_row};
  std::vector<Section> sections{{"meta", as_bytes(&meta, 1)},
                                {std::string(of_bytes ? kSectionOfBytes : kSectionOfFloats), rows_.stored(used)},
                                {"states", slots_.states()}};
  if (has_graph()) sections.push_back({kFloor, parts.floor});
  const bool rounds = rows_.wide() != Element::f32;
  if (rounds) sections.push_back({kDtype, as_bytes(options_.dtype.data(), options_.dtype.size())});
  const std::string codec = !has_graph() ? "" : stored_codec(options_.codes, codes_.name());
  if (!codec.empty()) sections.push_back({kCodec, as_bytes(codec.data(), codec.size())});
  if (!codes_.none()) sections.push_back({kCodes, codes_.stored(used)});
  const std::vector<std::byte> recall = recall_tables_.stored();
  if (!recall.empty()) sections.push_back({kRecall, recall});
  if (!slots_.ids_are_places()) sections.push_back({"ids", slots_.ids()});
  for (std::size_t i = 0; i < parts.uppers.size(); ++i) sections.push_back({level_name(i + 1), parts.uppers[i]});
  for (const auto& [name, bytes] : attachments_) sections.push_back({"+" + name, bytes});
  for (const auto& [name, bytes] : viewed_attachments_) sections.push_back({"+" + name, bytes});
  // What an older boon can read says so.
  const std::uint32_t version = rounds           ? kFormatOfDtypes
                                : !codes_.none() ? kFormatOfCodes
                                : !has_graph()   ? kFormatOfExact
                                : of_bytes       ? kFormatOfBytes
                                                 : 1;
  index::write_container(path, version, sections);
}

std::unique_ptr<Index::Impl> Index::Impl::open(const Path& path, bool view) {
  const std::string file_name = path.string();
  MappedFile file(path);
  if (!view) file.will_read();
  const index::Container container = index::read_container(file.bytes(), file_name);
  const std::vector<Section>& sections = container.sections;
  const auto checked = [&](std::string_view name) -> Bytes {
    const Section& section = need(sections, name, file_name);
    index::verify(section, file_name);
    return section.bytes;
  };

  const Bytes meta_bytes = checked("meta");
  Meta meta{};
  if (meta_bytes.size() != sizeof(Meta)) damaged(file_name, "its section \"meta\" has a wrong size");
  std::memcpy(&meta, meta_bytes.data(), sizeof(Meta));
  IndexOptions options = options_from(meta, file_name);
  if (container.version >= kFormatOfExact && find_section(sections, kFloor) == nullptr) options.kind = IndexKind::exact;
  if (container.version >= kFormatOfDtypes) options.dtype = dtype_from(checked(kDtype), file_name);
  // Format 5 is that of all that came before it.
  const bool coded = container.version == kFormatOfCodes ||
                     (container.version > kFormatOfCodes && find_section(sections, kCodes) != nullptr);
  const CodesFound found =
      codes_from(find_section(sections, kCodec) != nullptr ? checked(kCodec) : Bytes(), coded, file_name);
  if (coded && options.kind == IndexKind::exact) damaged(file_name, "it has codes and no graph");
  options.codes = found.asked;
  auto impl = std::make_unique<Impl>(options);
  if (coded) impl->codes_ = index::Codes(found.held, options.dim);

  const Element element = find_section(sections, kSectionOfBytes) != nullptr ? Element::u8 : impl->rows_.wide();
  const auto rows_section = element == Element::u8 ? kSectionOfBytes : kSectionOfFloats;
  const Bytes rows = view ? need(sections, rows_section, file_name).bytes : checked(rows_section);
  impl->rows_.start(element);
  const std::size_t stride = impl->vectors().stride;
  const std::size_t components = stride / kernels::bytes_of(element);
  const Bytes states = checked("states");
  const Bytes ids = find_section(sections, "ids") != nullptr ? checked("ids") : Bytes();
  const std::size_t used = meta.slots;
  // Sizes are compared by division: a product of numbers from a file may overflow.
  if (meta.stride != components || states.size() != used || used > graph::kMaxNodes || rows.size() / stride != used ||
      rows.size() % stride != 0 || (!ids.empty() && ids.size() != used * sizeof(Id)) ||
      (element == Element::u8 && impl->options_.metric != Metric::l2)) {
    damaged(file_name, "its sections do not fit together");
  }
  if (!view && !all_finite(element, rows)) damaged(file_name, "a vector holds a value that is not a number");
  const Bytes codes = coded ? checked(kCodes) : Bytes();
  if (coded && codes.size() != impl->codes_.bytes(used)) damaged(file_name, "it has not a code for each place");
  graph::Hnsw::Parts parts{impl->has_graph() ? checked(kFloor) : Bytes(), {}, meta.entry_row};
  if (!impl->has_graph() && meta.levels > 0) damaged(file_name, "it has levels of a graph and no floor");
  const bool calibrated = find_section(sections, kRecall) != nullptr;
  if (calibrated && !impl->has_graph()) damaged(file_name, "it has a calibration and no graph");
  const Bytes recall = calibrated ? checked(kRecall) : Bytes();
  if (meta.levels > graph::kMaxLevel) damaged(file_name, "it has too many levels");
  for (std::size_t level = 1; level <= meta.levels; ++level) parts.uppers.push_back(checked(level_name(level)));

  try {
    if (impl->has_graph()) impl->graph_.adopt(parts, used, !view);
    impl->slots_.adopt(states, ids, !view);
    if (coded) impl->codes_.adopt(codes, !view);
    impl->recall_tables_.adopt(recall);
  } catch (const Error& error) {
    throw Error(error.code(), file_name + ": " + error.what());
  }
  impl->next_id_ = meta.next_id;
  if (impl->slots_.live() >= index::kCodesFrom) impl->next_choice_ = 2 * impl->slots_.live();
  impl->read_only_ = view;
  impl->rows_.adopt(element, rows, !view);
  if (!view && used > 0) impl->restore_norms();
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
  if (view) {
    // Walks over codes read few rows; without codes, or a graph, most are read.
    if (coded) file.will_read_scattered(rows);
    impl->file_ = std::move(file);
  }
  return impl;
}

}  // namespace boon
