#include "engine/search/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reg::search {
namespace {

double scale(Row& row) {
  double sum = 0;
  for (const double v : row) sum += v;
  const double by = sum > 0 ? 1 / sum : 0;
  for (double& v : row) v *= by;
  return sum;
}

void product(const Row& a, const Row& b, Row& out) {
  out.resize(a.size());
  for (std::size_t g = 0; g < a.size(); ++g) out[g] = a[g] * b[g];
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t g = 0; g < a.size(); ++g) sum += a[g] * b[g];
  return sum;
}

}  // namespace

Chain::Chain(const Lattice& lattice, int reach, double density) : density_(density) {
  const std::size_t size = lattice.size();
  near_begin_.resize(size);
  near_end_.resize(size);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t g = 0; g < size; ++g) {
    while (lattice.cells[g] - lattice.cells[begin] >= reach) ++begin;
    while (end < size && lattice.cells[end] - lattice.cells[g] < reach) ++end;
    near_begin_[g] = begin;
    near_end_[g] = end;
  }
}

void Chain::step(const Row& in, double stay, Row& out) const {
  const std::size_t size = in.size();
  sums_.resize(size + 1);
  sums_[0] = 0;
  for (std::size_t g = 0; g < size; ++g) sums_[g + 1] = sums_[g] + in[g];
  const double jump = (1 - stay) * density_;
  const double all = sums_[size];
  out.resize(size);
  for (std::size_t g = 0; g < size; ++g)
    out[g] = stay * in[g] + jump * (all - (sums_[near_end_[g]] - sums_[near_begin_[g]]));
}

// `beyond` is the row times backward of the unit after the gap, to a factor; `backward` what step() made of it.
double Chain::change_over(const Row& forward, const Row& backward, const Row& beyond, double stay) const {
  const double all = dot(forward, backward);
  return all > 0 ? std::clamp(1 - stay * dot(forward, beyond) / all, 0.0, 1.0) : 0;
}

void Chain::run(std::vector<Row> emission, std::vector<double> stay) {
  emission_ = std::move(emission);
  stay_ = std::move(stay);
  const std::size_t m = emission_.size();
  const std::size_t levels = near_begin_.size();
  predicted_.assign(m, {});
  forward_.assign(m, {});
  backward_.assign(m, {});
  change_.assign(m - 1, 0);
  log_evidence_ = 0;
  predicted_[0].assign(levels, density_);
  for (std::size_t j = 0; j < m; ++j) {
    if (j > 0) step(forward_[j - 1], stay_[j - 1], predicted_[j]);
    product(predicted_[j], emission_[j], forward_[j]);
    log_evidence_ += std::log(std::max(scale(forward_[j]), 1e-300));
  }
  backward_[m - 1].assign(levels, 1.0);
  Row beyond;
  for (std::size_t j = m - 1; j-- > 0;) {
    product(emission_[j + 1], backward_[j + 1], beyond);
    scale(beyond);
    step(beyond, stay_[j], backward_[j]);
    change_[j] = change_over(forward_[j], backward_[j], beyond, stay_[j]);
  }
}

Row Chain::marginal(std::size_t j) const {
  Row row;
  product(forward_[j], backward_[j], row);
  scale(row);
  return row;
}

Row Chain::marginal_between(std::size_t j, double stay_left, double stay_right) const {
  Row left;
  Row right;
  Row beyond;
  step(forward_[j], stay_left, left);
  product(emission_[j + 1], backward_[j + 1], beyond);
  step(beyond, stay_right, right);
  product(left, right, beyond);
  scale(beyond);
  return beyond;
}

std::vector<double> Chain::change_with(std::size_t j, const Row& row) const {
  const std::size_t m = size();
  std::vector<double> change(m - 1);
  Row forward;
  Row ahead;
  Row beyond;
  product(predicted_[j], row, forward);
  for (std::size_t i = j; i + 1 < m; ++i) {
    scale(forward);
    product(emission_[i + 1], backward_[i + 1], beyond);
    scale(beyond);
    step(beyond, stay_[i], ahead);
    change[i] = change_over(forward, ahead, beyond, stay_[i]);
    step(forward, stay_[i], ahead);
    product(ahead, emission_[i + 1], forward);
  }
  product(row, backward_[j], beyond);
  for (std::size_t i = j; i-- > 0;) {
    scale(beyond);
    step(beyond, stay_[i], ahead);
    change[i] = change_over(forward_[i], ahead, beyond, stay_[i]);
    product(emission_[i], ahead, beyond);
  }
  return change;
}

std::vector<double> Chain::change_between(std::size_t j, double stay_left, double stay_right, const Row& row) const {
  const std::size_t m = size();
  std::vector<double> change(m);
  Row forward;
  Row ahead;
  Row beyond;
  step(forward_[j], stay_left, ahead);
  product(ahead, row, forward);
  scale(forward);
  Row after;  // what is seen from the new unit onwards
  product(emission_[j + 1], backward_[j + 1], beyond);
  scale(beyond);
  step(beyond, stay_right, after);
  change[j + 1] = change_over(forward, after, beyond, stay_right);
  step(forward, stay_right, ahead);
  product(ahead, emission_[j + 1], forward);
  for (std::size_t i = j + 1; i + 1 < m; ++i) {
    scale(forward);
    product(emission_[i + 1], backward_[i + 1], beyond);
    scale(beyond);
    step(beyond, stay_[i], ahead);
    change[i + 1] = change_over(forward, ahead, beyond, stay_[i]);
    step(forward, stay_[i], ahead);
    product(ahead, emission_[i + 1], forward);
  }
  product(row, after, beyond);
  for (std::size_t i = j + 1; i-- > 0;) {
    scale(beyond);
    const double stay = i == j ? stay_left : stay_[i];
    step(beyond, stay, ahead);
    change[i] = change_over(forward_[i], ahead, beyond, stay);
    product(emission_[i], ahead, beyond);
  }
  return change;
}

}  // namespace reg::search
