// A folder of a test's own, gone with all that is in it when the test is over.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "boon/core/error.h"

namespace boon {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "boon-test-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) throw Error(ErrorCode::io, "cannot make " + name);
    path_ = name;
    ::chmod(path_.c_str(), 0755);  // tests that drop root's rights still look into it
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  void put(std::string_view name, std::string_view text) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) throw Error(ErrorCode::io, "cannot write a test's file");
  }
  std::string get(std::string_view name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    if (!file) throw Error(ErrorCode::not_found, "a test's file is not there");
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }
  // The names in it, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace boon
