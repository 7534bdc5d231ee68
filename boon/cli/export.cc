// boon export: the vectors of an index as a file that others read, in the order of their ids.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "boon/cli/named_index.h"
#include "boon/cli/output.h"
#include "boon/cli/terminal.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"
#include "boon/index/container.h"

namespace boon::cli {
namespace {

constexpr const char* kExportFooter =
    R"(Vectors come as the index holds them, in the order of their ids: of length 1 under cosine. jsonl and text carry names or
ids; npy and fvecs carry neither.

Examples:
  boon export words.boon -o words.npy
  boon export words.boon -o - --format jsonl | head -3)";

enum class ExportFormat { automatic, npy, fvecs, jsonl, text };

struct ExportCommand {
  std::string file;
  std::string output;
  ExportFormat format = ExportFormat::automatic;
  bool force = false;
};

using Sink = std::function<void(std::string_view)>;

ExportFormat choose_format(const ExportCommand& command) {
  if (command.format != ExportFormat::automatic) return command.format;
  if (command.output == "-") return ExportFormat::jsonl;
  static const std::map<std::string, ExportFormat> kExtensions{
      {".npy", ExportFormat::npy},      {".fvecs", ExportFormat::fvecs}, {".jsonl", ExportFormat::jsonl},
      {".ndjson", ExportFormat::jsonl}, {".txt", ExportFormat::text},    {".vec", ExportFormat::text}};
  const auto it = kExtensions.find(Path(command.output).extension().native());
  if (it != kExtensions.end()) return it->second;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} has none of the extensions .npy, .fvecs, .jsonl and .txt; say --format", command.output));
}

std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Version 1.0: magic, length of the header, the header as a Python literal padded to 64 bytes.
std::string npy_header(std::size_t rows, std::size_t dim) {
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, dim);
  constexpr std::size_t kBefore = 10;
  text.resize(align_up(kBefore + text.size() + 1, 64) - kBefore - 1, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(as_text(as_bytes(&length, 1))) + text;
}

// A reader takes numbers from the right, so blanks inside a word do no harm; a line break or an edge of blanks would.
void check_word(std::string_view word) {
  constexpr std::string_view kBlank = " \t\r\n";
  const bool broken = word.find_first_of("\r\n") != std::string_view::npos;
  if (broken || kBlank.find(word.front()) != std::string_view::npos ||
      kBlank.find(word.back()) != std::string_view::npos) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the name {} cannot stand in a text file; use jsonl", in_quotes(word)));
  }
}

std::string numbers(const std::vector<float>& vector, std::string_view between) {
  std::string text;
  for (const float value : vector) {
    if (!text.empty()) text += between;
    text += fmt::format("{}", value);
  }
  return text;
}

std::string row_text(const NamedIndex& opened, Id id, const std::vector<float>& vector, ExportFormat format) {
  switch (format) {
    case ExportFormat::npy:
      return std::string(as_text(as_bytes(vector.data(), vector.size())));
    case ExportFormat::fvecs: {
      const auto dim = static_cast<std::int32_t>(vector.size());
      return std::string(as_text(as_bytes(&dim, 1))) + std::string(as_text(as_bytes(vector.data(), vector.size())));
    }
    case ExportFormat::text: {
      const std::string word = opened.label(id);
      check_word(word);
      return fmt::format("{} {}\n", word, numbers(vector, " "));
    }
    case ExportFormat::jsonl:
    case ExportFormat::automatic:
      break;
  }
  const Json label = opened.names ? Json(opened.label(id)) : Json(id);
  return fmt::format("{{\"id\": {}, \"vector\": [{}]}}\n", label.dump(-1, ' ', false, Json::error_handler_t::replace),
                     numbers(vector, ", "));
}

void write_rows(const NamedIndex& opened, ExportFormat format, const Sink& sink) {
  std::vector<Id> ids = opened.index.ids();
  std::ranges::sort(ids);
  if (format == ExportFormat::npy) sink(npy_header(ids.size(), opened.index.dim()));
  for (const Id id : ids) {
    if (interrupted()) throw Error(ErrorCode::cancelled, "interrupted; no file was written");
    sink(row_text(opened, id, opened.index.get(id), format));
  }
}

// Opening a view leaves out the vectors, so as not to wait for them; here each is read anyway, and a damaged one would
// go on into other files.
void verify_all(const Path& path) {
  const MappedFile file(path);
  file.will_read();
  for (const index::Section& section : index::read_container(file.bytes(), path.native()).sections) {
    index::verify(section, path.native());
  }
}

void export_vectors(const ExportCommand& command, Console& console) {
  const ExportFormat format = choose_format(command);
  if (command.output != "-" && !command.force && std::filesystem::exists(command.output)) {
    throw Error(ErrorCode::already_exists, fmt::format("{} exists already; --force replaces it", command.output));
  }
  verify_all(command.file);
  const NamedIndex opened = NamedIndex::view(command.file);
  if (command.output == "-") {
    write_rows(opened, format, [&](std::string_view text) {
      if (!console.out.write(text.data(), static_cast<std::streamsize>(text.size()))) {
        throw Error(ErrorCode::io, "cannot write to standard output");
      }
    });
    return;
  }
  install_interrupt_handler();  // half a file is removed
  AtomicFile file(command.output);
  write_rows(opened, format, [&](std::string_view text) { file.write(as_bytes(text.data(), text.size())); });
  file.commit();
  const bool loses_names = opened.names && (format == ExportFormat::npy || format == ExportFormat::fvecs);
  console.err << fmt::format("{}: {} vectors{}\n", printable(command.output), format_count(opened.index.size()),
                             loses_names ? "; names do not fit this format, see jsonl and text" : "");
}

}  // namespace

void register_export(CLI::App& app, Console& console) {
  static const std::map<std::string, ExportFormat> kFormats{{"npy", ExportFormat::npy},
                                                            {"fvecs", ExportFormat::fvecs},
                                                            {"jsonl", ExportFormat::jsonl},
                                                            {"text", ExportFormat::text}};
  const auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "Write the vectors of an index to a file");
  command->add_option("FILE", options->file, "The index")->required()->type_name("");
  command->add_option("-o,--output", options->output, "File to write; - writes standard output")
      ->required()
      ->type_name("FILE");
  command->add_option("--format", options->format, "npy, fvecs, jsonl or text; default: by the extension, jsonl for -")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->type_name("FORMAT");
  command->add_flag("--force", options->force, "Replace the file if it exists");
  command->footer(kExportFooter);
  command->callback([&console, options] { export_vectors(*options, console); });
}

}  // namespace boon::cli
