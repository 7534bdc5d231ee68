// What a search asks for, read from the command line: a vector, words to add and take away, or a file of vectors.
#pragma once

#include <string>
#include <vector>

#include "boon/cli/named_index.h"
#include "boon/index/index.h"

namespace boon::cli {

// One question.
struct Query {
  std::vector<float> vector;
  std::vector<Id> given;  // stand in the question, so they are no answers
};

// "0.1,0.2, 0.3", commas or blanks between, brackets allowed. Throws invalid_argument.
std::vector<float> parse_vector(std::string_view text);

// The sum of some vectors of the index less others, all as they are held (under cosine of length 1). Throws not_found,
// and invalid_argument when nothing is left.
Query combine(const NamedIndex& opened, const std::vector<Id>& plus, const std::vector<Id>& minus);

// The k nearest to the query that it did not name.
std::vector<Match> answer(const Index& index, const Query& query, std::size_t k, const SearchOptions& options,
                          graph::SearchStatistics& statistics);

}  // namespace boon::cli
