// info, export and doctor.
#include <map>
#include <utility>

#include "boon/cli/cli_testing.h"
#include "boon/core/file.h"
#include "boon/index/container.h"

namespace boon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class FileCommands : public CommandLine {
 protected:
  void SetUp() override { build_words(); }

  // Where the byte in the middle of each section stands in the file.
  std::map<std::string, std::size_t> middles(std::string_view name) const {
    std::map<std::string, std::size_t> places;
    const MappedFile file(path(name));
    for (const index::Section& section : index::read_container(file.bytes(), name).sections) {
      EXPECT_FALSE(section.bytes.empty());
      const auto start = static_cast<std::size_t>(section.bytes.data() - file.bytes().data());
      places[section.name] = start + section.bytes.size() / 2;
    }
    return places;
  }
  void put_flipped(std::string_view damaged, std::string_view whole, std::size_t place) const {
    std::string bytes = get(whole);
    bytes[place] = static_cast<char>(bytes[place] ^ 0x10);
    put(damaged, bytes);
  }
};

TEST_F(FileCommands, InfoSaysWhatIsInside) {
  const auto info = boon({"info", "@words.boon", "--json"}).json();
  EXPECT_EQ(info["vectors"], kWordCount);
  EXPECT_EQ(info["dim"], 4);
  EXPECT_EQ(info["named"], true);
  EXPECT_EQ(info["unreachable"], 0);
  EXPECT_EQ(info["level_sizes"][0], kWordCount);
  EXPECT_EQ(info["memory"]["total"], info["memory"]["vectors"].get<int>() + info["memory"]["graph"].get<int>() +
                                         info["memory"]["ids"].get<int>());
  EXPECT_EQ(info["stored"]["bytes"], get("words.boon").size());
  std::vector<std::string> sections;
  for (const auto& section : info["stored"]["sections"]) sections.push_back(section["name"]);
  EXPECT_THAT(sections, testing::Contains("+names"));
  EXPECT_THAT(boon({"info", "@words.boon"}).out, HasSubstr("neighbours (M)"));
}

// Under cosine the last bit of a vector may change when it is brought to length 1 again.
TEST_F(FileCommands, ExportAndBuildAreARoundTrip) {
  ASSERT_THAT(boon({"build", "@words.txt", "-o", "@l2.boon", "--metric", "l2"}), Worked());
  for (const char* name : {"again.txt", "again.jsonl"}) {
    SCOPED_TRACE(name);
    ASSERT_THAT(boon({"export", "@l2.boon", "-o", path(name)}), Worked());
    ASSERT_THAT(boon({"build", path(name), "-o", "@again.boon", "--metric", "l2", "--force"}), Worked());
    EXPECT_EQ(get("again.boon"), get("l2.boon"));
  }
}

TEST_F(FileCommands, ExportedNumbersKeepTheirOrder) {
  for (const char* name : {"again.npy", "again.fvecs"}) {
    SCOPED_TRACE(name);
    const Outcome outcome = boon({"export", "@words.boon", "-o", path(name)});
    ASSERT_THAT(outcome, Worked());
    EXPECT_THAT(outcome.err, HasSubstr("names do not fit"));
    ASSERT_THAT(boon({"build", path(name), "-o", "@again.boon", "--force"}), Worked());
    const auto by_name = boon({"search", "@words.boon", "--like", "king", "--json"}).json()["results"];
    const auto by_number = boon({"search", "@again.boon", "--like", "0", "--json"}).json()["results"];
    ASSERT_EQ(by_name.size(), by_number.size());
    for (std::size_t i = 0; i < by_name.size(); ++i) EXPECT_EQ(by_name[i]["id"], by_number[i]["id"]);
  }
}

TEST_F(FileCommands, ExportWritesStandardOutput) {
  const Outcome outcome = boon({"export", "@words.boon", "-o", "-"});
  ASSERT_THAT(outcome, Worked());
  const auto first = nlohmann::json::parse(outcome.out.substr(0, outcome.out.find('\n')));
  EXPECT_EQ(first["id"], "king");
  EXPECT_EQ(first["vector"].size(), 4U);
  EXPECT_THAT(boon({"export", "@words.boon", "-o", "-", "--format", "text"}).out, testing::StartsWith("king 0.7071"));
}

TEST_F(FileCommands, ExportKeepsWhatIsThere) {
  EXPECT_THAT(boon({"export", "@words.boon", "-o", "@words.txt"}), Failed(4, "--force"));
  EXPECT_EQ(get("words.txt"), kWords);
  EXPECT_THAT(boon({"export", "@words.boon", "-o", "@words.csv"}), Failed(2, "--format"));
  EXPECT_THAT(boon({"export", "@words.boon", "-o", "@missing/words.txt"}), Failed(8, "missing"));
}

