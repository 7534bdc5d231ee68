// The commands in docs/notes are run, and what they print and draw is what stands there. BOON_WRITE_NOTES=1 writes it
// there instead, for a look at the difference.
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "boon/cli/cli_testing.h"

namespace boon::cli {
namespace {

const std::filesystem::path kNotes = std::filesystem::path(BOON_SOURCE_DIR) / "docs" / "notes";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

class Notes : public CommandLine {
 protected:
  // Commands may read the bundled sample, and draw into docs/notes.
  void SetUp() override {
    std::filesystem::create_directories(path("docs/notes"));
    std::filesystem::create_directory_symlink(std::filesystem::path(BOON_SOURCE_DIR) / "data", path("data"));
  }

  // In the test's folder, with the program that was built beside this test.
  std::string printed(const std::string& command) const {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string shell =
        fmt::format("cd '{}' && PATH='{}':$PATH && {{ {}; }} 2>&1 </dev/null", path(""), program.native(), command);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(shell.c_str(), "r"), ::pclose);
    std::string text;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe.get()))
      text.append(part.data(), count);
    return text;
  }

  // The note with each command in it followed by what it prints now; between two commands of one block is a blank line.
  std::string run_again(const std::string& note) {
    std::istringstream lines(note);
    std::string result;
    bool fenced = false, skipping = false;
    for (std::string line; std::getline(lines, line);) {
      const bool fence = line.starts_with("```");
      if (fence) fenced = !fenced;
      if (fenced && line.starts_with("$ ")) {
        if (skipping) result += '\n';
        result += line + '\n' + printed(line.substr(2));
        skipping = true;
        ++commands_;
        continue;
      }
      if (fence) skipping = false;
      if (!skipping) result += line + '\n';
    }
    return result;
  }

  int commands_ = 0;
};

TEST_F(Notes, PrintWhatTheyShow) {
  const bool write = std::getenv("BOON_WRITE_NOTES") != nullptr;
  std::set<std::filesystem::path> pictures;
  for (const auto& entry : std::filesystem::directory_iterator(kNotes)) {
    if (entry.path().extension() == ".svg") pictures.insert(entry.path().filename());
    if (entry.path().extension() != ".md") continue;
    const std::string note = read_file(entry.path());
    const std::string now = run_again(note);
    if (write) {
      write_file(entry.path(), now);
    } else {
      EXPECT_EQ(note, now) << entry.path();
    }
  }
  EXPECT_GT(commands_, 30);
  for (const auto& entry : std::filesystem::directory_iterator(path("docs/notes"))) {
    const std::filesystem::path name = entry.path().filename();
    if (write) {
      write_file(kNotes / name, read_file(entry.path()));
    } else {
      EXPECT_TRUE(read_file(kNotes / name) == read_file(entry.path())) << name << " is drawn otherwise now";
    }
    pictures.erase(name);
  }
  EXPECT_TRUE(pictures.empty()) << *pictures.begin() << " is drawn by no note";
}

}  // namespace
}  // namespace boon::cli
