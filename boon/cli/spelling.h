// What somebody may have meant by a word that is not there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boon::cli {

// Bytes to insert, remove, change or swap with their neighbour to turn one word into the other; the case of ASCII
// letters does not count. limit + 1 stands for anything above `limit`. ("Optimal string alignment" distance.)
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// Up to three candidates near to the word, the nearest first and among equals the earliest. A short word allows one
// edit, a longer one up to three.
std::vector<std::string> close_spellings(std::string_view word, std::span<const std::string> candidates);

// "; did you mean \"king\" or \"kong\"?", or nothing.
std::string did_you_mean(std::span<const std::string> spellings);

}  // namespace boon::cli
