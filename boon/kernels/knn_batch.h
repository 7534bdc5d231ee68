// Internal: a batch of queries that is under way by one of the fast ways: each in the frame, with its candidates, in
// tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "boon/kernels/knn_candidates.h"
#include "boon/kernels/knn_search.h"

namespace boon::kernels {

class KnnBatch {
 public:
  // Queries that the frame does not fit are answered at once, from the plain piece, and take no part.
  KnnBatch(const KnnPiece& piece, const KnnPiece& plain, std::span<KnnNearest> found)
      : piece_(piece),
        bounds_(piece.base.bounds()),
        exact_(*piece.base.exact, piece.base.rows, piece.base.space, piece.base.inverse_lengths.data()) {
    for (std::size_t i = 0; i < piece.queries; ++i) {
      Member member;
      member.number = i;
      member.framed.set(piece.values(i), piece.base.frame, piece.base.space);
      if (!member.framed.fits) {
        KnnPiece alone = plain;
        alone.first_query += i;
        alone.queries = 1;
        search_plain(alone, found.subspan(i, 1));
        continue;
      }
      const double length = member.framed.length, longest = piece.base.longest;
      const double least = (length * longest + (piece.base.space == KnnSpace::l2 ? longest * longest / 2 : 0)) * -1.001;
      member.candidates.reset(found[i], found[i].wanted(), least);
      members_.push_back(std::move(member));
    }
  }

  struct Member {
    std::size_t number = 0;  // in the piece
    KnnFramedQuery framed;
    KnnCandidates candidates;
    double constant = 0;  // what its scores may be wrong by, with any row
    double first = 0;     // and by what is multiplied by the panel's
    double second = 0;
    float step = 1;  // codes: what one step of its code stands for
  };

  std::vector<Member>& members() noexcept { return members_; }
  const KnnBounds& bounds() const noexcept { return bounds_; }

  // A hit: a score, what it may be wrong by itself, and the panel's part of the bound. True if it is time to settle,
  // which must wait until all hits of one scan are taken, as their scores may be wrong by what the query took then.
  bool take(Member& member, std::uint32_t row, double score, double slack, double panel_first, double panel_second) {
    if (!piece_.allows(row)) return false;
    const double bound = slack + member.first * panel_first + member.second * panel_second + member.constant;
    return member.candidates.offer(row, score - bound, score + bound);
  }
  void settle(Member& member) {
    if (!member.candidates.prune(*piece_.base.floats, member.framed.score_of_key, lowers_)) compare(member);
  }
  void settle_all() {
    for (Member& member : members_) {
      settle(member);
      compare(member);
    }
  }

 private:
  void compare(Member& member) {
    exact_.set(piece_.values(member.number));
    member.candidates.compare(exact_, member.framed.score_of_key);
  }

  const KnnPiece& piece_;
  KnnBounds bounds_;
  ExactQuery exact_;
  std::vector<Member> members_;
  std::vector<float> lowers_;  // scratch
};

}  // namespace boon::kernels
