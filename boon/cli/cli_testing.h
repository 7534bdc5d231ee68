// A command line to test: runs boon in this process, in a folder of its own, on a handful of words.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "boon/cli/app.h"
#include "boon/core/temporary_folder.h"
#include "boon/index/container.h"

namespace boon::cli {

// Royal, male, female, fruit. king - man + woman is nearest to queen.
inline constexpr std::string_view kWords =
    "king 1 1 0 0\n"
    "queen 1 0 1 0\n"
    "man 0.1 1 0 0\n"
    "woman 0.1 0 1 0\n"
    "prince 0.8 1 0.1 0\n"
    "princess 0.8 0.1 1 0\n"
    "apple 0 0.1 0.1 1\n"
    "pear 0 0.1 0.05 1\n";
inline constexpr std::size_t kWordCount = 8;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << "code " << outcome.code << "\nout: " << outcome.out << "\nerr: " << outcome.err;
}

// Ended well.
MATCHER(Worked, "") {
  return arg.code == 0;
}

// Ended with this code and one line that says so.
MATCHER_P2(Failed, code, text, "") {
  return arg.code == code && arg.err.starts_with("boon: ") && arg.err.find('\n') == arg.err.size() - 1 &&
         arg.err.find(text) != std::string::npos;
}

class CommandLine : public testing::Test {
 protected:
  // Arguments that begin with @ are files in the test's folder.
  Outcome boon(std::vector<std::string> arguments) const {
    std::vector<const char*> argv{"boon"};
    for (std::string& argument : arguments) {
      if (argument.starts_with('@')) argument = path(argument.substr(1));
      argv.push_back(argument.c_str());
    }
    std::ostringstream out, err;
    const int code = run(static_cast<int>(argv.size()), argv.data(), out, err);
    return {.code = code, .out = out.str(), .err = err.str()};
  }

  std::string path(std::string_view name) const { return (folder_ / name).native(); }
  void put(std::string_view name, std::string_view text) const { folder_.put(name, text); }
  std::string get(std::string_view name) const { return folder_.get(name); }
  bool exists(std::string_view name) const { return std::filesystem::exists(folder_ / name); }
  std::vector<std::string> files() const { return folder_.names(); }

  // words.boon from kWords.
  void build_words() const {
    put("words.txt", kWords);
    ASSERT_THAT(boon({"build", "@words.txt", "-o", "@words.boon"}), Worked());
  }

  // The same vectors without a link between them, every byte sound.
  void put_unlinked(std::string_view name, std::string_view whole) const {
    const MappedFile file(path(whole));
    index::Container container = index::read_container(file.bytes(), whole);
    std::vector<std::byte> none;
    for (index::Section& section : container.sections) {
      if (section.name != "floor") continue;
      none.resize(section.bytes.size());
      section.bytes = none;
    }
    index::write_container(path(name), container.version, container.sections);
  }

  // The names, or else ids, of the answers.
  std::vector<std::string> answers(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "search");
    arguments.push_back("--json");
    const Outcome outcome = boon(arguments);
    EXPECT_THAT(outcome, Worked());
    std::vector<std::string> names;
    if (outcome.code != 0) return names;
    const auto json = outcome.json();
    for (const auto& result : json["results"]) {
      names.push_back(result.contains("name") ? result["name"].get<std::string>() : result["id"].dump());
    }
    return names;
  }

  std::size_t vectors_in(std::string_view file) const {
    return boon({"info", path(file), "--json"}).json()["vectors"].get<std::size_t>();
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace boon::cli
