// Adjacency rows: for each node a fixed number of 32-bit words, some header words and then the links, ended by kNone.
// A word holds a number plus one, so that zeroed memory is a set of empty rows and untouched rows take no memory.
//
// Rows are read by searches while a writer changes them. Each word is loaded and stored atomically (plain moves on
// x86-64): a reader sees a mix of the old and the new list, and every link in it leads to a published node. A link is
// stored with release after the node it names is complete, and loaded with acquire.
//
// Invariants
//  1. Links come before the first kNone; what follows it is kNone.
//  2. The number of rows changes only where no reader is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "boon/core/buffer.h"
#include "boon/core/bytes.h"
#include "boon/core/check.h"
#include "boon/graph/scorer.h"

namespace boon::graph {

class LinkRows {
 public:
  LinkRows() = default;
  LinkRows(std::size_t header_words, std::size_t max_links) noexcept
      : header_words_(header_words), max_links_(max_links) {}

  std::size_t size() const noexcept { return size_; }
  std::size_t max_links() const noexcept { return max_links_; }
  std::size_t words_per_row() const noexcept { return header_words_ + max_links_; }
  std::size_t bytes_per_row() const noexcept { return words_per_row() * sizeof(Node); }

  // Adds empty rows up to `rows`. No reader may be there.
  void grow(std::size_t rows) {
    BOON_CHECK(!view_);
    if (rows <= size_) return;
    buffer_.reserve(rows * bytes_per_row());
    words_ = reinterpret_cast<Node*>(buffer_.data());
    size_ = rows;
  }
  // Forgets the rows past `rows`. No reader may be there.
  void truncate(std::size_t rows) {
    BOON_CHECK(!view_ && rows <= size_);
    size_ = rows;
    buffer_.shrink(rows * bytes_per_row());
    words_ = reinterpret_cast<Node*>(buffer_.data());
  }

  // Refers to rows that lie in a file; they can be read and not written.
  void view(Bytes bytes) {
    BOON_CHECK(bytes.size() % bytes_per_row() == 0);
    words_ = const_cast<Node*>(reinterpret_cast<const Node*>(bytes.data()));
    size_ = bytes.size() / bytes_per_row();
    view_ = true;
  }
  // Overwrites the first rows with stored ones. No reader may be there.
  void load(Bytes bytes) {
    BOON_CHECK(!view_ && bytes.size() <= size_ * bytes_per_row());
    if (!bytes.empty()) std::memcpy(words_, bytes.data(), bytes.size());
  }
  // The first `rows` rows as they are stored.
  Bytes bytes(std::size_t rows) const noexcept { return as_bytes(words_, rows * words_per_row()); }

  Node header(Node row, std::size_t word = 0) const noexcept { return load(start(row) + word); }
  void set_header(Node row, std::size_t word, Node value) noexcept { store(start(row) + word, value); }
  Node link(Node row, std::size_t i) const noexcept { return load(start(row) + header_words_ + i); }
  void set_link(Node row, std::size_t i, Node value) noexcept { store(start(row) + header_words_ + i, value); }

  // Calls f with each link of a row, in order.
  template <class F>
  void for_each_link(Node row, F&& f) const noexcept {
    Node* word = start(row) + header_words_;
    for (Node* const end = word + max_links_; word != end; ++word) {
      const Node found = load(word);
      if (found == kNone) return;
      f(found);
    }
  }
  // Copies the links of a row to `out`, which has room for max_links(); returns their number.
  std::size_t copy(Node row, Node* out) const noexcept {
    std::size_t count = 0;
    for (; count < max_links_; ++count) {
      out[count] = link(row, count);
      if (out[count] == kNone) break;
    }
    return count;
  }
  std::size_t degree(Node row) const noexcept {
    std::size_t count = 0;
    while (count < max_links_ && link(row, count) != kNone) ++count;
    return count;
  }
  void assign(Node row, std::span<const Node> links) noexcept {
    for (std::size_t i = 0; i < links.size(); ++i) set_link(row, i, links[i]);
    for (std::size_t i = links.size(); i < max_links_ && link(row, i) != kNone; ++i) set_link(row, i, kNone);
  }
  void clear(Node row) noexcept {
    for (std::size_t word = 0; word < words_per_row(); ++word) store(start(row) + word, kNone);
  }
  // Copies a whole row, header included. No reader may be there.
  void move_row(Node from, Node to) noexcept {
    for (std::size_t word = 0; word < words_per_row(); ++word) start(to)[word] = start(from)[word];
  }

  void prefetch(Node row) const noexcept {
    const auto* first = reinterpret_cast<const char*>(start(row));
    for (std::size_t offset = 0; offset < bytes_per_row() && offset < 256; offset += 64) {
      __builtin_prefetch(first + offset);
      asm volatile("" ::: "memory");  // g++ 12 keeps only the first prefetch of such a loop otherwise
    }
  }

 private:
  static Node load(Node* word) noexcept { return std::atomic_ref(*word).load(std::memory_order_acquire) - 1; }
  static void store(Node* word, Node value) noexcept {
    std::atomic_ref(*word).store(value + 1, std::memory_order_release);
  }
  Node* start(Node row) const noexcept { return words_ + static_cast<std::size_t>(row) * words_per_row(); }

  PageBuffer buffer_;
  Node* words_ = nullptr;
  std::size_t size_ = 0;
  std::size_t header_words_ = 0;
  std::size_t max_links_ = 0;
  bool view_ = false;
};

}  // namespace boon::graph
