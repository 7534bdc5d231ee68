// HDF5 in the layout of ann-benchmarks: two-dimensional sets "train", "test", "neighbors" and "distances", the metric
// as the attribute "distance", and here also "words", the names of the rows of "train".
// https://github.com/erikbern/ann-benchmarks
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "boon/cli/hdf5_handle.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

class Hdf5File {
 public:
  Hdf5File(const Path& path) : name_(path.native()), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    check_open();
  }

  Hdf5File(Bytes image, std::string_view name) : name_(name) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS));
    constexpr std::size_t kGrowth = 1 << 16;
    // The library copies the image and writes nothing back.
    if (H5Pset_fapl_core(access, kGrowth, false) < 0 ||
        H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()) < 0) {
      throw Error(ErrorCode::io, fmt::format("{}: {}", name_, reason()));
    }
    file_ = Handle(H5Fopen("image", H5F_ACC_RDONLY, access));
    check_open();
  }

  const std::string& name() const noexcept { return name_; }
  hid_t id() const noexcept { return file_; }

  bool has(const std::string& set) const {
    const auto sets = names();
    return std::find(sets.begin(), sets.end(), set) != sets.end();
  }

  // Of everything in the root group.
  std::vector<std::string> names() const {
    H5G_info_t group{};
    if (H5Gget_info(file_, &group) < 0) damaged("its list of sets");
    std::vector<std::string> result;
    for (hsize_t i = 0; i < group.nlinks; ++i) {
      const auto get = [&](char* out, std::size_t size) {
        return H5Lget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, size, H5P_DEFAULT);
      };
      const ssize_t length = get(nullptr, 0);
      if (length < 0) damaged("its list of sets");
      std::string name(static_cast<std::size_t>(length) + 1, '\0');
      if (get(name.data(), name.size()) < 0) damaged("its list of sets");
      name.pop_back();
      result.push_back(std::move(name));
    }
    return result;
  }

  Handle open_set(const std::string& set) const {
    Handle handle(H5Dopen2(file_, set.c_str(), H5P_DEFAULT));
    if (handle.valid()) return handle;
    if (has(set)) damaged(fmt::format("the set {}", in_quotes(set)));
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has no set {}; it has: {}", name_, in_quotes(set), list()));
  }

  // An extent is only a claim; the memory to be allocated for it must be in proportion to the bytes in the file.
  void check_claim(std::string_view set, hid_t data, double bytes) const {
    // Deflate packs at most 1,032 bytes into one.
    constexpr double kPacking = 1032;
    hsize_t file_bytes = 0;
    if (H5Fget_filesize(file_, &file_bytes) < 0) damaged("its size");
    const hsize_t stored = std::min(H5Dget_storage_size(data), file_bytes);
    if (bytes <= static_cast<double>(stored) * kPacking) return;
    throw Error(ErrorCode::corrupted, fmt::format("{}: the set {} claims {:.0f} bytes of values, and {} are stored",
                                                  name_, in_quotes(set), bytes, stored));
  }

  [[noreturn]] void damaged(std::string_view what) const {
    throw Error(ErrorCode::corrupted, fmt::format("{}: {} cannot be read: {}", name_, what, reason()));
  }

  [[noreturn]] void refuse(std::string_view set, std::string_view why) const {
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: the set {} {}", name_, in_quotes(set), why));
  }

 private:
  void check_open() const {
    if (!file_.valid())
      throw Error(ErrorCode::corrupted, fmt::format("{} is not a whole HDF5 file: {}", name_, reason()));
  }

  std::string list() const {
    std::vector<std::string> sets = names();
    for (std::string& set : sets) set = in_quotes(set);
    return sets.empty() ? "none" : fmt::format("{}", fmt::join(sets, ", "));
  }

  std::string name_;
  Handle file_;
};

