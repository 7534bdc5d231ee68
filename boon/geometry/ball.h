// What is where in a ball and on a sphere of many dimensions. The radius is 1 throughout, and d >= 1.
#pragma once

#include <cstddef>

namespace boon::geometry {

// pi^(d/2) / Gamma(d/2 + 1): largest at d = 5 (5.264), 1.7e-13 at d = 50, 0 where it underflows.
double ball_volume(std::size_t d) noexcept;

// The share of the ball's volume within `depth` of its surface: 1 - (1 - depth)^d, 0 <= depth <= 1. A fixed share needs
// a depth of about 1/d: half of the volume lies within ln 2 / d.
double shell_mass(std::size_t d, double depth) noexcept;

// Half of the volume is this near to the surface: 1 - 2^(-1/d). The bound (1 - depth)^d <= e^(-d depth) promises it for
// ln 2 / d, which is never less.
double half_shell_depth(std::size_t d) noexcept;
double half_shell_bound(std::size_t d) noexcept;

// The share of the ball with |x_1| <= t, 0 <= t <= 1: I_{t^2}(1/2, (d + 1)/2).
double ball_slab_mass(std::size_t d, double t) noexcept;

// What becomes of it when the slice at x, (1 - x^2)^((d - 1)/2) up to a constant, is replaced by its bound
// e^(-(d - 1) x^2 / 2): the share of a normal density, erf(t sqrt((d - 1)/2)). Less than the truth, as the bound
// gives too much to what is far from the middle. 0 in one dimension, where it is flat without end.
double slab_mass_bound(std::size_t d, double t) noexcept;

// Two standard deviations of the cosine of random directions, 2 / sqrt(d), at most 1: how far from an equator 95% of a
// sphere are.
double equator_width(std::size_t d) noexcept;

// The share of the sphere with |x_1| <= t, which is the probability that two random directions have a cosine of at most
// t in absolute value: I_{t^2}(1/2, (d - 1)/2). In one dimension all cosines are 1 or -1.
double sphere_slab_mass(std::size_t d, double t) noexcept;

// The law of the cosine c of two random directions, of mean 0 and variance 1/d: its distribution function, and its
// density (1 - c^2)^((d - 3)/2) / B(1/2, (d - 1)/2), -1 < c < 1. In one dimension there is no density, and 0 is given;
// in two it is infinite at the ends, where it is given as 0.
double cosine_probability(std::size_t d, double c) noexcept;
double cosine_density(std::size_t d, double c) noexcept;

// How many random directions there may be until the expected number of pairs with |cos| > c reaches 1: sqrt(2 / P(|cos|
// > c)); infinite where no double holds it. This, and not the lemma of Johnson and Lindenstrauss with its constant,
// says how many nearly orthogonal directions there is room for without effort.
double near_orthogonal_count(std::size_t d, double c) noexcept;

}  // namespace boon::geometry
