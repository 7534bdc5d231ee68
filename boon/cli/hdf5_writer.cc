// Writing HDF5 in the layout of ann-benchmarks.
#include <fmt/format.h>

#include "boon/cli/hdf5_handle.h"
#include "boon/cli/vectors.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

// A file in memory; written as a whole when it is complete.
class Hdf5Image {
 public:
  explicit Hdf5Image(const Path& target) : target_(target) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS));
    constexpr std::size_t kGrowth = 1 << 22;
    require(H5Pset_fapl_core(access, kGrowth, false) >= 0);
    file_ = Handle(H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access));
    require(file_.valid());
  }

  template <class T>
  void put(const char* name, hid_t type, std::size_t rows, std::size_t columns, const std::vector<T>& values) {
    const hsize_t extent[2] = {rows, columns};
    const Handle space(H5Screate_simple(2, extent, nullptr));
    const Handle set(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    require(set.valid());
    if (!values.empty()) require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  }

  void put_words(const std::vector<std::string>& words) {
    const Handle type = text_type(H5T_VARIABLE);
    const hsize_t extent = words.size();
    const Handle space(H5Screate_simple(1, &extent, nullptr));
    const Handle set(H5Dcreate2(file_, "words", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    require(set.valid());
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0);
  }

  void put_attribute(const char* name, const std::string& text) {
    const Handle type = text_type(text.size());
    const Handle space(H5Screate(H5S_SCALAR));
    const Handle attribute(H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    require(attribute.valid() && H5Awrite(attribute, type, text.data()) >= 0);
  }

  void write() {
    require(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0);
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    require(size > 0);
    std::vector<std::byte> image(static_cast<std::size_t>(size));
    require(H5Fget_file_image(file_, image.data(), image.size()) == size);
    AtomicFile out(target_);
    out.write(image);
    out.commit();
  }

 private:
  static Handle text_type(std::size_t width) {
    Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, width);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }
  void require(bool done) const {
    if (!done) throw Error(ErrorCode::out_of_memory, fmt::format("{} cannot be made: {}", target_.native(), reason()));
  }

  Path target_;
  Handle file_;
};

}  // namespace

void write_benchmark_set(const Path& path, const BenchmarkSet& set, bool vectors) {
  const QuietErrors quiet;
  Hdf5Image image(path);
  if (vectors) {
    image.put("train", H5T_NATIVE_FLOAT, set.train.rows(), set.train.dim, set.train.values);
    image.put("test", H5T_NATIVE_FLOAT, set.test.rows(), set.test.dim, set.test.values);
    if (!set.train.names.empty()) image.put_words(set.train.names);
  }
  const std::size_t queries = set.truth_k == 0 ? 0 : set.neighbours.size() / set.truth_k;
  image.put("neighbors", H5T_NATIVE_INT32, queries, set.truth_k, set.neighbours);
  image.put("distances", H5T_NATIVE_FLOAT, queries, set.truth_k, set.distances);
  image.put_attribute("distance", set.metric);
  image.write();
}

}  // namespace boon::cli
