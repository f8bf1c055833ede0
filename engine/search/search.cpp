#include "engine/search/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/search/direct.h"
#include "engine/search/evidence.h"

namespace reg::search {
namespace {

constexpr double kFlakyEffect = 0.25;
constexpr double kByChance = 0.2;  // that a test fails by chance, before anything is known of it
constexpr double kMetricError = 0.02;
constexpr int kRunsOfEach = 4;         // of the first places, or of all: the budget allows for them
constexpr double kWorthFinding = 0.5;  // of the difference of the ends
constexpr double kShowsItself = 4;     // times the noise: a smaller one is hardly seen between two neighbors
constexpr double kFlakyError = 0.12;   // a run of a flaky test says a fraction of a bit

Error misuse(const std::string& what, const std::string& hint = {}) {
  return {ErrorKind::usage, "search: " + what, hint};
}

void check(const Question& question) {
  const auto need = [](bool good, const char* what, const char* hint = "") {
    if (!good) throw misuse(what, hint);
  };
  const auto n = static_cast<std::size_t>(std::max(question.n, 0));
  need(n >= 1, "n must be at least 1");
  need(question.min_effect >= 0 && question.min_effect <= 10, "min_effect must be above 0", "0.01 is 1 %");
  need(question.kind != Kind::flaky || question.min_effect < 1, "min_effect of a failure rate must be below 1");
  need(question.exclude >= 0 && question.exclude <= 10, "exclude must be 0 or more", "0.01 is 1 %");
  need(question.max_error > 0 && question.max_error < 1, "max_error must be between 0 and 1", "0.02 is usual");
  need(question.budget >= 0, "budget must be a number of runs");
  need(question.first_look >= 0, "first_look must be a number of places");
  need(question.min_width >= 0, "min_width must be a number of places");
  need(question.parallel >= 1, "parallel must be at least 1");
  need(question.ahead >= 1, "ahead must be at least 1");
  need(question.builds.empty() || question.builds.size() == n, "builds must have one id for each place");
}

// Of passes and failures: whether there are both.
bool is_mixed(const std::vector<double>& ys) { return std::count(ys.begin(), ys.end(), ys.front()) < std::ssize(ys); }

// That so many failures and passes are those of one test that fails at an unknown rate.
double chance_of(std::size_t failures, std::size_t passes) {
  const auto n = static_cast<double>(failures);
  const auto m = static_cast<double>(passes);
  return kByChance * std::exp(std::lgamma(n + 1) + std::lgamma(m + 1) - std::lgamma(n + m + 2));
}

// A run as it was told.
struct Told {
  int unit = 0;
  std::optional<double> value;  // none: it failed
  int machine = 0;
  std::optional<double> at;
};

}  // namespace

struct Search::State {
  explicit State(Question asked)
      : question(std::move(asked)), line(question), first_look(question, line), budget_told(question.budget > 0) {
    if (question.budget == 0) {
      const int all = is_direct(question, line.units()) ? line.units() : first_look.size();
      question.budget = std::max(default_budget(question.kind), kRunsOfEach * all);
    }
    if (question.kind == Kind::noisy && question.ends) ends.emplace(std::log1p(question.min_effect), question.together);
    if (is_direct(question, line.units())) {
      direct.emplace(line, question.parallel * question.ahead, std::log1p(question.min_effect) / 2, question.together);
    } else if (question.kind != Kind::exact) {
      posterior = std::make_unique<Posterior>(question, line);
    }
  }

  // What follows from the numbers, without the posterior, which takes long.
  void compare() {
    read_told();
    gaps.clear();
    if (ends && samples.size() > 1) compare_ends();
  }

  // A place that passed and failed shows that failures happen by chance: from then on their rate is looked at.
  void note_chance() {
    if (!question.chance || question.kind != Kind::exact) return;
    if (std::none_of(samples.begin(), samples.end(), [](const auto& of) { return is_mixed(of.second); })) return;
    question.kind = Kind::flaky;
    question.min_effect = kFlakyEffect;
    question.budget = std::max(question.budget, budget_told ? 0 : default_budget(Kind::flaky));
    posterior = std::make_unique<Posterior>(question, line);
  }

  void update() {
    compare();
    note_chance();
    if (samples.size() < 2) return;
    if (direct) {
      direct->update(samples, log);
      gaps = direct->gaps();
      return;
    }
    if (posterior) posterior->update(samples);
    for (auto hi = std::next(samples.begin()); hi != samples.end(); ++hi) {
      const auto lo = std::prev(hi);
      Gap gap = gap_of(line, lo->first, hi->first);
      const double before = lo->second.front();
      const double off = std::fabs(hi->second.front() - before);
      if (posterior)
        gap.p = probability(posterior->change(), gaps.size(), gap.resolved());
      else if (off > 0 && off >= question.min_effect * std::fabs(before))  // numbers without noise
        gap.p = question.chance ? 1 - chance_of(lo->second.size(), hi->second.size()) : 1;
      gaps.push_back(gap);
    }
  }

