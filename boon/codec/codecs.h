// Internal: the codecs that make_codec() chooses from.
#pragma once

#include <memory>

#include "boon/codec/codec.h"

namespace boon::codec {

std::unique_ptr<Codec> make_fp32(const CodecOptions& options);
std::unique_ptr<Codec> make_bf16(const CodecOptions& options);
std::unique_ptr<Codec> make_fp16(const CodecOptions& options);
std::unique_ptr<Codec> make_int8(const CodecOptions& options);
std::unique_ptr<Codec> make_u8(const CodecOptions& options);
std::unique_ptr<Codec> make_nvfp4(const CodecOptions& options);
std::unique_ptr<Codec> make_rabitq1(const CodecOptions& options);

// Whether x is a whole number from 0 to 255.
inline bool is_byte(float x) noexcept {
  return x >= 0 && x <= 255 && x == static_cast<float>(static_cast<int>(x));
}

}  // namespace boon::codec
