// JSON lines: {"id": 7, "vector": [0.5, 1]} a line. Other fields are passed over; "id" may be missing if it is missing
// everywhere, and is a whole number or a string, the same kind everywhere.
#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "boon/cli/lines.h"
#include "boon/cli/vector_parsers.h"
#include "boon/core/error.h"

namespace boon::cli {
namespace {

namespace json = simdjson::ondemand;

enum class IdKind { none, number, string };

class JsonlParser {
 public:
  JsonlParser(std::string_view text, std::string_view file, std::size_t max_rows)
      : file_(file), max_rows_(max_rows), lines_(text) {}

  VectorTable parse() {
    std::string_view line;
    while ((max_rows_ == 0 || rows_ < max_rows_) && lines_.next(line)) {
      add(line);
      ++rows_;
      if (rows_ % kRowsBetweenLooks == 0) stop_if_interrupted(file_);
    }
    return std::move(table_);
  }

 private:
  Place place() const { return {.file = file_, .row = rows_, .line = lines_.number()}; }

  [[noreturn]] void refuse(ErrorCode code, std::string_view why) const {
    throw Error(code, fmt::format("{} line {}: {}", file_, lines_.number(), why));
  }

  void check(simdjson::error_code error) const {
    if (error != simdjson::SUCCESS) {
      refuse(ErrorCode::corrupted, fmt::format("not valid JSON: {}", simdjson::error_message(error)));
    }
  }

  void add(std::string_view line) {
    // simdjson reads past the end of its input, so that end must be ours.
    padded_.assign(line);
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    json::document document;
    check(parser_.iterate(padded_.data(), line.size(), padded_.size()).get(document));
    json::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) {
      refuse(ErrorCode::corrupted, R"(not a JSON object such as {"id": 7, "vector": [0.5, 1]})");
    }

    IdKind id = IdKind::none;
    bool has_vector = false;
    for (auto entry : object) {
      check(entry.error());
      json::field field = entry.value_unsafe();
      std::string_view key;
      check(field.unescaped_key().get(key));
      if (key == "id") {
        if (id != IdKind::none) refuse(ErrorCode::invalid_argument, R"(the field "id" is given twice)");
        id = read_id(field.value());
      } else if (key == "vector") {
        if (has_vector) refuse(ErrorCode::invalid_argument, R"(the field "vector" is given twice)");
        has_vector = true;
        read_vector(field.value());
      }
    }
    if (const char* rest; document.current_location().get(rest) == simdjson::SUCCESS) {
      refuse(ErrorCode::corrupted, "there is text after the object; each line holds one");
    }
    if (!has_vector) refuse(ErrorCode::invalid_argument, R"(the field "vector" is missing)");
    agree_on(id);
  }

  IdKind read_id(json::value value) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) {
      table_.names.emplace_back(text);
      return IdKind::string;
    }
    const std::string_view token = trimmed(value.raw_json_token());
    std::uint64_t number = 0;
    if (value.get_uint64().get(number) != simdjson::SUCCESS) {
      refuse(ErrorCode::invalid_argument,
             fmt::format("the id {} is neither a string nor a whole number from 0 to 2^64 - 1", in_quotes(token)));
    }
    table_.ids.push_back(number);
    return IdKind::number;
  }

  void read_vector(json::value value) {
    json::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) {
      refuse(ErrorCode::invalid_argument, R"(the field "vector" is not an array of numbers)");
    }
    std::size_t component = 0;
    for (auto entry : array) {
      check(entry.error());
      json::value element = entry.value_unsafe();
      table_.values.push_back(read_number(element, component));
      ++component;
    }
    if (component == 0) refuse(ErrorCode::invalid_argument, "the vector is empty");
    if (rows_ == 0) table_.dim = component;
    if (component != table_.dim) {
      refuse(ErrorCode::invalid_argument,
             fmt::format("the vector has dimension {}, and row 0 has {}", component, table_.dim));
    }
  }

  float read_number(json::value element, std::size_t component) {
    const std::string_view token = trimmed(element.raw_json_token());
    double value = 0;
    if (element.get_double().get(value) == simdjson::SUCCESS) return narrow(value, place(), component);
    // What JSON has no number for: 1e999, and the NaN and Infinity that some programs write all the same.
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (stop == end && error == std::errc::result_out_of_range) refuse_value(place(), component, HUGE_VAL, token);
    if (stop == end && error == std::errc() && !std::isfinite(value)) refuse_value(place(), component, value);
    refuse(ErrorCode::corrupted, fmt::format("component {} is {}, not a number", component, in_quotes(token)));
  }

  // The first row says what ids the file has.
  void agree_on(IdKind id) {
    if (rows_ == 0) id_kind_ = id;
    if (id == id_kind_) return;
    constexpr std::string_view kKinds[] = {"no id", "a number as its id", "a string as its id"};
    refuse(ErrorCode::invalid_argument,
           fmt::format("this row has {}, and row 0 has {}", kKinds[static_cast<std::size_t>(id)],
                       kKinds[static_cast<std::size_t>(id_kind_)]));
  }

  static std::string_view trimmed(std::string_view token) {
    const std::size_t last = token.find_last_not_of(" \t\r\n");
    return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }

  std::string_view file_;
  std::size_t max_rows_;
  std::size_t rows_ = 0;
  LineReader lines_;
  IdKind id_kind_ = IdKind::none;
  json::parser parser_;
  std::string padded_;
  VectorTable table_;
};

}  // namespace

VectorTable parse_jsonl(std::string_view text, std::string_view file, std::size_t max_rows) {
  return JsonlParser(text, file, max_rows).parse();
}

}  // namespace boon::cli
