// Options that commands share which read vectors from a file.
#pragma once

#include <string>

#include "boon/cli/app.h"
#include "boon/cli/vectors.h"

namespace boon::cli {

struct InputOptions {
  std::string path;  // "-": standard input
  ReadOptions reading;
};

// INPUT, --format and --dataset. `input` outlives the parsing.
void add_input_options(CLI::App& command, InputOptions& input);

// An option that is a count, shown with its default. "-1" is refused, which the parser would take for 2^64 - 1.
CLI::Option* add_count_option(CLI::App& command, const std::string& flags, std::size_t& count, const std::string& help);
// For options that cannot be added so: a complaint about a negative number, or nothing.
std::string negative(const std::string& text);

// --threads, from 0 to 1024.
void add_threads_option(CLI::App& command, std::size_t& threads, const char* work = "work");

}  // namespace boon::cli
