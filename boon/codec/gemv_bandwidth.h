// Measures gemv() in each way, next to a plain read of the same bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "boon/codec/gemv.h"

namespace boon::codec {

struct GemvShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t batch = 1;  // products of different matrices and vectors in a call

  std::size_t matrix_bytes() const noexcept { return rows * columns / kNvfp4Block * (kNvfp4BlockBytes + 1); }
};

// Those of GPU MODE's NVFP4 hackathon, 2025.
inline constexpr GemvShape kGemvShapes[] = {{7168, 16384, 1}, {4096, 7168, 8}, {7168, 2048, 4}};

struct GemvBandwidth {
  GemvShape shape;
  GemvWay way = GemvWay::decode;
  double gemv_gb_s = 0;  // 1e9 bytes of codes and scales a second
  double read_gb_s = 0;  // the same for a plain read, on as many threads
  double seconds = 0;    // of the best call

  double ratio() const noexcept { return gemv_gb_s / read_gb_s; }
};

// Every way on one shape, each at its best over `seconds` or three calls. Each call multiplies matrices that no cache
// holds: they lie one after the other in a gigabyte, with all sixteen codes, and are taken in turn. Rows are a multiple
// of 16.
std::vector<GemvBandwidth> measure_gemv(const GemvShape& shape, const CodeKernels& kernels, ThreadPool& pool,
                                        double seconds = 1);

}  // namespace boon::codec