  // A change of half the difference of the ends is worth finding: without any there are several, or a slope.
  void compare_ends() {
    const bool before = ends->differ();
    ends->update(samples);
    if (before || !ends->differ() || question.min_effect > 0) return;
    const double half = scale.effect({std::fabs(ends->comparison().difference) * kWorthFinding, 0, 0}, 1).value;
    if (question.exclude > 0 && question.exclude < half) return;
    look_for(half);
  }

  // Of a handful of units, too, all runs together say where a change is that the noise hides between neighbors. Only
  // before a round, as note_places().
  void note_noise() {
    if (!direct || !ends || !ends->differ() || question.first_look >= question.n) return;
    if (std::fabs(ends->comparison().difference) >= kShowsItself * scatter_of(samples).sigma) return;
    direct.reset();
    posterior = std::make_unique<Posterior>(question, line);
  }

  void look_for(double size) {
    question.exclude = size;
    if (posterior) posterior = std::make_unique<Posterior>(question, line);
  }

  // Before "no change" is said of a long history, whatever it is taken for is looked for. Whether there is more to do.
  bool must_exclude() {
    if (!posterior || gaps.empty() || question.kind != Kind::noisy || question.min_effect > 0 || question.exclude > 0)
      return false;
    if (std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.likely(); })) return false;
    look_for(kClaim);
    update();
    return true;
  }

  // Between ends that differ one change is looked for first.
  std::vector<Request> one_change() const {
    if (!ends || direct || !ends->differ()) return {};
    std::vector<Request> requests;
    for (const int unit : bisect(line, samples, question.parallel)) {
      const auto after = samples.upper_bound(unit);
      const auto at = samples.lower_bound(unit);
      const int hi = after == samples.end() ? unit : after->first;
      const int lo = at == samples.begin() ? unit : std::prev(at)->first;
      requests.push_back({unit, line.was_run(unit) ? Reason::repeat : Reason::split, lo, hi, 0});
    }
    return requests;
  }

  // What is believed of what was told: numbers of machines that can be compared, as one machine would have given them.
  void read_told() {
    Samples all;
    for (const Told& run : told)
      if (run.value) all[run.unit].push_back(*run.value);
    scale = Scale(question.kind, all);
    const double step = question.kind == Kind::noisy ? rounding_of(all) : 0;
    std::map<int, std::size_t> runs_of;
    std::vector<double> values;
    std::vector<Samples> of(std::max(std::size_t{1}, machines.size()));
    for (const Told& run : told) {
      values.push_back(run.value ? scale.inward(*run.value + step * cut_off(run.unit, runs_of[run.unit]++)) : 0);
      if (run.value) of[static_cast<std::size_t>(run.machine)][run.unit].push_back(values.back());
    }
    compared = compare_machines(of, latest_machine, line);
    samples.clear();
    log.clear();
    for (std::size_t k = 0; k < told.size(); ++k) {
      const Told& run = told[k];
      const std::optional<double>& offset = compared.offsets[static_cast<std::size_t>(run.machine)];
      if (run.value && !offset) continue;
      log.push_back({run.unit, run.machine, {}});
      if (!run.value) continue;
      log.back().value = values[k] - *offset;
      samples[run.unit].push_back(*log.back().value);
    }
  }

  // Runs that say how machines compare.
  std::vector<Request> links() const {
    Round links(line, question.parallel);
    for (const int unit : compared.to_link)
      if (unit >= 0) links.add({unit, Reason::link, unit, unit, 0});
    return links.requests();
  }

  void note(const Told& run) {
    std::size_t k = told.size();
    while (k > 0 && run.at && told[k - 1].at > run.at) --k;
    told.insert(told.begin() + static_cast<long>(k), run);
    const auto asked =
        std::find_if(pending.begin(), pending.end(), [&](const Request& request) { return request.place == run.unit; });
    if (asked != pending.end()) pending.erase(asked);
    ++runs;
  }

  // Of numbers that are the same on every machine, or that tell of failures, none is held back.
  int machine_id(const std::string& name) {
    if (question.kind != Kind::noisy) return 0;
    return machines.emplace(name, static_cast<int>(machines.size())).first->second;
  }

  // Only before a round, so that it does not depend on when somebody wants an answer.
  void note_places() {
    std::vector<std::pair<int, int>> now;
    for (const std::size_t place : places_that_count(evidence())) now.push_back({gaps[place].lo, gaps[place].hi});
    if (now != places) settled_at = runs;
    places = std::move(now);
  }

  Evidence evidence() const {
    Noise noise;
    Noise stated;
    if (direct) noise.run = stated.run = direct->scatter().sigma;
    if (posterior) noise = posterior->likeliest(), stated = posterior->expected_noise();
    const Direct* all = direct ? &*direct : nullptr;
    return {question, line, scale, samples,          gaps, posterior.get(), all, ends ? &*ends : nullptr, noise,
            stated,   log,  runs,  runs - settled_at};
  }

  Question question;
  Line line;
  FirstLook first_look;
  std::unique_ptr<Posterior> posterior;
  std::optional<Direct> direct;         // in its place where all of a history is measured by a metric
  std::optional<Ends> ends;             // of a metric with named ends
  std::vector<Told> told;               // in the order of the runs
  std::map<std::string, int> machines;  // by name
  int latest_machine = 0;
  Machines compared;
  Samples samples;
  Scale scale;
  std::vector<Gap> gaps;
  std::vector<Run> log;
  std::vector<Request> pending;  // places are units
  bool budget_told = false;
  int runs = 0, rounds = 0;
  std::vector<std::pair<int, int>> places;  // units on both sides of each change that counts
  int settled_at = 0;                       // runs when those were last other ones
  bool goes_on = false;                     // it asked for runs, and has not said yet that those are all
};