// A two-dimensional set of numbers, open for reading.
class NumberSet {
 public:
  NumberSet(const Hdf5File& file, const std::string& set, std::size_t max_rows)
      : file_(file), set_(set), data_(file.open_set(set)), space_(H5Dget_space(data_)), type_(H5Dget_type(data_)) {
    const H5T_class_t kind = H5Tget_class(type_);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) file_.refuse(set_, "does not hold numbers");
    const int axes = H5Sget_simple_extent_ndims(space_);
    if (axes != 2) file_.refuse(set_, fmt::format("has {} axes; rows of vectors have 2", std::max(axes, 0)));
    std::array<hsize_t, 2> extent{};
    if (H5Sget_simple_extent_dims(space_, extent.data(), nullptr) < 0) file_.damaged(set_);
    rows_ = extent[0];
    dim_ = extent[1];
    if (dim_ == 0) file_.refuse(set_, "has vectors of dimension 0");
    file_.check_claim(set_, data_,
                      static_cast<double>(rows_) * static_cast<double>(dim_) * static_cast<double>(H5Tget_size(type_)));
    if (max_rows != 0) rows_ = std::min(rows_, max_rows);
  }

  std::size_t rows() const noexcept { return rows_; }
  std::size_t dim() const noexcept { return dim_; }

  // Wider than float: to be read as double, because HDF5 turns what a float cannot hold into infinity.
  bool is_wide() const { return H5Tget_class(type_) == H5T_FLOAT && H5Tget_size(type_) > sizeof(float); }

  // Rows [first, first + count) in the type `memory` describes.
  void read(hid_t memory, std::size_t first, std::size_t count, void* out) const {
    if (count == 0) return;
    const std::array<hsize_t, 2> start{first, 0};
    const std::array<hsize_t, 2> size{count, dim_};
    const Handle window(H5Screate_simple(2, size.data(), nullptr));
    const Handle source(H5Scopy(space_));
    if (H5Sselect_hyperslab(source, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dread(data_, memory, window, source, H5P_DEFAULT, out) < 0) {
      file_.damaged(fmt::format("the set {}", in_quotes(set_)));
    }
  }

 private:
  const Hdf5File& file_;
  const std::string& set_;
  Handle data_;
  Handle space_;
  Handle type_;
  std::size_t rows_ = 0;
  std::size_t dim_ = 0;
};

VectorTable read_table(const Hdf5File& file, const std::string& set, std::size_t max_rows) {
  const NumberSet source(file, set, max_rows);
  const std::string where = fmt::format("{} set {}", file.name(), in_quotes(set));
  VectorTable table;
  table.dim = source.dim();
  table.values.resize(source.rows() * source.dim());
  if (!source.is_wide()) {
    source.read(H5T_NATIVE_FLOAT, 0, source.rows(), table.values.data());
    check_finite({.file = where}, table.dim, table.values);
    return table;
  }
  constexpr std::size_t kBlockValues = 1 << 20;
  const std::size_t block_rows = std::max<std::size_t>(1, kBlockValues / table.dim);
  std::vector<double> block(std::min(block_rows, source.rows()) * table.dim);
  float* out = table.values.data();
  for (std::size_t first = 0; first < source.rows(); first += block_rows) {
    const std::size_t count = std::min(block_rows, source.rows() - first);
    source.read(H5T_NATIVE_DOUBLE, first, count, block.data());
    for (std::size_t i = 0; i < count * table.dim; ++i) {
      *out++ = narrow(block[i], {.file = where, .row = first + i / table.dim}, i % table.dim);
    }
  }
  return table;
}

// Strings of a set or an attribute, of fixed or variable length. read(type, out) fills one element a string.
std::vector<std::string> read_strings(hid_t type, hid_t space, std::size_t count,
                                      const std::function<bool(void*)>& read) {
  std::vector<std::string> result;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    const bool done = read(pointers.data());
    if (done) {
      for (const char* pointer : pointers) result.emplace_back(pointer == nullptr ? "" : pointer);
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return result;
  }
  const std::size_t width = H5Tget_size(type);
  std::vector<char> text(count * width);
  if (!read(text.data())) return result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view padded(text.data() + i * width, width);
    result.emplace_back(padded.substr(0, padded.find('\0')));
  }
  return result;
}

