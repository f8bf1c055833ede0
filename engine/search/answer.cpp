#include <algorithm>
#include <cmath>

#include "engine/search/direct.h"
#include "engine/search/evidence.h"

namespace reg::search {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNegligible = 0.01;  // a stretch ends where a change is less likely
constexpr std::size_t kRunsOfAPart = 3;
constexpr std::size_t kMostParts = 4;
constexpr double kClearPart = 3.0;  // standard errors: the clearest of many cuts is chosen
constexpr double kRounded = 1.05;
constexpr std::size_t kManySubjects = 8;
constexpr double kDoubted = 0.05;  // a change that is not said is mentioned as a doubt above this

// What is reported as one place of change: neighboring gaps that hold a change with the confidence that a statement
// needs: one gap, or several where the numbers do not say in which of them it is.
struct Said {
  std::size_t first = 0, last = 0;  // gaps
  double p = 0;                     // probability of a change in there
  bool open = false;                // there is more than one unit that it may have come with, and they could be run
  int lo = 0, hi = 0;               // units
};

// The gaps of one change exclude each other, so their probabilities add up.
Said grown(const Evidence& evidence, const std::vector<bool>& taken, std::size_t seed, double confidence) {
  const std::vector<Gap>& gaps = evidence.gaps;
  Said said{seed, seed, gaps[seed].p};
  const auto at = [&](std::size_t k) { return k < gaps.size() && !taken[k] ? gaps[k].p : 0.0; };
  while (said.p < confidence) {
    const double before = said.first > 0 ? at(said.first - 1) : 0;
    const double after = at(said.last + 1);
    if (std::max(before, after) < kNegligible) break;
    if (before > after)
      --said.first;
    else
      ++said.last;
    said.p += std::max(before, after);
  }
  said.p = std::min(said.p, 1.0);
  said.open = said.first < said.last || !gaps[seed].resolved();
  said.lo = gaps[said.first].lo;
  said.hi = gaps[said.last].hi;
  return said;
}

// The places of change that are sure enough, each as short as it can be, in order.
std::vector<Said> sure_ones(const Evidence& evidence) {
  std::vector<std::size_t> seeds;
  std::vector<bool> taken;
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    const Gap& gap = evidence.gaps[k];
    const bool by_pairs = evidence.posterior != nullptr && evidence.noisy() && gap.resolved() && gap.likely();
    taken.push_back(by_pairs && believed(evidence, k) != Believed::yes);
    seeds.push_back(k);
  }
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](std::size_t a, std::size_t b) { return evidence.gaps[a].p > evidence.gaps[b].p; });
  // A flaky test has a larger error by default, and a search for one ends with less confidence.
  const double confidence = std::min(kConfidence, 1 - evidence.question.max_error);
  std::vector<Said> all;
  for (const std::size_t seed : seeds) {
    if (taken[seed]) continue;
    const Said said = grown(evidence, taken, seed, confidence);
    if (said.p < confidence) continue;
    for (std::size_t k = said.first; k <= said.last; ++k) taken[k] = true;
    all.push_back(said);
  }
  std::sort(all.begin(), all.end(), [](const Said& a, const Said& b) { return a.first < b.first; });
  return all;
}

// Half the width of a 95 % interval in standard deviations that were estimated from the same runs: one degree of
// freedom for each run beyond the number of levels.
double half_width_95(const Evidence& evidence) {
  if (!evidence.noisy()) return kNormal95;
  double freedom = -1;
  for (const auto& [unit, ys] : evidence.samples) freedom += static_cast<double>(ys.size());
  for (const Gap& gap : evidence.gaps) freedom -= gap.likely() ? 1 : 0;
  return student_95(freedom);
}

Estimate estimate(const Evidence& evidence, const Level& level) {
  const double half = half_width_95(evidence) * std::sqrt(level.variance);
  if (evidence.question.kind == Kind::flaky)
    return {level.mean, std::max(0.0, level.mean - half), std::min(1.0, level.mean + half)};
  return evidence.scale.outward(around(level.mean, half));
}

// Before, between and after the places of change.
std::vector<Level> levels_of(const Evidence& evidence, const std::vector<Said>& said) {
  std::vector<Level> levels;
  int from = 0;
  for (const Said& one : said) {
    levels.push_back(level_of(evidence, from, one.lo, evidence.stated));
    from = one.hi;
  }
  levels.push_back(level_of(evidence, from, evidence.line.units() - 1, evidence.stated));
  return levels;
}