Search::Search(Question question) {
  const bool flaky = question.kind == Kind::flaky;
  if (question.min_effect == 0 && flaky) question.min_effect = kFlakyEffect;
  if (question.max_error == 0) question.max_error = flaky ? kFlakyError : kMetricError;
  check(question);
  state_ = std::make_unique<State>(std::move(question));
}
Search::~Search() = default;

int Search::n() const { return state_->question.n; }

std::vector<Request> Search::ask() {
  State& s = *state_;
  if (s.pending.empty() && s.runs < s.question.budget) {
    s.compare();
    s.note_chance();
    s.note_noise();
    s.pending = doubtful_ends(s.question, s.line, s.samples);
    // A test that never works is tried far apart, too.
    const bool works = std::any_of(s.told.begin(), s.told.end(), [](const Told& run) { return run.value; });
    if (s.pending.empty() && (!s.direct || s.ends || (!works && !s.told.empty())))
      s.pending = s.first_look.next(s.line, s.question.parallel * s.question.ahead);
    if (s.pending.empty()) {
      s.pending = s.links();
      if (s.pending.empty() && s.ends && s.samples.size() > 1)
        s.pending = s.ends->next(s.samples, s.log, s.line, s.question.parallel);
      if (s.pending.empty()) s.pending = s.one_change();
      if (s.pending.empty() && !(s.ends && s.ends->verdict() == EndsFound::Verdict::same)) {
        if (s.direct) s.pending = s.direct->round(s.samples, s.direct->in_turn());
        if (s.pending.empty()) s.update();
        if (s.pending.empty() && !s.gaps.empty()) {
          s.note_places();
          s.pending = next_round(s.evidence());
        }
        if (s.pending.empty() && s.must_exclude()) s.pending = next_round(s.evidence());
      }
    }
    if (!s.pending.empty()) ++s.rounds;
  }
  // Also of a round that is under way: earlier results may have been told since.
  const auto left = static_cast<std::size_t>(std::max(0, s.question.budget - s.runs));
  if (s.pending.size() > left) s.pending.resize(left);
  s.goes_on = !s.pending.empty();
  std::vector<Request> requests = s.pending;
  for (Request& request : requests) {
    request.place = s.line.first_place(request.place);
    request.lo = s.line.last_place(request.lo);
    request.hi = s.line.first_place(request.hi);
  }
  return requests;
}

void Search::tell(int place, double value, const Origin& origin) {
  State& s = *state_;
  if (place < 0 || place >= s.question.n) throw misuse("not a valid place: " + std::to_string(place));
  if (!std::isfinite(value)) throw misuse("a value must be a finite number", "tell_failed() is for runs without one");
  const int unit = s.line.unit_of(place);
  s.latest_machine = s.machine_id(origin.machine);
  s.note({unit, value, s.latest_machine, origin.at});
  s.line.mark_run(unit);
}

void Search::tell_failed(int place, Failure failure, const std::string& cause) {
  State& s = *state_;
  if (place < 0 || place >= s.question.n) throw misuse("not a valid place: " + std::to_string(place));
  const int unit = s.line.unit_of(place);
  s.note({unit, {}, s.latest_machine, {}});
  s.line.mark_failed(unit, failure, cause);
}

Answer Search::answer() const {
  State& s = *state_;
  s.update();
  Answer answer;
  if (s.gaps.empty()) {
    answer.why = s.samples.empty() ? "no place that was tried gave a number" : "only one place gave a number";
  } else {
    answer = answer_from(s.evidence(), s.goes_on);
  }
  answer.assumed = s.line.assumed_places();
  answer.runs = s.runs;
  answer.rounds = s.rounds;
  answer.budget = s.question.budget;
  return answer;
}

}  // namespace reg::search
