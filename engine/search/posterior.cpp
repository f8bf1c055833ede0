#include "engine/search/posterior.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kChangesExpected = 2;  // over the whole line, before anything is known
constexpr double kWorthKeeping = 1e-6;  // a hypothesis below this is not looked at again ...
constexpr std::size_t kWellKnown = 8;   // ... once so many units were run

}  // namespace

Posterior::Posterior(const Question& question, const Line& line) : line_(line) {
  for (Hypothesis& hypothesis : hypotheses(question)) {
    Model model;
    model.weight = hypothesis.prior;
    model.hypothesis = std::move(hypothesis);
    all_.push_back(std::move(model));
  }
}

double Posterior::stay(int a, int b) const { return std::exp(-kChangesExpected * line_.mass(a, b)); }

void Posterior::evaluate(Model& model) {
  const Emission& emission = *model.hypothesis.emission;
  model.lattice = emission.lattice(*samples_);
  double log_scale = 0;
  std::vector<Row> rows;
  for (const auto& [unit, ys] : *samples_) rows.push_back(emission.row(model.lattice, ys, log_scale));
  std::vector<double> stays;
  for (std::size_t j = 0; j + 1 < units_.size(); ++j) stays.push_back(stay(units_[j], units_[j + 1]));
  model.chain.emplace(model.lattice, emission.reach(model.lattice), emission.density(model.lattice));
  model.chain->run(std::move(rows), std::move(stays));
  model.weight = model.chain->log_evidence() + log_scale + std::log(model.hypothesis.prior);
}

void Posterior::update(const Samples& samples) {
  samples_ = &samples;
  units_.clear();
  for (const auto& [unit, ys] : samples) units_.push_back(unit);
  double most = -1e300;
  for (Model& model : all_) {
    if (units_.size() > kWellKnown && model.weight < kWorthKeeping) {
      model.chain.reset();
      continue;
    }
    evaluate(model);
    most = std::max(most, model.weight);
  }
  double total = 0;
  for (Model& model : all_) {
    model.weight = model.chain ? std::exp(model.weight - most) : 0;
    total += model.weight;
  }
  change_.assign(units_.size() - 1, 0);
  for (std::size_t k = 0; k < all_.size(); ++k) {
    all_[k].weight /= total;
    if (!all_[k].chain) continue;
    if (!all_[best_].chain || all_[k].weight > all_[best_].weight) best_ = k;
    for (std::size_t j = 0; j < change_.size(); ++j) change_[j] += all_[k].weight * all_[k].chain->change()[j];
  }
}

std::vector<Posterior::Future> Posterior::futures(int unit) const {
  const Model& model = all_[best_];
  const Chain& chain = *model.chain;
  const Emission& emission = *model.hypothesis.emission;
  const auto it = std::lower_bound(units_.begin(), units_.end(), unit);
  const auto j = static_cast<std::size_t>(it - units_.begin());
  const bool known = it != units_.end() && *it == unit;
  std::vector<double> ys;
  double left = 1;
  double right = 1;
  if (known) {
    ys = samples_->at(unit);
  } else {
    left = stay(units_[j - 1], unit);
    right = stay(unit, units_[j]);
  }
  const Row level = known ? chain.marginal(j) : chain.marginal_between(j - 1, left, right);
  std::vector<Future> futures;
  ys.push_back(0);
  double ignored = 0;
  for (const Outcome& outcome : emission.outcomes(model.lattice, level)) {
    ys.back() = outcome.y;
    const Row row = emission.row(model.lattice, ys, ignored);
    futures.push_back({outcome.p, known ? chain.change_with(j, row) : chain.change_between(j - 1, left, right, row)});
  }
  return futures;
}

}  // namespace reg::search