// What is said: no statement rests on a level that was seen in a single run, and a change that is spread over several
// gaps must show in the levels on both of its sides.
std::vector<Said> all_said(const Evidence& evidence) {
  const std::vector<Said> said = sure_ones(evidence);
  const std::vector<Level> levels = levels_of(evidence, said);
  std::vector<Said> shown;
  for (std::size_t k = 0; k < said.size(); ++k) {
    const Level& before = levels[k];
    const Level& after = levels[k + 1];
    if (evidence.noisy() && std::min(before.runs, after.runs) < kRunsToBelieve) continue;
    // The difference of two neighbors may be none of what lies around them, and builds of one program differ a little.
    const double least = evidence.direct != nullptr ? evidence.direct->least() : kLeastEffect;
    const bool told = evidence.direct == nullptr && evidence.question.min_effect > 0;
    if (evidence.noisy() && !told && distance(before, after) < least) continue;
    if (said[k].first == said[k].last || distance(before, after) > kNormal95 * deviation(before, after))
      shown.push_back(said[k]);
  }
  return shown;
}

Change change_of(const Evidence& evidence, const Said& said, const Level& before, const Level& after) {
  Change change;
  change.enter = {evidence.line.last_place(said.lo), evidence.line.first_place(said.hi), said.p, 0};
  change.p = said.p;
  change.before = estimate(evidence, before);
  change.after = estimate(evidence, after);
  const double difference = after.mean - before.mean;
  change.effect =
      evidence.scale.effect(around(difference, half_width_95(evidence) * deviation(before, after)), before.mean);
  change.open = said.open;
  change.runs_to_name = change.open ? runs_to_name(evidence, said.lo, said.hi, difference) : 0;
  return change;
}

// A level that comes back makes two places of change a temporary one.
std::vector<Change> changes_of(const Evidence& evidence, const std::vector<Said>& said) {
  const std::vector<Level> levels = levels_of(evidence, said);
  const double effect = evidence.question.kind == Kind::exact ? 1e-300 : wanted_of(evidence).effect;
  const auto agree = [&](const Level& a, const Level& b) {
    return distance(a, b) < std::max(effect, 3 * deviation(a, b));
  };
  std::vector<Change> changes;
  for (std::size_t k = 0; k < said.size(); ++k) {
    Change change = change_of(evidence, said[k], levels[k], levels[k + 1]);
    if (k + 1 < said.size() && agree(levels[k], levels[k + 2])) {
      const Change back = change_of(evidence, said[k + 1], levels[k + 1], levels[k + 2]);
      change.dip = true;
      change.leave = back.enter;
      change.p *= back.p;
      change.open = change.open || back.open;
      change.runs_to_name += back.runs_to_name;
      ++k;
    }
    changes.push_back(change);
  }
  return changes;
}

// The effect from one unit to another one, by their own runs.
Estimate step(const Evidence& evidence, const Scatter& scatter, int from, int to) {
  const auto& before = evidence.samples.at(from);
  const Comparison comparison = compare(before, evidence.samples.at(to), scatter);
  return evidence.scale.effect(comparison.estimate(), bulk_of(before, scatter.sigma));
}

// The places that are said hold their changes; any other gap may hold one.
void add_doubts(const Evidence& evidence, const std::vector<bool>& is_said, Answer& answer) {
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    if (is_said[k]) continue;
    const Gap& gap = evidence.gaps[k];
    Edge edge{evidence.line.last_place(gap.lo), evidence.line.first_place(gap.hi), gap.p, 0};
    if (evidence.question.kind == Kind::noisy)
      edge.effect = step(evidence, scatter_of(evidence.samples), gap.lo, gap.hi).value;
    answer.narrowest_dip = std::max(answer.narrowest_dip, edge.hi - edge.lo);
    if (gap.p > kDoubted) answer.doubts.push_back(edge);
  }
}

