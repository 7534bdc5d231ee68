// Saving and opening: the same answers after it, and a clear error for every file that is not whole.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"
#include "boon/index/index.h"
#include "boon/index/testing.h"

namespace boon::index {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kDim = 6;

std::vector<char> read_file(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const Path& path, const std::vector<char>& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class Storage : public ::testing::Test {
 protected:
  Path path(const char* file = "words.boon") const { return folder_.path() / file; }

  Index small(Metric metric = Metric::l2, std::size_t rows = 40) {
    Index index({.dim = kDim, .metric = metric, .graph = {.neighbours = 2, .build_beam = 10}});
    std::vector<Id> ids(rows);
    for (std::size_t i = 0; i < rows; ++i) ids[i] = 1000 + 3 * i;
    index.add(random_rows(rows, kDim, 1), ids);
    return index;
  }

  TemporaryFolder folder_;
};

TEST_F(Storage, OpenedIndexAnswersTheSame) {
  for (const Metric metric : {Metric::l2, Metric::cosine, Metric::inner_product}) {
    Index index({.dim = kDim, .metric = metric});
    index.add(random_rows(3000, kDim, 2));
    index.remove(std::vector<Id>{5, 6, 7});
    index.save(path());
    const Index loaded = Index::load(path());
    const Index viewed = Index::view(path());
    const auto queries = random_rows(50, kDim, 3);
    const Matches before = index.search_many(queries, 10);
    for (const Index* opened : {&loaded, &viewed}) {
      const Matches after = opened->search_many(queries, 10);
      EXPECT_EQ(after.ids, before.ids);
      EXPECT_EQ(after.distances, before.distances);
      EXPECT_EQ(opened->size(), 2997U);
      EXPECT_FALSE(opened->contains(6));
      EXPECT_EQ(opened->get(8), index.get(8));
      expect_all_find_themselves(*opened);
    }
  }
}

TEST_F(Storage, LoadedIndexGoesOnAsTheOldOneWould) {
  Index index({.dim = kDim, .metric = Metric::cosine});
  index.add(random_rows(2000, kDim, 9));
  index.save(path());
  Index loaded = Index::load(path());
  const auto more = random_rows(500, kDim, 4);
  index.add(more);
  loaded.add(more);
  EXPECT_EQ(loaded.ids(), index.ids());
  expect_all_find_themselves(loaded);
}

TEST_F(Storage, SavingTwiceGivesTheSameBytesOnAnyNumberOfThreads) {
  std::vector<char> first;
  for (const std::size_t threads : {1, 8}) {
    Index index({.dim = kDim, .metric = Metric::l2});
    index.add(random_rows(2000, kDim, 5), {}, {.threads = threads});
    index.save(path());
    if (first.empty()) first = read_file(path());
    EXPECT_TRUE(read_file(path()) == first) << threads << " threads";
  }
}

TEST_F(Storage, EmptyIndexIsKept) {
  Index({.dim = kDim, .metric = Metric::l2}).save(path());
  Index loaded = Index::load(path());
  EXPECT_EQ(loaded.size(), 0U);
  EXPECT_TRUE(Index::view(path()).search(std::vector<float>(kDim), 3).empty());
  loaded.add(random_rows(3, kDim, 6));
  EXPECT_EQ(loaded.size(), 3U);
}

TEST_F(Storage, AttachmentsAreKept) {
  Index index = small();
  index.attach("names", {std::byte{1}, std::byte{2}});
  index.save(path());
  EXPECT_EQ(Index::load(path()).attachment("names").size(), 2U);
  const Index viewed = Index::view(path());
  EXPECT_EQ(viewed.attachment("names")[1], std::byte{2});
  EXPECT_TRUE(viewed.attachment("other").empty());
}

TEST_F(Storage, AttachmentsHaveALimitThatAFileHolds) {
  Index index = small();
  const auto name = [](int i) { return "a" + std::to_string(i); };
  for (int i = 0; i < 16; ++i) index.attach(name(i), {std::byte{1}});
  EXPECT_EQ(thrown_by([&] { index.attach(name(16), {}); }).code, ErrorCode::invalid_argument);
  index.attach(name(3), {std::byte{2}});
  index.save(path());
  EXPECT_EQ(Index::load(path()).attachment("a3")[0], std::byte{2});
}

TEST_F(Storage, ADetachedAttachmentIsGone) {
  Index index = small();
  index.attach("names", {std::byte{1}});
  index.attach("note", {std::byte{2}});
  index.save(path());
  Index loaded = Index::load(path());
  loaded.detach("names");
  loaded.detach("other");
  EXPECT_TRUE(loaded.attachment("names").empty());
  loaded.save(path());
  const Index again = Index::view(path());
  EXPECT_TRUE(again.attachment("names").empty());
  EXPECT_EQ(again.attachment("note").size(), 1U);
}

TEST_F(Storage, ViewRefusesChanges) {
  small().save(path());
  Index viewed = Index::view(path());
  EXPECT_EQ(thrown_by([&] { viewed.add(random_rows(1, kDim, 7)); }).code, ErrorCode::read_only);
  EXPECT_EQ(thrown_by([&] { viewed.remove(std::vector<Id>{1000}); }).code, ErrorCode::read_only);
  EXPECT_EQ(thrown_by([&] { viewed.compact(); }).code, ErrorCode::read_only);
  EXPECT_EQ(thrown_by([&] { viewed.attach("a", {}); }).code, ErrorCode::read_only);
  EXPECT_EQ(thrown_by([&] { viewed.detach("a"); }).code, ErrorCode::read_only);
  EXPECT_EQ(viewed.size(), 40U);
}

TEST_F(Storage, FileCutAnywhereIsRefused) {
  small().save(path());
  const auto whole = read_file(path());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path("cut.boon"), {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    for (const bool view : {false, true}) {
      const Thrown thrown = thrown_by([&] { view ? Index::view(path("cut.boon")) : Index::load(path("cut.boon")); });
      ASSERT_EQ(thrown.code, ErrorCode::corrupted) << size << ": " << thrown.message;
      ASSERT_THAT(thrown.message, HasSubstr("cut.boon"));
    }
  }
}

// Bytes where a reader would take the vectors to be floats.
TEST_F(Storage, BytesUnderAnotherMetricAreRefused) {
  Index index({.dim = kDim, .metric = Metric::l2});
  index.add(std::vector<float>(kDim * 3, 1));
  index.save(path());
  const MappedFile file(path());
  Container container = read_container(file.bytes(), "words.boon");
  EXPECT_EQ(container.version, 2U);
  std::vector<std::byte> meta(container.sections[0].bytes.begin(), container.sections[0].bytes.end());
  meta[0] = std::byte{1};
  container.sections[0].bytes = meta;
  write_container(path("cosine.boon"), 2, container.sections);
  EXPECT_EQ(thrown_by([&] { Index::load(path("cosine.boon")); }).code, ErrorCode::corrupted);
}

// A calibration is optional: an older boon passes its section over, so the format's number stays.
TEST_F(Storage, ACalibrationRaisesNoFormat) {
  Index index = small();
  index.save(path("before.boon"));
  index.calibrate();
  index.save(path());
  const MappedFile file(path()), before(path("before.boon"));
  EXPECT_EQ(read_container(file.bytes(), "a").version, read_container(before.bytes(), "b").version);
}

TEST_F(Storage, ACalibrationThatCannotBeIsRefused) {
  Index index = small();
  index.calibrate();
  index.save(path());
  const MappedFile file(path());
  Container container = read_container(file.bytes(), "words.boon");
  const auto section = std::ranges::find(container.sections, "recall", &Section::name);
  ASSERT_NE(section, container.sections.end());
  const std::vector<std::byte> whole(section->bytes.begin(), section->bytes.end());
  std::vector<std::byte> wrong = whole;
  wrong[0] = std::byte{0};  // k
  const auto expect_damaged = [&](const char* why) {
    write_container(path("wrong.boon"), container.version, container.sections);
    for (const bool view : {false, true}) {
      const Path opened = path("wrong.boon");
      const Thrown thrown = thrown_by([&] { view ? Index::view(opened) : Index::load(opened); });
      EXPECT_EQ(thrown.code, ErrorCode::corrupted);
      EXPECT_THAT(thrown.message, HasSubstr("wrong.boon"));
      EXPECT_THAT(thrown.message, HasSubstr(why));
    }
  };
  section->bytes = wrong;
  expect_damaged("k does not rise from 1 on");
  section->bytes = Bytes(whole).first(whole.size() - 1);
  expect_damaged("cut short");
}

TEST_F(Storage, ACalibrationWithoutAGraphIsRefused) {
  Index exact({.dim = kDim, .metric = Metric::l2, .kind = IndexKind::exact});
  exact.add(random_rows(5, kDim, 1));
  exact.save(path());
  const MappedFile file(path());
  Container container = read_container(file.bytes(), "words.boon");
  container.sections.push_back({.name = "recall", .bytes = {}});
  write_container(path("wrong.boon"), container.version, container.sections);
  EXPECT_THAT(thrown_by([&] { Index::load(path("wrong.boon")); }).message, HasSubstr("a calibration and no graph"));
}

TEST_F(Storage, EveryFlippedByteIsNoticedOnLoading) {
  Index index = small(Metric::l2, 12);
  index.calibrate();
  index.save(path());
  const auto whole = read_file(path());
  // Bytes between sections belong to nobody; all others are under a checksum.
  std::vector<bool> covered(whole.size(), false);
  const MappedFile file(path());
  const auto sections = read_container(file.bytes(), "words.boon").sections;
  std::fill(covered.begin(), covered.begin() + 32 + 40 * static_cast<std::ptrdiff_t>(sections.size()), true);
  for (const Section& section : sections) {
    const auto first = section.bytes.data() - file.bytes().data();
    std::fill_n(covered.begin() + first, section.bytes.size(), true);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (!covered[at]) continue;
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(path("bad.boon"), damaged);
    const Thrown thrown = thrown_by([&] { Index::load(path("bad.boon")); });
    ASSERT_TRUE(thrown.code == ErrorCode::corrupted || thrown.code == ErrorCode::unsupported) << at;
  }
}

TEST_F(Storage, ForeignAndMissingFilesAreRefused) {
  write_file(path(), std::vector<char>(4096, 'x'));
  EXPECT_THAT(thrown_by([&] { Index::load(path()); }).message, HasSubstr("is not a boon index"));
  write_file(path(), {});
  EXPECT_EQ(thrown_by([&] { Index::load(path()); }).code, ErrorCode::corrupted);
  EXPECT_EQ(thrown_by([&] { Index::load(path("none.boon")); }).code, ErrorCode::not_found);
}

TEST_F(Storage, NewerFormatIsNamed) {
  small().save(path());
  auto bytes = read_file(path());
  bytes[8] = 9;
  write_file(path(), bytes);
  const Thrown thrown = thrown_by([&] { Index::load(path()); });
  EXPECT_EQ(thrown.code, ErrorCode::unsupported);
  EXPECT_THAT(thrown.message, HasSubstr("format 9"));
}

TEST_F(Storage, NonAsciiPathsWork) {
  for (const char* folder : {"数据", "\xff\xfe"}) {
    std::filesystem::create_directory(path(folder));
    const Path file = path(folder) / "é😀.idx";
    small().save(file);
    EXPECT_EQ(Index::load(file).size(), 40U);
  }
}

TEST_F(Storage, TargetThatCannotBeWrittenIsNamedAndTheOldFileStays) {
  small().save(path());
  const auto before = read_file(path());
  const Thrown thrown = thrown_by([&] { small().save(path("no/such/folder/words.boon")); });
  EXPECT_THAT(thrown.message, HasSubstr("words.boon"));
  EXPECT_TRUE(read_file(path()) == before);
}

// The golden files were written when their format was new: they must open for ever.
TEST_F(Storage, GoldenFileOfBytesOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/format2.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    EXPECT_EQ(index.size(), 199U);
    EXPECT_EQ(index.metric(), Metric::l2);
    EXPECT_EQ(index.statistics().component, "u8");
    EXPECT_EQ(index.get(3), (std::vector<float>{3, 21, 147, 5, 35}));  // component j of vector i is i * 7^j mod 256
    expect_all_find_themselves(index);
  }
}

TEST_F(Storage, GoldenFileWithACalibrationOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/calibrated.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    const auto calibrations = index.calibrations();
    ASSERT_EQ(calibrations.size(), 2U);
    EXPECT_EQ(calibrations[0].k, 3U);
    EXPECT_FALSE(calibrations[0].own_rows);
    EXPECT_EQ(calibrations[1].k, 10U);
    EXPECT_EQ(calibrations[1].queries, 50U);
    EXPECT_EQ(calibrations[1].live, 120U);
    EXPECT_EQ(calibrations[1].changed, 4U);
    EXPECT_EQ(calibrations[1].points.front().beam, 10U);
    EXPECT_EQ(index.search(std::vector<float>(5, 1), 3, {.target_recall = .5}).size(), 3U);
  }
}

TEST_F(Storage, GoldenFileOpens) {
  const Path golden = Path(BOON_SOURCE_DIR) / "boon/index/testdata/format1.boon";
  for (const bool view : {false, true}) {
    const Index index = view ? Index::view(golden) : Index::load(golden);
    EXPECT_EQ(index.size(), 299U);
    EXPECT_EQ(index.metric(), Metric::cosine);
    EXPECT_EQ(index.options().graph.neighbours, 4U);
    EXPECT_EQ(index.attachment("note").size(), 3U);
    EXPECT_FALSE(index.contains(10));
    EXPECT_TRUE(index.contains(10 + 7));
    expect_all_find_themselves(index);
  }
}

}  // namespace
}  // namespace boon::index
