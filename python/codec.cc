// boon.codec: arrays of vectors as records, and back.
#include "boon/codec/codec.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.h"
#include "boon/core/error.h"
#include "boon/index/metric.h"
#include "codec.h"
#include "errors.h"

namespace boon::python {
namespace {

using nb::literals::operator""_a;

using RecordArray = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

codec::Metric metric_of(const std::string& space) {
  const Metric metric = parse_metric(space);
  if (metric == Metric::cosine) return codec::Metric::cosine;
  return metric == Metric::l2 ? codec::Metric::l2 : codec::Metric::inner_product;
}

kernels::Matrix<const float> matrix(const FloatRows& rows) noexcept {
  return {rows.data(), rows.shape(0), rows.shape(1), rows.shape(1), 1};
}

class Codec {
 public:
  explicit Codec(const codec::CodecOptions& options) : codec_(codec::make_codec(options)) {}

  const codec::Codec& codec() const noexcept { return *codec_; }

  nb::ndarray<nb::numpy, std::uint8_t> encode(const FloatRows& rows) const {
    std::vector<std::uint8_t> records;
    {
      const nb::gil_scoped_release unlocked;
      records.resize(rows.shape(0) * codec_->record_bytes());
      codec_->encode(matrix(rows), records);
    }
    return to_numpy<std::uint8_t>(std::move(records), {rows.shape(0), codec_->record_bytes()});
  }

  nb::ndarray<nb::numpy, float> decode(const RecordArray& records) const {
    const codec::Records checked = check(records);
    const std::size_t count = records.shape(0);
    std::vector<float> rows;
    {
      const nb::gil_scoped_release unlocked;
      codec_->check(checked, count);
      rows.resize(count * codec_->dim());
      for (std::size_t i = 0; i < count; ++i) {
        codec_->decode(checked[i], std::span(rows).subspan(i * codec_->dim(), codec_->dim()));
      }
    }
    return to_numpy<float>(std::move(rows), {count, codec_->dim()});
  }

  // Of each query and each record.
  nb::ndarray<nb::numpy, float> score(const RecordArray& records, const FloatRows& queries,
                                      const std::string& space) const {
    const codec::Records checked = check(records);
    const codec::Metric metric = metric_of(space);
    const std::size_t count = records.shape(0);
    std::vector<float> scores;
    {
      const nb::gil_scoped_release unlocked;
      codec_->check(checked, count);
      scores.resize(queries.shape(0) * count);
      for (std::size_t i = 0; i < queries.shape(0); ++i) {
        const std::span query(queries.data() + i * queries.shape(1), queries.shape(1));
        codec_->query(query, metric)->score(checked, nullptr, count, scores.data() + i * count);
      }
    }
    return to_numpy<float>(std::move(scores), {queries.shape(0), count});
  }

  nb::ndarray<nb::numpy, float> scales(const RecordArray& records) const {
    const codec::Records checked = check(records);
    std::vector<float> scales;
    for (std::size_t i = 0; i < records.shape(0); ++i) scales.push_back(codec_->scale(checked[i]));
    return to_numpy<float>(std::move(scales), {records.shape(0)});
  }

 private:
  codec::Records check(const RecordArray& records) const {
    if (records.shape(1) != codec_->record_bytes()) {
      throw Error(ErrorCode::invalid_argument, "records have " + std::to_string(records.shape(1)) + " bytes each; " +
                                                   std::string(codec_->name()) + " has " +
                                                   std::to_string(codec_->record_bytes()));
    }
    return {records.data(), records.shape(1)};
  }

  std::unique_ptr<codec::Codec> codec_;
};

codec::CodecOptions fit(const std::string& name, const FloatRows& rows) {
  const nb::gil_scoped_release unlocked;
  return codec::fit(name, matrix(rows));
}

}  // namespace

void register_codec(nb::module_& m) {
  nb::class_<Codec>(m, "Codec")
      .def(
          "__init__",
          [](Codec* self, const std::string& name, std::size_t dim, const std::vector<float>& centre) {
            new (self) Codec({.name = name, .dim = dim, .centre = centre});
          },
          "name"_a, "dim"_a, "centre"_a)
      .def("encode", &Codec::encode, "rows"_a)
      .def("decode", &Codec::decode, "records"_a)
      .def("score", &Codec::score, "records"_a, "queries"_a, "space"_a)
      .def("scales", &Codec::scales, "records"_a)
      .def_prop_ro("name", [](const Codec& c) { return std::string(c.codec().name()); })
      .def_prop_ro("dim", [](const Codec& c) { return c.codec().dim(); })
      .def_prop_ro("record_bytes", [](const Codec& c) { return c.codec().record_bytes(); })
      .def_prop_ro("codes_offset", [](const Codec& c) { return c.codec().codes_offset(); })
      .def_prop_ro("codes_bytes", [](const Codec& c) { return c.codec().codes_bytes(); })
      .def_prop_ro("block_scales", [](const Codec& c) { return c.codec().block_scales(); });
  m.def(
      "fit_codec",
      [](const std::string& name, const FloatRows& rows) {
        const codec::CodecOptions options = fit(name, rows);
        return nb::make_tuple(options.name, options.centre);
      },
      "name"_a, "rows"_a);
  m.def("codec_names", [] {
    nb::list names;
    for (const std::string_view name : codec::codec_names()) names.append(std::string(name));
    return names;
  });
}

}  // namespace boon::python
