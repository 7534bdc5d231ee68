#include "boon/cli/input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <system_error>

namespace boon::cli {
namespace {

// A mistyped number shall not start a million of them.
constexpr std::size_t kThreadsMax = 1024;

}  // namespace

void add_input_options(CLI::App& command, InputOptions& input) {
  static const std::map<std::string, Format> kFormats{
      {"auto", Format::automatic}, {"npy", Format::npy},   {"fvecs", Format::fvecs}, {"bvecs", Format::bvecs},
      {"ivecs", Format::ivecs},    {"hdf5", Format::hdf5}, {"text", Format::text},   {"jsonl", Format::jsonl}};
  command.add_option("INPUT", input.path, "File of vectors; - reads standard input")->required()->type_name("");
  command
      .add_option("--format", input.reading.format,
                  "auto, npy, fvecs, bvecs, ivecs, hdf5, text (GloVe, word2vec) or jsonl; auto goes by the file's "
                  "extension, else by its first bytes")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->type_name("FORMAT");
  command.add_option("--dataset", input.reading.dataset, "Set of an HDF5 file to read")
      ->type_name("NAME")
      ->capture_default_str();
}

std::string negative(const std::string& text) {
  return text.starts_with('-') ? text + " is negative" : "";
}

CLI::Option* add_count_option(CLI::App& command, const std::string& flags, std::size_t& count,
                              const std::string& help) {
  return command.add_option(flags, count, help)->type_name("N")->capture_default_str()->check(negative);
}

void add_threads_option(CLI::App& command, std::size_t& threads, const char* work) {
  const auto too_many = [](const std::string& text) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool fits = error != std::errc::result_out_of_range && count <= kThreadsMax;
    return fits ? ""
                : fmt::format("{} threads are too many; it takes up to {}, and 0 takes all cores", text, kThreadsMax);
  };
  add_count_option(command, "--threads", threads,
                   fmt::format("Threads to {} with, up to {}; 0 takes all cores", work, kThreadsMax))
      ->check(too_many);
}

}  // namespace boon::cli
