#include "engine/search/posterior.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

// Changes expected over the whole line before anything is known: until there was one, and from then on. A flaky test
// says so little a run that to look for a second change takes as long as the first: it is hardly expected.
struct Expected {
  double first, next;
};
constexpr Expected kMetric{1, 0.5};
constexpr Expected kFlaky{1, 0.05};
constexpr Expected kWithDips{4, 4};  // where dips are asked for

constexpr double kWorthKeeping = 1e-6;  // a hypothesis below this is not looked at again ...
constexpr std::size_t kWellKnown = 8;   // ... once so many units were run
constexpr double kMatters = 0.05;       // hypotheses that futures are seen under
constexpr double kMattersLittle = 1e-3;
constexpr std::size_t kMostLeading = 3;
constexpr int kOutcomes = 6;

}  // namespace

Posterior::Posterior(const Question& question, const Line& line) : question_(question), line_(line) {
  for (Hypothesis& hypothesis : hypotheses(question)) all_.push_back({std::move(hypothesis), 1, false, {}, {}});
}

Stay Posterior::stay(int a, int b) const {
  const double part = static_cast<double>(b - a) / (line_.units() - 1);
  const Expected& expected = question_.min_width > 0 ? kWithDips : question_.kind == Kind::flaky ? kFlaky : kMetric;
  return {std::exp(-expected.first * part), std::exp(-expected.next * part)};
}

void Posterior::evaluate(Model& model) {
  const Emission& emission = *model.hypothesis.emission;
  model.lattice = emission.lattice(*samples_);
  double log_scale = 0;
  std::vector<Row> rows;
  for (const auto& [unit, ys] : *samples_) rows.push_back(emission.row(model.lattice, ys, log_scale));
  std::vector<Stay> stays;
  for (std::size_t j = 0; j + 1 < units_.size(); ++j) stays.push_back(stay(units_[j], units_[j + 1]));
  model.chain.emplace(model.lattice, emission.jumps(model.lattice));
  model.chain->run(std::move(rows), std::move(stays));
  model.weight = model.chain->log_evidence() + log_scale + std::log(model.hypothesis.prior);
}

void Posterior::update(const Samples& samples) {
  samples_ = &samples;
  units_.clear();
  for (const auto& [unit, ys] : samples) units_.push_back(unit);
  double most = -1e300;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    Model& model = all_[k];
    if (model.chain && units_.size() > kWellKnown && model.weight < kWorthKeeping) model.out = true;
    if (model.out || !model.hypothesis.emission->applies(samples)) {
      model.chain.reset();
      continue;
    }
    evaluate(model);
    const bool better = model.weight > most;
    most = std::max(most, model.weight);
    // The weights are logarithms until weigh(), which makes none larger than it is beside the largest.
    for (std::size_t i = better ? 0 : k; i <= k; ++i)
      if (all_[i].chain && std::exp(all_[i].weight - most) < kMattersLittle) all_[i].chain->keep_change_only();
  }
  weigh();
}

std::vector<double> Posterior::jumps(double size) const {
  std::vector<double> sum(change_.any.size());
  for (const Model& model : all_) {
    if (!model.chain || model.weight < kMattersLittle) continue;
    const int cells = static_cast<int>(std::ceil(size / model.lattice.step));
    const std::vector<double> jumps =
        model.chain->jump_of(model.lattice, model.hypothesis.emission->jumps(model.lattice), cells);
    for (std::size_t j = 0; j < jumps.size(); ++j) sum[j] += model.weight * jumps[j];
  }
  return sum;
}

Noise Posterior::likeliest() const { return all_[leading_.front()].hypothesis.emission->noise(); }

Noise Posterior::expected_noise() const {
  double run = 0;
  double build = 0;
  for (const Model& model : all_) {
    const Noise noise = model.hypothesis.emission->noise();
    run += model.weight * noise.run * noise.run;
    build += model.weight * noise.build * noise.build;
  }
  return {std::sqrt(run), std::sqrt(build)};
}

void Posterior::weigh() {
  double most = -1e300;
  for (const Model& model : all_)
    if (model.chain) most = std::max(most, model.weight);
  double total = 0;
  for (Model& model : all_) {
    model.weight = model.chain ? std::exp(model.weight - most) : 0;
    total += model.weight;
  }
  const std::size_t gaps = units_.size() - 1;
  change_ = Shifts(gaps);
  leading_.clear();
  for (std::size_t k = 0; k < all_.size(); ++k) {
    Model& model = all_[k];
    model.weight /= total;
    if (model.weight >= kMatters) leading_.push_back(k);
    if (model.chain) change_.add(model.weight, model.chain->change());
  }
  std::stable_sort(leading_.begin(), leading_.end(),
                   [&](std::size_t a, std::size_t b) { return all_[a].weight > all_[b].weight; });
  if (leading_.size() > kMostLeading) leading_.resize(kMostLeading);
  present_ = Shifts(gaps);
  leading_weight_ = 0;
  for (const std::size_t k : leading_) leading_weight_ += all_[k].weight;
  for (const std::size_t k : leading_) present_.add(all_[k].weight / leading_weight_, all_[k].chain->change());
}

std::vector<Posterior::Future> Posterior::futures(int unit) const {
  const auto it = std::lower_bound(units_.begin(), units_.end(), unit);
  const auto j = static_cast<std::size_t>(it - units_.begin());
  const bool evaluated = it != units_.end() && *it == unit;
  const std::vector<double> before = evaluated ? samples_->at(unit) : std::vector<double>{};

  std::vector<Chain> chains;
  std::vector<double> evidence;  // logarithms, of all that was seen so far
  std::vector<Outcome> outcomes;
  for (const std::size_t k : leading_) {
    const Model& model = all_[k];
    const Emission& emission = *model.hypothesis.emission;
    const Row nothing(model.lattice.size(), 1.0);
    Chain& chain = chains.emplace_back(*model.chain);
    double log_scale = 0;
    if (evaluated) emission.row(model.lattice, before, log_scale);
    if (evaluated)
      chain.replace(j, nothing);
    else
      chain.insert(j, stay(units_[j - 1], unit), stay(unit, units_[j]), nothing);
    evidence.push_back((evaluated ? *model.chain : chain).log_evidence() + log_scale);
    const double weight = model.weight / leading_weight_;
    const int count = std::max(2, static_cast<int>(std::lround(kOutcomes * weight)));
    for (const Outcome& outcome : emission.outcomes(model.lattice, chain.level(j), before, count))
      outcomes.push_back({outcome.y, outcome.p * weight});
  }
  std::vector<Future> futures;
  std::vector<double> ys = before;
  ys.push_back(0);
  for (const Outcome& outcome : outcomes) {
    Future future{outcome.p, Shifts(units_.size() - (evaluated ? 1 : 0))};
    ys.back() = outcome.y;
    // What is seen says something about the noise too: each hypothesis counts by how well it foresaw it.
    std::vector<double> weights;
    double total = 0;
    for (std::size_t l = 0; l < leading_.size(); ++l) {
      const Model& model = all_[leading_[l]];
      double log_scale = 0;
      chains[l].replace(j, model.hypothesis.emission->row(model.lattice, ys, log_scale));
      weights.push_back(model.weight * std::exp(chains[l].log_evidence() + log_scale - evidence[l]));
      total += weights.back();
    }
    for (std::size_t l = 0; l < leading_.size(); ++l) future.change.add(weights[l] / total, chains[l].change());
    futures.push_back(std::move(future));
  }
  return futures;
}

}  // namespace reg::search