int runs_to_resolve(const Evidence& evidence, const Answer& answer, const Resolution& resolution) {
  if (evidence.direct != nullptr) {
    const int left = evidence.direct->left(evidence.samples);
    if (left > 0 || resolution.enough || resolution.wanted <= 0) return left;
    return static_cast<int>(std::ceil(evidence.runs * (std::pow(resolution.size / resolution.wanted, 2) - 1)));
  }
  int more = 0;
  int naming = 0;
  for (const Change& change : answer.changes) naming += change.runs_to_name;
  for (const Edge& doubt : answer.doubts)
    more += runs_to_name(evidence, doubt.lo, doubt.hi, wanted_of(evidence).effect);
  if (!resolution.enough) more = std::max(more, runs_to_exclude(resolution.wanted, answer.noise) - evidence.runs);
  return std::max(more, naming);
}

bool ends_were_repeated(const Evidence& evidence) {
  return std::min(evidence.runs_of(evidence.first()), evidence.runs_of(evidence.last())) >= kRunsToBelieve;
}

// Single runs tell nothing of the noise, and so of nothing that rests on it, unless there are many side by side.
bool knows_noise(const Evidence& evidence) {
  return ends_were_repeated(evidence) || evidence.samples.size() >= kManySubjects;
}

// "No change" of a metric means none of the resolution or more: smaller ones may be left in doubt. It rests on both
// ends, each run more than once, or on many single runs where all are measured.
bool is_done(const Evidence& evidence, const Answer& answer, const Resolution& found) {
  if (any_open(evidence.gaps)) return false;
  if (evidence.question.kind == Kind::exact) return true;
  if (evidence.ends != nullptr) return !answer.changes.empty() && !answer.unaccounted;
  if (evidence.direct != nullptr) return !answer.changes.empty() || (found.enough && knows_noise(evidence));
  if (!evidence.noisy() || !answer.changes.empty())
    return answer.error <= evidence.question.max_error || is_settled(evidence);
  return found.enough && found.size <= claim_of(evidence) * kRounded && ends_were_repeated(evidence);
}

// What the changes that are said leave of the difference of the ends.
std::optional<Estimate> unaccounted(const Evidence& evidence, const std::vector<Said>& said) {
  if (!evidence.noisy() || said.empty()) return std::nullopt;
  const Sum sum = sum_of(evidence, said.front().lo, said.back().hi);
  if (sum.agrees()) return std::nullopt;
  const double rest = sum.ends - sum.found;
  return evidence.scale.effect(around(rest, sum.half), level_of(evidence, 0, said.front().lo).mean);
}

// The whole history in parts: between units with runs enough, from one end to the other, such that each differs clearly
// from the one before.
std::vector<Part> parts_of(const Evidence& evidence) {
  std::vector<int> units;
  for (const auto& [unit, ys] : evidence.samples)
    if (units.empty() || unit == evidence.last() || ys.size() >= kRunsOfAPart) units.push_back(unit);
  const Scatter scatter = scatter_of(evidence.samples);
  const auto over = [&](std::size_t k) {
    return compare(evidence.samples.at(units[k]), evidence.samples.at(units[k + 1]), scatter);
  };
  const auto clear = [&](std::size_t k) { return std::fabs(over(k).sigmas()); };
  while (units.size() > 2) {
    std::size_t least = 0;
    for (std::size_t k = 0; k + 1 < units.size(); ++k)
      if (clear(k) < clear(least)) least = k;
    if (clear(least) >= kClearPart && units.size() <= kMostParts + 1) break;
    // Of the two units around the least clear part one goes, but no end.
    const bool earlier = least + 2 == units.size() || (least > 0 && clear(least - 1) < clear(least + 1));
    units.erase(units.begin() + static_cast<long>(earlier ? least : least + 1));
  }
  std::vector<Part> parts;
  for (std::size_t k = 0; k + 1 < units.size(); ++k)
    parts.push_back({evidence.line.last_place(units[k]), evidence.line.first_place(units[k + 1]),
                     step(evidence, scatter, units[k], units[k + 1]),
                     runs_to_name(evidence, units[k], units[k + 1], over(k).difference)});
  return parts;
}

EndsFound ends_found(const Evidence& evidence) {
  const double before = evidence.samples.begin()->second.front();
  const double bound = evidence.ends->bound();
  return {evidence.ends->verdict(), evidence.scale.effect(evidence.ends->comparison().estimate(), before),
          evidence.scale.effect({bound, bound, bound}, before).value, evidence.ends->runs_to_tell()};
}

