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

Chain::Window Chain::window(const Lattice& lattice, int cells, double density) {
  const std::size_t size = lattice.size();
  Window window{std::vector<std::size_t>(size), std::vector<std::size_t>(size), density};
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t g = 0; g < size; ++g) {
    while (lattice.cells[g] - lattice.cells[begin] >= cells) ++begin;
    while (end < size && lattice.cells[end] - lattice.cells[g] < cells) ++end;
    window.begin[g] = begin;
    window.end[g] = end;
  }
  return window;
}

Chain::Chain(const Lattice& lattice, const Jumps& jumps) {
  double total = 0;
  for (const Jumps::Ring& ring : jumps.rings) {
    rings_.push_back(window(lattice, ring.cells, ring.density));
    total += ring.density;
  }
  near_ = window(lattice, jumps.reach, total);
}

namespace {

void sum_up(const Row& in, Row& sums) {
  sums.resize(in.size() + 1);
  sums[0] = 0;
  for (std::size_t g = 0; g < in.size(); ++g) sums[g + 1] = sums[g] + in[g];
}

}  // namespace

void Chain::step(const Row& in, double stay, Row& out, Time time) const {
  const std::size_t size = in.size();
  sum_up(in, sums_);
  out.resize(size);
  const auto add = [&](const Window& window, double weight) {
    for (std::size_t g = 0; g < size; ++g) out[g] += weight * (sums_[window.end[g]] - sums_[window.begin[g]]);
  };
  for (std::size_t g = 0; g < size; ++g) out[g] = stay * in[g];
  for (const Window& ring : rings_) add(ring, (1 - stay) * (1 - back_) * ring.density);
  add(near_, (stay - 1) * (1 - back_) * near_.density);
  if (back_ > 0) {
    // Jumps to a level in proportion to how many units were found on it: forward weighted where they arrive, backward
    // where they are seen from.
    if (time == Time::backward) {
      product(in, found_, weighted_);
      sum_up(weighted_, sums_);
    }
    for (std::size_t g = 0; g < size; ++g) {
      const double far = sums_[size] - (sums_[near_.end[g]] - sums_[near_.begin[g]]);
      out[g] += (1 - stay) * back_ * far * (time == Time::forward ? found_[g] : 1);
    }
  }
  for (double& v : out) v = std::max(v, 0.0);  // the difference of two sums may fall below
}

// `beyond` is the row times backward of the unit after the gap, to a factor; `backward` what step() made of it.
double Chain::change_over(const Row& forward, const Row& backward, const Row& beyond, double stay) const {
  const double all = dot(forward, backward);
  return all > 0 ? std::clamp(1 - stay * dot(forward, beyond) / all, 0.0, 1.0) : 0;
}

void Chain::run(std::vector<Row> emission, std::vector<double> stay, double back) {
  emission_ = std::move(emission);
  stay_ = std::move(stay);
  back_ = 0;
  pass();
  if (back <= 0) return;
  found_ = found();
  back_ = back;
  pass();
}

Row Chain::found() const {
  Row all(near_.begin.size(), 0.0);
  Row row;
  for (std::size_t j = 0; j < size(); ++j) {
    product(forward_[j], backward_[j], row);
    scale(row);
    for (std::size_t g = 0; g < row.size(); ++g) all[g] += row[g];
  }
  scale(all);
  return all;
}

void Chain::pass() {
  const std::size_t m = emission_.size();
  const std::size_t levels = near_.begin.size();
  predicted_.assign(m, {});
  forward_.assign(m, {});
  backward_.assign(m, {});
  change_.assign(m - 1, 0);
  log_evidence_ = 0;
  predicted_[0].assign(levels, 1.0 / static_cast<double>(levels));
  for (std::size_t j = 0; j < m; ++j) {
    if (j > 0) step(forward_[j - 1], stay_[j - 1], predicted_[j], Time::forward);
    product(predicted_[j], emission_[j], forward_[j]);
    log_evidence_ += std::log(std::max(scale(forward_[j]), 1e-300));
  }
  backward_[m - 1].assign(levels, 1.0);
  Row beyond;
  for (std::size_t j = m - 1; j-- > 0;) {
    product(emission_[j + 1], backward_[j + 1], beyond);
    scale(beyond);
    step(beyond, stay_[j], backward_[j], Time::backward);
    change_[j] = change_over(forward_[j], backward_[j], beyond, stay_[j]);
  }
}

Row Chain::without(std::size_t j) const {
  Row row;
  product(predicted_[j], backward_[j], row);
  scale(row);
  return row;
}

Row Chain::between(std::size_t j, double stay_left, double stay_right) const {
  Row left;
  Row right;
  Row beyond;
  step(forward_[j], stay_left, left, Time::forward);
  product(emission_[j + 1], backward_[j + 1], beyond);
  step(beyond, stay_right, right, Time::backward);
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
    step(beyond, stay_[i], ahead, Time::backward);
    change[i] = change_over(forward, ahead, beyond, stay_[i]);
    step(forward, stay_[i], ahead, Time::forward);
    product(ahead, emission_[i + 1], forward);
  }
  product(row, backward_[j], beyond);
  for (std::size_t i = j; i-- > 0;) {
    scale(beyond);
    step(beyond, stay_[i], ahead, Time::backward);
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
  step(forward_[j], stay_left, ahead, Time::forward);
  product(ahead, row, forward);
  scale(forward);
  Row after;  // what is seen from the new unit onwards
  product(emission_[j + 1], backward_[j + 1], beyond);
  scale(beyond);
  step(beyond, stay_right, after, Time::backward);
  change[j + 1] = change_over(forward, after, beyond, stay_right);
  step(forward, stay_right, ahead, Time::forward);
  product(ahead, emission_[j + 1], forward);
  for (std::size_t i = j + 1; i + 1 < m; ++i) {
    scale(forward);
    product(emission_[i + 1], backward_[i + 1], beyond);
    scale(beyond);
    step(beyond, stay_[i], ahead, Time::backward);
    change[i + 1] = change_over(forward, ahead, beyond, stay_[i]);
    step(forward, stay_[i], ahead, Time::forward);
    product(ahead, emission_[i + 1], forward);
  }
  product(row, after, beyond);
  for (std::size_t i = j + 1; i-- > 0;) {
    scale(beyond);
    const double stay = i == j ? stay_left : stay_[i];
    step(beyond, stay, ahead, Time::backward);
    change[i] = change_over(forward_[i], ahead, beyond, stay);
    product(emission_[i], ahead, beyond);
  }
  return change;
}

}  // namespace reg::search
