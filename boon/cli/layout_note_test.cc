// The note on layouts shows what the program prints.
#include <fstream>

#include "boon/cli/cli_testing.h"

namespace boon::cli {
namespace {

const std::string kNotes = std::string(BOON_SOURCE_DIR) + "/docs/notes/";
constexpr std::string_view kCall = "$ boon layout ";

struct Shown {
  std::size_t line = 0;
  std::vector<std::string> arguments;
  std::string output;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Words, of which some are in quotes.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const char end = text.front() == '"' ? '"' : ' ';
    if (end == '"') text.remove_prefix(1);
    const std::size_t length = std::min(text.find(end), text.size());
    words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return words;
}

std::vector<Shown> shown_in(const std::string& path) {
  std::vector<Shown> result;
  const auto lines = lines_of(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(kCall)) continue;
    Shown shown{.line = i + 1, .arguments = split(std::string_view(lines[i]).substr(kCall.size())), .output = {}};
    // As far as the end of the block or the next call, which a blank line parts from it.
    while (i + 1 < lines.size() && lines[i + 1] != "```" && !lines[i + 1].starts_with("$ ")) {
      shown.output += lines[++i] + '\n';
    }
    while (shown.output.ends_with("\n\n")) shown.output.pop_back();
    if (shown.output == "\n") shown.output.clear();
    result.push_back(std::move(shown));
  }
  return result;
}

std::string whole(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class LayoutNote : public CommandLine {};

TEST_F(LayoutNote, ShowsWhatTheProgramPrints) {
  const auto all = shown_in(kNotes + "layouts.md");
  EXPECT_GT(all.size(), 20U);
  for (const Shown& shown : all) {
    SCOPED_TRACE("docs/notes/layouts.md line " + std::to_string(shown.line));
    std::vector<std::string> arguments{"layout"};
    std::string picture;
    for (const std::string& argument : shown.arguments) {
      if (argument.ends_with(".svg")) picture = argument.substr(argument.rfind('/') + 1);
      arguments.push_back(argument.ends_with(".svg") ? path(picture) : argument);
    }
    const Outcome outcome = boon(arguments);
    if (picture.empty()) {
      EXPECT_EQ(outcome.out + outcome.err, shown.output);
    } else {
      EXPECT_EQ(get(picture), whole(kNotes + picture));
    }
  }
}

}  // namespace
}  // namespace boon::cli
