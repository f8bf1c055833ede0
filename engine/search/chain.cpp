#include "engine/search/chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace reg::search {
namespace {

double sum(const Row& row) { return std::reduce(row.begin(), row.end()); }

double dot(const Row& a, const Row& b) { return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0); }

void multiply(Row& row, double by) {
  for (double& v : row) v *= by;
}

void product(const Row& a, const Row& b, Row& out) {
  out.resize(a.size());
  for (std::size_t g = 0; g < a.size(); ++g) out[g] = a[g] * b[g];
}

void sum_up(const Row& in, Row& sums) {
  sums.resize(in.size() + 1);
  sums[0] = 0;
  std::partial_sum(in.begin(), in.end(), sums.begin() + 1);
}

}  // namespace

void Shifts::add(double weight, const Shifts& other) {
  for (std::size_t j = 0; j < any.size(); ++j) {
    any[j] += weight * other.any[j];
    notable[j] += weight * other.notable[j];
    large[j] += weight * other.large[j];
  }
}

Chain::Window Chain::window(const Lattice& lattice, int cells, double density) {
  const std::size_t size = lattice.size();
  Window window{std::vector<std::uint32_t>(size), std::vector<std::uint32_t>(size), density};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  for (std::size_t g = 0; g < size; ++g) {
    while (lattice.cells[g] - lattice.cells[begin] >= cells) ++begin;
    while (end < size && lattice.cells[end] - lattice.cells[g] < cells) ++end;
    window.begin[g] = begin;
    window.end[g] = end;
  }
  return window;
}

Chain::Chain(const Lattice& lattice, const Jumps& jumps)
    : levels_(lattice.size()),
      rings_(below(lattice, jumps, std::numeric_limits<int>::max())),
      tiny_(below(lattice, jumps, jumps.notable)),
      small_(below(lattice, jumps, jumps.large)) {}

// The windows whose sum is the density of jumps by fewer than `cells`.
Chain::Windows Chain::below(const Lattice& lattice, const Jumps& jumps, int cells) {
  Windows windows;
  double total = 0;
  double beyond = 0;
  for (const Jumps::Ring& ring : jumps.rings) {
    total += ring.density;
    if (ring.cells < cells)
      windows.push_back(window(lattice, ring.cells, ring.density));
    else
      beyond += ring.density;
  }
  if (beyond > 0) windows.push_back(window(lattice, std::max(cells, jumps.reach), beyond));
  windows.push_back(window(lattice, jumps.reach, -total));  // too near to jump to
  return windows;
}

// Where a jump leads, forward; what is seen of the jumps' ends, backward. `sums` are those of the levels below each.
void Chain::jump(const Row& sums, Row& out) const {
  out.assign(levels_, 0);
  for (const Window& ring : rings_)
    for (std::size_t g = 0; g < levels_; ++g) out[g] += ring.density * (sums[ring.end[g]] - sums[ring.begin[g]]);
  for (double& v : out) v = std::max(v, 0.0);  // the difference of two sums may fall below
}

// What jumps over a gap, summed up.
void Chain::leave(const Belief& from, Stay stay, Row& sums) const {
  sums.resize(levels_ + 1);
  sums[0] = 0;
  for (std::size_t g = 0; g < levels_; ++g)
    sums[g + 1] = sums[g] + (1 - stay.first) * from.never[g] + (1 - stay.next) * from.since[g];
}

void Chain::forward(std::size_t gap, Belief& out) {
  const Belief& in = forward_[gap];
  const Stay stay = stay_[gap];
  leave(in, stay, left_[gap]);
  jump(left_[gap], out.since);
  out.never.resize(levels_);
  for (std::size_t g = 0; g < levels_; ++g) {
    out.never[g] = stay.first * in.never[g];
    out.since[g] += stay.next * in.since[g];
  }
}

void Chain::backward(const Belief& in, Stay stay, Belief& out) const {
  sum_up(in.since, sums_);
  jump(sums_, jumped_);
  out.never.resize(levels_);
  out.since.resize(levels_);
  for (std::size_t g = 0; g < levels_; ++g) {
    out.never[g] = stay.first * in.never[g] + (1 - stay.first) * jumped_[g];
    out.since[g] = stay.next * in.since[g] + (1 - stay.next) * jumped_[g];
  }
}

// Returns the sum of what came out, before it was scaled to 1.
double Chain::product(const Belief& a, const Row& row, Belief& out) {
  search::product(a.never, row, out.never);
  search::product(a.since, row, out.since);
  const double total = sum(out.never) + sum(out.since);
  for (Row* part : {&out.never, &out.since}) multiply(*part, total > 0 ? 1 / total : 0);
  return total;
}