TEST_F(FileCommands, ExportRefusesADamagedIndex) {
  put("v.jsonl", "{\"vector\": [3, 4]}\n{\"vector\": [0, 2]}\n");
  ASSERT_THAT(boon({"build", "@v.jsonl", "-o", "@bytes.boon", "--metric", "l2"}), Worked());
  for (const auto& [file, section] : {std::pair("words.boon", "vectors"), std::pair("bytes.boon", "bytes")}) {
    SCOPED_TRACE(section);
    put_flipped("damaged.boon", file, middles(file).at(section));
    EXPECT_THAT(boon({"export", "@damaged.boon", "-o", "@v.npy"}), Failed(6, section));
    EXPECT_FALSE(exists("v.npy"));
    const Outcome shown = boon({"export", "@damaged.boon", "-o", "-"});
    EXPECT_THAT(shown, Failed(6, "checksum"));
    EXPECT_EQ(shown.out, "");
  }
}

TEST_F(FileCommands, NamesThatNoLineCanHoldGoToJson) {
  put("odd.jsonl", "{\"id\": \"two\\nlines\", \"vector\": [1, 2]}\n");
  ASSERT_THAT(boon({"build", "@odd.jsonl", "-o", "@odd.boon"}), Worked());
  EXPECT_THAT(boon({"export", "@odd.boon", "-o", "@odd.txt"}), Failed(2, "use jsonl"));
  EXPECT_FALSE(exists("odd.txt"));
  ASSERT_THAT(boon({"export", "@odd.boon", "-o", "@again.jsonl"}), Worked());
  EXPECT_EQ(nlohmann::json::parse(get("again.jsonl"))["id"], "two\nlines");
  EXPECT_THAT(boon({"search", "@odd.boon", "--vector", "1,2"}).out, HasSubstr("two\\x0alines"));
}

TEST_F(FileCommands, DoctorFindsAHealthyIndexHealthy) {
  const Outcome outcome = boon({"doctor", "@words.boon"});
  EXPECT_THAT(outcome, Worked());
  EXPECT_THAT(outcome.err, HasSubstr("is healthy"));
  EXPECT_THAT(outcome.out, HasSubstr("8 of 8 find themselves"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("BAD")));
  const auto json = boon({"doctor", "@words.boon", "--json"}).json();
  EXPECT_EQ(json["healthy"], true);
  EXPECT_EQ(json["verdict"], "healthy");
}

TEST_F(FileCommands, DoctorTellsAWeakGraphFromDamage) {
  put_unlinked("weak.boon", "words.boon");
  const Outcome outcome = boon({"doctor", "@weak.boon"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.out, HasSubstr("7 unreachable"));
  EXPECT_THAT(outcome.out, HasSubstr("1 of 8 find themselves"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("BAD")));
  EXPECT_THAT(outcome.err, HasSubstr("has sound bytes and a weak graph"));
  EXPECT_THAT(outcome.err, HasSubstr("--build-beam"));
  const Outcome told = boon({"doctor", "@weak.boon", "--json"});
  EXPECT_EQ(told.code, 6);
  EXPECT_EQ(told.json()["healthy"], false);
  EXPECT_EQ(told.json()["verdict"], "weak");
}

TEST_F(FileCommands, DoctorSeesAFlippedByteInEverySection) {
  const auto places = middles("words.boon");
  ASSERT_GE(places.size(), 3U);
  for (const auto& [name, place] : places) {
    SCOPED_TRACE(name);
    put_flipped("damaged.boon", "words.boon", place);
    const Outcome outcome = boon({"doctor", "@damaged.boon", "--json"});
    EXPECT_EQ(outcome.code, 6);
    const auto json = outcome.json();
    EXPECT_EQ(json["healthy"], false);
    EXPECT_EQ(json["verdict"], "damaged");
    for (const auto& check : json["checks"]) {
      if (check["check"].get<std::string>().starts_with("section ")) {
        EXPECT_EQ(check["ok"], check["check"] != "section " + name) << check;
      }
    }
  }
}

TEST_F(FileCommands, DoctorSeesADamagedHeader) {
  std::string damaged = get("words.boon");
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  put("damaged.boon", damaged);
  const Outcome outcome = boon({"doctor", "@damaged.boon"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.out, HasSubstr("BAD"));
  EXPECT_THAT(outcome.err, HasSubstr("is damaged"));
  EXPECT_THAT(boon({"doctor", "@none.boon"}), Failed(3, "none.boon"));
}

}  // namespace
}  // namespace boon::cli
