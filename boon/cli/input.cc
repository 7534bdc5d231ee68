#include "boon/cli/input.h"

#include <CLI/CLI.hpp>
#include <map>

namespace boon::cli {

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

void add_count_option(CLI::App& command, const std::string& flags, std::size_t& count, const std::string& help) {
  command.add_option(flags, count, help)->type_name("N")->capture_default_str()->check(negative);
}

void add_threads_option(CLI::App& command, std::size_t& threads) {
  add_count_option(command, "--threads", threads, "Threads to work with; 0 takes all cores");
}

}  // namespace boon::cli