// `beyond` is the row times backward of the unit after the gap, to a factor; backward() made of it that of the gap.
void Chain::change_over(std::size_t gap, const Belief& beyond) {
  const Belief& before = forward_[gap];
  const Belief& ahead = backward_[gap];
  const Stay stay = stay_[gap];
  const double all = dot(before.never, ahead.never) + dot(before.since, ahead.since);
  const double same = stay.first * dot(before.never, beyond.never) + stay.next * dot(before.since, beyond.since);
  const double any = all > 0 ? std::clamp(1 - same / all, 0.0, 1.0) : 0;
  change_.any[gap] = change_.large[gap] = change_.notable[gap] = any;
  if (any <= 0) return;
  change_.large[gap] = std::clamp(any - part_of(small_, left_[gap], beyond) / all, 0.0, 1.0);
  change_.notable[gap] = std::clamp(any - part_of(tiny_, left_[gap], beyond) / all, 0.0, 1.0);
}

// Of the evidence for all that may have happened over a gap, the part of the jumps in these windows.
double Chain::part_of(const Windows& small, const Row& left, const Belief& beyond) const {
  double part = 0;
  for (const Window& window : small) {
    double sum = 0;
    for (std::size_t g = 0; g < levels_; ++g) sum += beyond.since[g] * (left[window.end[g]] - left[window.begin[g]]);
    part += window.density * sum;
  }
  return part;
}

void Chain::keep_change_only() {
  emission_ = {};
  forward_ = backward_ = {};
  left_ = {};
}

std::vector<double> Chain::jump_of(const Lattice& lattice, const Jumps& jumps, int cells) const {
  const Windows small = below(lattice, jumps, cells);
  std::vector<double> by(change_.any);
  Belief beyond;
  Belief ahead;
  for (std::size_t j = 0; j < by.size(); ++j) {
    product(backward_[j + 1], emission_[j + 1], beyond);
    backward(beyond, stay_[j], ahead);
    const double all = dot(forward_[j].never, ahead.never) + dot(forward_[j].since, ahead.since);
    if (all > 0) by[j] = std::clamp(by[j] - part_of(small, left_[j], beyond) / all, 0.0, 1.0);
  }
  return by;
}

Row Chain::level(std::size_t j) const {
  const Belief& a = forward_[j];
  const Belief& b = backward_[j];
  Row row(levels_);
  for (std::size_t g = 0; g < levels_; ++g) row[g] = a.never[g] * b.never[g] + a.since[g] * b.since[g];
  const double total = sum(row);
  multiply(row, total > 0 ? 1 / total : 0);
  return row;
}

double Chain::log_evidence() const { return sum(scales_); }

void Chain::run(std::vector<Row> emission, std::vector<Stay> stay) {
  emission_ = std::move(emission);
  stay_ = std::move(stay);
  const std::size_t m = emission_.size();
  forward_.assign(m, {});
  backward_.assign(m, {});
  left_.assign(m - 1, {});
  scales_.assign(m, 0);
  change_ = Shifts(m - 1);
  backward_.back() = {Row(levels_, 1.0), Row(levels_, 1.0)};
  pass(0, m);
}

// Everything anew after row `row` changed, and what is backward of the units before `end`.
void Chain::pass(std::size_t row, std::size_t end) {
  const std::size_t m = emission_.size();
  Belief before{Row(levels_, 1.0 / static_cast<double>(levels_)), Row(levels_, 0.0)};
  for (std::size_t j = row; j < m; ++j) {
    if (j > 0) forward(j - 1, before);
    scales_[j] = std::log(std::max(product(before, emission_[j], forward_[j]), 1e-300));
  }
  Belief beyond;
  for (std::size_t j = m - 1; j-- > 0;) {
    product(backward_[j + 1], emission_[j + 1], beyond);
    if (j < end) backward(beyond, stay_[j], backward_[j]);
    change_over(j, beyond);
  }
}

void Chain::replace(std::size_t j, Row row) {
  emission_[j] = std::move(row);
  pass(j, j);
}

void Chain::insert(std::size_t j, Stay left, Stay right, Row row) {
  const auto at = static_cast<long>(j);
  emission_.insert(emission_.begin() + at, std::move(row));
  forward_.insert(forward_.begin() + at, Belief{});
  backward_.insert(backward_.begin() + at, Belief{});
  left_.insert(left_.begin() + at, Row{});
  scales_.insert(scales_.begin() + at, 0.0);
  stay_[j - 1] = left;
  stay_.insert(stay_.begin() + at, right);
  change_ = Shifts(stay_.size());
  pass(j, j + 1);
}

}  // namespace reg::search
