// Feeds bytes to the loader: whatever they are, it gives an index that can be searched, or a boon::Error.
// Checksums would turn nearly all mutations away at the door, so they are put right first.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "boon/core/error.h"
#include "boon/index/index.h"

namespace {

// Recomputes the checksums of a file whose table is inside it; see docs/formats/index.md.
void mend_checksums(std::vector<std::byte>& file) {
  std::uint32_t sections = 0;
  if (file.size() < 32) return;
  std::memcpy(&sections, file.data() + 12, 4);
  if (sections > 64 || 32 + 40 * sections > file.size()) return;
  std::uint64_t size = file.size();
  std::memcpy(file.data() + 16, &size, 8);
  for (std::uint32_t i = 0; i < sections; ++i) {
    std::byte* entry = file.data() + 32 + 40 * i;
    std::uint64_t place[2];
    std::memcpy(place, entry + 16, 16);
    if (place[0] > size || place[1] > size - place[0]) continue;
    const std::uint64_t checksum = boon::xxh3({file.data() + place[0], place[1]});
    std::memcpy(entry + 32, &checksum, 8);
  }
  std::memset(file.data() + 24, 0, 8);
  const std::uint64_t checksum = boon::xxh3({file.data(), 32 + 40 * sections});
  std::memcpy(file.data() + 24, &checksum, 8);
}

std::string scratch_file() {
  return "/tmp/boon-index-fuzz-" + std::to_string(::getpid());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> file(size);
  if (size > 0) std::memcpy(file.data(), data, size);
  mend_checksums(file);
  const std::string path = scratch_file();
  std::FILE* out = std::fopen(path.c_str(), "wb");
  if (out == nullptr) return 0;
  std::fwrite(file.data(), 1, file.size(), out);
  std::fclose(out);
  for (const bool view : {false, true}) {
    try {
      const boon::Index index = view ? boon::Index::view(path) : boon::Index::load(path);
      const std::vector<float> query(index.dim(), 1.0F);
      index.search(query, 3, {.beam = 8});
      index.search(query, 3, {.exact = true});
      index.statistics();
      index.check();
      for (const boon::Id id : index.ids()) index.get(id);
      index.search(query, 3, {.target_recall = .9});
    } catch (const boon::Error&) {
    }
  }
  ::unlink(path.c_str());
  return 0;
}