// The names of the first `rows` rows, from the set "words"; none if there is no such set.
std::vector<std::string> read_words(const Hdf5File& file, std::size_t rows, bool all) {
  const std::string set = "words";
  if (!file.has(set)) return {};
  const Handle data = file.open_set(set);
  const Handle type(H5Dget_type(data));
  const Handle space(H5Dget_space(data));
  if (H5Tget_class(type) != H5T_STRING) file.refuse(set, "does not hold strings");
  if (H5Sget_simple_extent_ndims(space) != 1) file.refuse(set, "has more than one axis");
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || static_cast<std::size_t>(count) < rows || (all && static_cast<std::size_t>(count) != rows)) {
    file.refuse(set, fmt::format("names {} rows, and there are {}", count, rows));
  }
  file.check_claim(set, data, static_cast<double>(count) * static_cast<double>(H5Tget_size(type)));
  const hsize_t wanted = rows;
  const Handle window(H5Screate_simple(1, &wanted, nullptr));
  const Handle source(H5Scopy(space));
  const hsize_t start = 0;
  std::vector<std::string> words = read_strings(type, window, rows, [&](void* out) {
    return H5Sselect_hyperslab(source, H5S_SELECT_SET, &start, nullptr, &wanted, nullptr) >= 0 &&
           H5Dread(data, type, window, source, H5P_DEFAULT, out) >= 0;
  });
  if (words.size() != rows) file.damaged(fmt::format("the set {}", in_quotes(set)));
  for (std::size_t row = 0; row < rows; ++row) {
    if (!simdjson::validate_utf8(words[row])) {
      throw Error(ErrorCode::corrupted,
                  fmt::format("{} set \"words\" row {}: {} is not UTF-8", file.name(), row, in_quotes(words[row])));
    }
  }
  return words;
}

std::string read_metric(const Hdf5File& file) {
  const char* const name = "distance";
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: the attribute \"distance\" {}; it names the metric, \"angular\" or \"euclidean\"",
                            file.name(), why));
  };
  if (H5Aexists(file.id(), name) <= 0) refuse("is missing");
  const Handle attribute(H5Aopen(file.id(), name, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) refuse("is not one string");
  auto text = read_strings(type, space, 1, [&](void* out) { return H5Aread(attribute, type, out) >= 0; });
  if (text.empty()) file.damaged("the attribute \"distance\"");
  return std::move(text.front());
}

VectorTable read_named_table(const Hdf5File& file, const std::string& set, std::size_t max_rows) {
  VectorTable table = read_table(file, set, max_rows);
  const bool all = max_rows == 0 || table.rows() < max_rows;
  if (set == "train") table.names = read_words(file, table.rows(), all);
  if (H5Aexists(file.id(), "distance") > 0) table.metric = read_metric(file);
  return table;
}

// The ground truth agrees with the tables it is about.
void check_truth(const Hdf5File& file, const BenchmarkSet& set, const NumberSet& neighbours,
                 const NumberSet& distances) {
  if (set.train.dim != set.test.dim) {
    file.refuse("test", fmt::format("has dimension {}, and \"train\" has {}", set.test.dim, set.train.dim));
  }
  if (neighbours.rows() != set.test.rows()) {
    file.refuse("neighbors", fmt::format("has {} rows, and \"test\" has {}", neighbours.rows(), set.test.rows()));
  }
  if (distances.rows() != neighbours.rows() || distances.dim() != neighbours.dim()) {
    file.refuse("distances", fmt::format("is {} x {}, and \"neighbors\" is {} x {}", distances.rows(), distances.dim(),
                                         neighbours.rows(), neighbours.dim()));
  }
  for (std::size_t i = 0; i < set.neighbours.size(); ++i) {
    const std::int32_t row = set.neighbours[i];
    if (row < 0 || static_cast<std::size_t>(row) >= set.train.rows()) {
      file.refuse("neighbors", fmt::format("row {} names row {} of \"train\", which has {} rows", i / set.truth_k, row,
                                           set.train.rows()));
    }
  }
}

}  // namespace

VectorTable read_hdf5(const Path& path, const ReadOptions& options) {
  const QuietErrors quiet;
  return read_named_table(Hdf5File(path), options.dataset, options.max_rows);
}

VectorTable parse_hdf5(Bytes bytes, std::string_view file, const ReadOptions& options) {
  const QuietErrors quiet;
  return read_named_table(Hdf5File(bytes, file), options.dataset, options.max_rows);
}

BenchmarkSet read_benchmark_set(const Path& path) {
  const MappedFile exists(path);  // for the system's own reason when it cannot be read at all
  const QuietErrors quiet;
  const Hdf5File file(path);
  const std::string names[] = {"neighbors", "distances"};
  BenchmarkSet set;
  set.metric = read_metric(file);
  set.train = read_named_table(file, "train", 0);
  set.test = read_table(file, "test", 0);
  const NumberSet neighbours(file, names[0], 0);
  const NumberSet distances(file, names[1], 0);
  set.truth_k = neighbours.dim();
  set.neighbours.resize(neighbours.rows() * neighbours.dim());
  neighbours.read(H5T_NATIVE_INT32, 0, neighbours.rows(), set.neighbours.data());
  check_truth(file, set, neighbours, distances);
  set.distances = read_table(file, names[1], 0).values;
  return set;
}

}  // namespace boon::cli
