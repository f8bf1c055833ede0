#include <array>
#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/search/minimize.h"
#include "engine/search/search.h"

// Places and items are counted from 1 in Lua and from 0 in engine/search; this file converts them.

namespace reg::search {

// Without an interval where the runs do not tell it.
int push(lua_State* L, const Estimate& estimate) {
  using lua::set;
  REG_PUSH(L, estimate, value);
  if (std::isnan(estimate.low)) return 1;
  REG_SET(L, estimate, low, high);
  return 1;
}

}  // namespace reg::search

namespace reg::lua {
namespace {

using search::Answer;
using search::Change;
using search::Edge;
using search::Estimate;
using search::Failure;
using search::Kind;
using search::Minimize;
using search::Question;
using search::Reason;
using search::Request;
using search::Search;

// --- the question ----------------------------------------------------------------------------------------------------
// Builds are named in Lua; the search only needs to know which are equal.
std::vector<int> builds_option(const Options& options) {
  std::map<std::string, int> ids;
  std::vector<int> builds;
  for (const std::string& name : options.list("builds"))
    builds.push_back(ids.emplace(name, static_cast<int>(ids.size())).first->second);
  return builds;
}

Kind kind_option(lua_State* L, const Options& options) {
  const std::string kind = options.text("kind", "noisy");
  if (kind == "noisy") return Kind::noisy;
  if (kind == "flaky") return Kind::flaky;
  if (kind == "exact") return Kind::exact;
  throw misuse(L, "'kind' must be noisy, flaky or exact, not '" + kind + "'");
}

std::shared_ptr<Search> new_search(lua_State* L, const Options& options) {
  Question question;
  REG_GET(options, question, n, min_effect, exclude, max_error, budget, parallel, ahead, first_look, ends, chance,
          together, min_width);
  question.kind = kind_option(L, options);
  question.builds = builds_option(options);
  return std::make_shared<Search>(question);
}

// --- requests and results --------------------------------------------------------------------------------------------
void set_places(lua_State* L, const char* lo, const char* hi, int from, int to) {
  set(L, lo, from + 1);
  set(L, hi, to + 1);
}

// In the order of search::Reason and search::Verdict.
constexpr std::array kReasons{"first_look", "round", "split", "repeat", "confirm",
                              "odd_one",    "retry", "ends",  "chance", "link"};
static_assert(kReasons.size() == static_cast<std::size_t>(Reason::link) + 1);
constexpr std::array kVerdicts{"changes", "no_change", "inconclusive"};

int ask(lua_State* L, Search& search) {
  return push_list(L, search.ask(), [](lua_State* state, const Request& request) {
    lua_createtable(state, 0, 5);
    set(state, "place", request.place + 1);
    set(state, "reason", kReasons.at(static_cast<std::size_t>(request.reason)));
    set_places(state, "lo", "hi", request.lo, request.hi);
    set(state, "p", request.p);
  });
}

int place_argument(lua_State* L, int n) {
  const std::int64_t place = check_integer(L, 2, "the place");
  if (place < 1 || place > n) throw misuse(L, "not a valid place: " + std::to_string(place), "Places are from 1 to n.");
  return static_cast<int>(place - 1);
}

double value_argument(lua_State* L) {
  const double value = check_number(L, 3, "the value");
  if (!std::isfinite(value)) throw misuse(L, "the value is not finite", "Report a run without a number with fail().");
  return value;
}

Failure failure_argument(lua_State* L) {
  const std::string how = check_string(L, 3, "the failure");
  if (how != "broken" && how != "crashed") throw misuse(L, "the failure must be broken or crashed, not '" + how + "'");
  return how == "broken" ? Failure::broken : Failure::crashed;
}

void tell(lua_State* L, Search& search, const Options& options) {
  search::Origin origin;
  REG_GET(options, origin, machine, at);
  search.tell(place_argument(L, search.n()), value_argument(L), origin);
}

void fail(lua_State* L, Search& search) {
  const Failure how = failure_argument(L);
  const auto cause = argument<std::optional<std::string>>(L, 4);
  search.tell_failed(place_argument(L, search.n()), how, cause.value_or(""));
}

// --- the answer ------------------------------------------------------------------------------------------------------
// name, name_low, name_high
void set_estimate(lua_State* L, const std::string& name, const Estimate& estimate) {
  set(L, name.c_str(), estimate.value);
  set(L, (name + "_low").c_str(), estimate.low);
  set(L, (name + "_high").c_str(), estimate.high);
}

void push_change(lua_State* L, const Change& change) {
  lua_createtable(L, 0, 20);
  set(L, "kind", change.dip ? "dip" : "step");
  if (change.open) set(L, "open", true);
  if (change.open) set(L, "runs_to_name", change.runs_to_name);
  set_places(L, "lo", "hi", change.enter.lo, change.enter.hi);
  if (change.dip) set_places(L, "leave_lo", "leave_hi", change.leave.lo, change.leave.hi);
  set(L, "p", change.p);
  set_estimate(L, "before", change.before);
  set_estimate(L, "after", change.after);
  set_estimate(L, "effect", change.effect);
  if (change.before.value != 0) set(L, "ratio", change.after.value / change.before.value);
}

void push_doubt(lua_State* L, const Edge& doubt) {
  lua_createtable(L, 0, 3);
  set_places(L, "lo", "hi", doubt.lo, doubt.hi);
  set(L, "p", doubt.p);
  if (doubt.effect != 0) set(L, "effect", doubt.effect);
}

void push_ends(lua_State* L, const search::EndsFound& ends) {
  lua_createtable(L, 0, 6);
  using Verdict = search::EndsFound::Verdict;
  if (ends.verdict != Verdict::open) set(L, "differ", ends.verdict == Verdict::differ);
  set_estimate(L, "effect", ends.effect);
  if (ends.verdict == Verdict::same) set(L, "bound", ends.bound);
  if (ends.verdict == Verdict::open) set(L, "runs_to_tell", ends.runs_to_tell);
}

void push_part(lua_State* L, const search::Part& part) {
  lua_createtable(L, 0, 6);
  set_places(L, "lo", "hi", part.lo, part.hi);
  set_estimate(L, "effect", part.effect);
  set(L, "runs_to_narrow", part.runs_to_narrow);
}

void push_row(lua_State* L, const search::TableRow& row) {
  lua_createtable(L, 0, 10);
  set(L, "place", row.place + 1);
  set(L, "runs", row.runs);
  set_estimate(L, "value", row.value);
  if (row.step) set_estimate(L, "step", *row.step);
  if (row.from_first) set_estimate(L, "from_first", *row.from_first);
}

void push_range(lua_State* L, const search::Range& range) {
  lua_createtable(L, 0, 2);
  set_places(L, "first", "last", range.first, range.last);
}

int answer(lua_State* L, const Search& search) {
  const Answer found = search.answer();
  lua_createtable(L, 0, 15);
  set(L, "verdict", kVerdicts.at(static_cast<std::size_t>(found.verdict)));
  REG_SET_SOME(L, found, why);
  set(L, "changes", found.changes, push_change);
  set(L, "doubts", found.doubts, push_doubt);
  if (found.ends) set(L, "ends", *found.ends, push_ends);
  if (!found.parts.empty()) set(L, "spread", found.parts, push_part);
  if (!found.table.empty()) set(L, "table", found.table, push_row);
  if (found.unaccounted) {
    lua_createtable(L, 0, 3);
    set_estimate(L, "effect", *found.unaccounted);
    lua_setfield(L, -2, "unaccounted");
  }
  set(L, "assumed", found.assumed, push_range);
  REG_SET(L, found, noise, build_noise, error, narrowest_dip, runs, rounds, budget, runs_to_resolve);
  if (found.resolution > 0) set(L, "resolution", found.resolution);
  if (found.finer > 0) {
    REG_SET(L, found, finer, runs_for_finer)
  }
  return 1;
}

// --- minimize: which of n items carry an effect; a subset is a list of items ---------------------------------------
std::shared_ptr<Minimize> new_minimize(const Options& options) {
  search::Puzzle puzzle;
  REG_GET(options, puzzle, n, budget, exact, pass_fail);
  return std::make_shared<Minimize>(puzzle);
}

void push_items(lua_State* L, const std::vector<int>& items) {
  push_list(L, items, [](lua_State* state, int item) { lua_pushinteger(state, item + 1); });
}

int ask_subset(lua_State* L, Minimize& minimize) {
  const auto request = minimize.ask();
  if (!request) return 0;
  std::vector<int> items;
  for (std::size_t k = 0; k < request->on.size(); ++k)
    if (request->on[k] != 0) items.push_back(static_cast<int>(k));
  push_items(L, items);
  push(L, request->reason);
  return 2;
}

search::Subset subset_argument(lua_State* L, int n) {
  if (!lua_istable(L, 2)) throw misuse(L, "the subset must be a list of items, not " + type_name(L, 2));
  search::Subset on(static_cast<std::size_t>(n));
  each_element(L, 2, [&](lua_Integer) {
    const std::int64_t item = check_integer(L, -1, "the item");
    if (item < 1 || item > n) throw misuse(L, "not a valid item: " + std::to_string(item), "Items are from 1 to n.");
    on[static_cast<std::size_t>(item - 1)] = 1;
  });
  return on;
}

void tell_subset(lua_State* L, Minimize& minimize) {
  minimize.tell(subset_argument(L, minimize.n()), value_argument(L));
}

void fail_subset(lua_State* L, Minimize& minimize) {
  minimize.tell_failed(subset_argument(L, minimize.n()), failure_argument(L));
}

void push_culprit(lua_State* L, const search::Culprit& culprit) {
  lua_createtable(L, 0, 7);
  set(L, "items", culprit.items, push_items);
  REG_SET(L, culprit, any, effect, alone, without);
}

int minimal(lua_State* L, Minimize& minimize) {
  const search::Minimal found = minimize.answer();
  lua_createtable(L, 0, 12);
  REG_SET_SOME(L, found, why);
  set(L, "culprits", found.culprits, push_culprit);
  set(L, "confidence", found.p);
  set(L, "excluded", found.excluded, push_items);
  REG_SET(L, found, verdict, noise, runs, failed, none, all, effect, rest);
  return 1;
}

}  // namespace

std::vector<Function> bind_search(lua_State* L) {
  // `tell` has its options at place 4, and takes any others in silence.
  register_class<Search>(L, "search.Search", {REG_FUNCTIONS(ask, fail, answer), {"tell", call<tell>, nullptr, 4}});
  return {{"new", call<new_search>,
           "n kind min_effect exclude max_error budget parallel ahead first_look ends chance together "
           "min_width builds"}};
}

std::vector<Function> bind_minimize(lua_State* L) {
  register_class<Minimize>(
      L, "minimize.Minimize",
      {{"ask", call<ask_subset>}, {"tell", call<tell_subset>}, {"fail", call<fail_subset>}, {"answer", call<minimal>}});
  return {{"new", call<new_minimize>, "n budget exact pass_fail"}};
}

}  // namespace reg::lua