std::vector<TableRow> table_of(const Evidence& evidence) {
  const Scatter& scatter = evidence.direct->scatter();
  const bool known = knows_noise(evidence);
  std::vector<TableRow> table;
  int before = -1;
  for (const auto& [unit, ys] : evidence.samples) {
    const double level = bulk_of(ys, scatter.sigma);
    const double half = known ? student_95(scatter.freedom) * scatter.error(ys.size()) : 0;
    TableRow row{evidence.line.first_place(unit), static_cast<int>(ys.size()),
                 evidence.scale.outward(around(level, half)), std::nullopt, std::nullopt};
    if (before >= 0) row.step = step(evidence, scatter, before, unit);
    if (before >= 0) row.from_first = step(evidence, scatter, evidence.first(), unit);
    table.push_back(row);
    before = unit;
  }
  return table;
}

}  // namespace

bool names_place(const Evidence& evidence) {
  const std::vector<Said> said = all_said(evidence);
  return std::any_of(said.begin(), said.end(), [](const Said& one) { return !one.open; });
}

Answer answer_from(const Evidence& evidence, bool goes_on) {
  Answer answer;
  if (evidence.ends != nullptr) {
    answer.ends = ends_found(evidence);
    if (answer.ends->verdict != EndsFound::Verdict::differ) {
      // Nothing is said of what lies between ends that are alike, or that could not be told apart.
      const bool same = answer.ends->verdict == EndsFound::Verdict::same;
      const bool close = same && evidence.ends->bound() <= claim_of(evidence) * kRounded;
      answer.verdict = close ? Verdict::no_change : Verdict::inconclusive;
      if (same && !close) answer.finer = kClaim;
      if (same && !close) answer.runs_for_finer = evidence.ends->runs_to_bound(claim_of(evidence));
      if (!same) answer.why = open_end(evidence, goes_on);
      if (!same) answer.runs_to_resolve = answer.ends->runs_to_tell;
      answer.noise = scatter_of(evidence.samples).sigma;
      answer.error = 0.05;
      return answer;
    }
  }
  answer.error = expected_error(evidence.gaps);
  answer.noise = evidence.stated.run;
  answer.build_noise = evidence.noise.build;
  const std::vector<Said> said = all_said(evidence);
  std::vector<bool> is_said(evidence.gaps.size());
  for (const Said& one : said)
    for (std::size_t k = one.first; k <= one.last; ++k) is_said[k] = true;
  answer.changes = changes_of(evidence, said);
  add_doubts(evidence, is_said, answer);
  const Resolution found = resolution(evidence, is_said);
  const bool open = std::any_of(answer.changes.begin(), answer.changes.end(), [](const Change& c) { return c.open; });
  // A stretch may hold more than one change. Numbers without noise show each one of the size asked for.
  if (!open) answer.resolution = evidence.noisy() ? std::expm1(found.size) : evidence.question.min_effect;
  answer.unaccounted = unaccounted(evidence, said);
  const bool differ = evidence.ends != nullptr;
  if (differ && answer.changes.empty()) answer.parts = parts_of(evidence);
  if (!is_done(evidence, answer, found)) {
    answer.why = open_end(evidence, goes_on);
    const bool helps = would_help(evidence, goes_on);
    if (helps) answer.runs_to_resolve = runs_to_resolve(evidence, answer, found);
    for (Part& part : answer.parts) part.runs_to_narrow *= helps ? 1 : 0;
  }
  if (evidence.direct != nullptr) answer.table = table_of(evidence);
  answer.verdict = differ || !answer.changes.empty() ? Verdict::changes
                   : answer.why.empty()              ? Verdict::no_change
                                                     : Verdict::inconclusive;
  if (evidence.noisy() && !wanted_of(evidence).told && evidence.question.min_effect > 0)
    answer.finer = evidence.question.min_effect;
  else if (evidence.noisy() && answer.verdict == Verdict::no_change)
    answer.finer = std::expm1(found.size / 2);
  if (answer.finer > 0)
    answer.runs_for_finer = runs_to_exclude(evidence.scale.inward_effect(answer.finer), answer.noise);
  return answer;
}

}  // namespace reg::search
