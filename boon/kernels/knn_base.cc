#include "boon/kernels/knn_base.h"

#include <algorithm>
#include <string>

#include "boon/core/error.h"

namespace boon::kernels {
namespace {

void check(const KnnRows& rows) {
  const auto refuse = [](ErrorCode code, const std::string& why) { throw Error(code, why); };
  if (rows.dim == 0 || rows.dim > KnnBase::kDimMax) {
    refuse(ErrorCode::invalid_argument, "rows of " + std::to_string(rows.dim) + " components: there may be 1 to " +
                                            std::to_string(KnnBase::kDimMax));
  }
  const std::size_t element_bytes = bytes_of(rows.element), row_bytes = rows.dim * element_bytes;
  if (rows.stride_bytes < row_bytes) {
    refuse(ErrorCode::invalid_argument, "rows of " + std::to_string(row_bytes) + " bytes cannot stand " +
                                            std::to_string(rows.stride_bytes) + " bytes apart");
  }
  if (rows.stride_bytes % element_bytes != 0) {
    refuse(ErrorCode::invalid_argument, "rows of floats cannot stand " + std::to_string(rows.stride_bytes) +
                                            " bytes apart: no multiple of " + std::to_string(element_bytes));
  }
  if (rows.count >= kNoRow32) {
    refuse(ErrorCode::unsupported,
           std::to_string(rows.count) + " rows: exact search takes up to 4,294,967,294; search them in parts");
  }
}

// Tiles are 64 components deep. For fewer than half of that, zeros would be most of what is held, and of what a single
// query reads.
constexpr std::size_t kAmxDimMin = 32;

// What an instruction set searches with.
void choose_kernels(Isa isa, IsaSupport support, KnnBase::Parts& base, const KnnCodeKernels*& codes) noexcept {
  switch (isa) {
    case Isa::scalar:
      base.distances = distances(Isa::scalar);
      base.exact = &kExactScalar;
      base.floats = &kKnnFloatsScalar;
      codes = &kKnnCodesScalar;
      break;
    case Isa::avx2:
      base.distances = distances(Isa::avx2);
      base.exact = &kExactAvx2;
      base.floats = &kKnnFloatsAvx2;
      codes = &kKnnCodesAvx2;
      break;
    case Isa::avx512:
    case Isa::amx:
      base.distances = distances(Isa::avx512);
      base.exact = &kExactAvx512;
      base.floats = &kKnnFloatsAvx512;
      codes = support.avx512_vnni ? &kKnnCodesVnni : &kKnnCodesAvx512;
      if (isa == Isa::amx && base.rows.dim >= kAmxDimMin) codes = &kKnnCodesAmx;
      break;
  }
}

// Lengths of the framed rows.
void measure(KnnBase::Parts& base, ThreadPool& pool) {
  const std::size_t count = base.rows.count;
  base.half_squares.resize(count);
  constexpr std::size_t kGrain = 1024;
  pool.for_each((count + kGrain - 1) / kGrain, 1, [&](std::size_t chunk, std::size_t) {
    const std::size_t begin = chunk * kGrain;
    half_squares(*base.exact, base.rows, base.space, base.frame, base.inverse_lengths.data(), begin,
                 std::min(count, begin + kGrain), base.half_squares.data() + begin);
  });
  float largest = 0;
  for (const float half_square : base.half_squares) largest = std::max(largest, half_square);
  base.longest = KnnBase::Parts::length_of(largest);
  base.fits = largest <= 0x1p80f;
  for (const double inverse : base.inverse_lengths) {
    base.fits = base.fits && (inverse == 0 || (inverse >= 0x1p-126 && inverse <= 0x1p126));
  }
}

// Whether all rows are of whole numbers from 0 to 255.
bool are_whole(const KnnRows& rows) noexcept {
  if (rows.element == Element::u8) return true;
  for (std::size_t row = 0; row < rows.count; ++row) {
    for (std::size_t i = 0; i < rows.dim; ++i) {
      const float x = component(rows, row, i);
      if (!(x >= 0 && x <= 255 && x == static_cast<float>(static_cast<int>(x)))) return false;
    }
  }
  return true;
}

}  // namespace

float frame_row(const KnnBase::Parts& base, std::size_t row, float* out) noexcept {
  const float* center = base.frame.center.data();
  return with_type(base.rows.element, [&]<class T>(std::type_identity<T>) {
    return base.floats->framing<T>().frame(row_of<T>(base.rows, row), base.rows.dim, base.scale(row), center, out);
  });
}

KnnBase::KnnBase(const KnnRows& rows, const KnnBaseOptions& options) : parts_(std::make_unique<Parts>()) {
  check(rows);
  const Isa isa = options.isa.value_or(isa_in_use());
  if (!options.support.has(isa)) {
    throw Error(ErrorCode::unsupported, "this processor has no " + std::string(name(isa)));
  }
  Parts& base = *parts_;
  base.rows = rows;
  base.space = options.space;
  const KnnCodeKernels* code_kernels = nullptr;
  choose_kernels(isa, options.support, base, code_kernels);

  ThreadPool pool(options.threads);
  if (options.space == KnnSpace::cosine) {
    base.inverse_lengths.resize(rows.count);
    constexpr std::size_t kGrain = 1024;
    pool.for_each((rows.count + kGrain - 1) / kGrain, 1, [&](std::size_t chunk, std::size_t) {
      const std::size_t begin = chunk * kGrain;
      inverse_lengths(*base.exact, rows, begin, std::min(rows.count, begin + kGrain),
                      base.inverse_lengths.data() + begin);
    });
  }
  base.frame = choose_frame(rows, options.space, base.inverse_lengths.data());
  base.frame.whole = base.frame.whole && are_whole(rows);
  measure(base, pool);
  if (options.codes && base.fits && rows.dim <= KnnCodes::kDimMax) base.codes = make_codes(base, *code_kernels, pool);
}

KnnBase::~KnnBase() = default;
KnnBase::KnnBase(KnnBase&&) noexcept = default;
KnnBase& KnnBase::operator=(KnnBase&&) noexcept = default;

const KnnRows& KnnBase::rows() const noexcept {
  return parts_->rows;
}

KnnSpace KnnBase::space() const noexcept {
  return parts_->space;
}

bool KnnBase::has_codes() const noexcept {
  return parts_->codes.has_value();
}

std::size_t KnnBase::memory_bytes() const noexcept {
  const std::optional<KnnCodes>& codes = parts_->codes;
  return parts_->inverse_lengths.capacity() * sizeof(double) + parts_->half_squares.capacity() * sizeof(float) +
         (codes ? codes->memory_bytes() : 0);
}

void KnnBase::moved(const void* data) noexcept {
  parts_->rows.data = data;
}

}  // namespace boon::kernels
