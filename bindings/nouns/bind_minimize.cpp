#include <array>
#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/lua.h"
#include "engine/search/minimize.h"

// Items are counted from 1 in Lua and from 0 in engine/search; this file converts them. A subset is a list of items.

namespace reg::lua {
namespace {

using search::Culprit;
using search::Estimate;
using search::Minimal;
using search::Subset;

struct Minimizer {
  explicit Minimizer(const search::Puzzle& puzzle) : minimize(puzzle), n(puzzle.n) {}
  search::Minimize minimize;
  int n;
};

int new_minimize(lua_State* L) {
  const Options options(L, 1);
  search::Puzzle puzzle;
  puzzle.n = options.count("n");
  puzzle.budget = options.count("budget");
  puzzle.pass_fail = options.flag("pass_fail");
  if (options.flag("exact") || puzzle.pass_fail) puzzle.kind = search::Kind::exact;
  return push_object(L, std::make_shared<Minimizer>(puzzle));
}

// In the order of search::SubsetReason and search::MinimizeVerdict.
constexpr std::array kSubsetReasons{"none", "all", "runnable", "split", "alone", "without"};
constexpr std::array kMinimizeVerdicts{"found", "no_effect", "inconclusive"};

void push_items(lua_State* L, const std::vector<int>& items) {
  push_list(L, items, [](lua_State* state, int item) { lua_pushinteger(state, item + 1); });
}

int ask(lua_State* L) {
  const auto request = object<Minimizer>(L).minimize.ask();
  if (!request) return 0;
  std::vector<int> items;
  for (std::size_t k = 0; k < request->on.size(); ++k)
    if (request->on[k] != 0) items.push_back(static_cast<int>(k));
  push_items(L, items);
  push(L, kSubsetReasons.at(static_cast<std::size_t>(request->reason)));
  return 2;
}

Subset subset_argument(lua_State* L, int n) {
  if (!lua_istable(L, 2)) throw misuse(L, "the subset must be a list of items, not " + type_name(L, 2));
  Subset on(static_cast<std::size_t>(n));
  each_element(L, 2, [&](lua_Integer) {
    const std::int64_t item = check_integer(L, -1, "the item");
    if (item < 1 || item > n) throw misuse(L, "not a valid item: " + std::to_string(item), "Items are from 1 to n.");
    on[static_cast<std::size_t>(item - 1)] = 1;
  });
  return on;
}

int tell(lua_State* L) {
  auto& minimizer = object<Minimizer>(L);
  const double value = check_number(L, 3, "the value");
  if (!std::isfinite(value)) throw misuse(L, "the value is not finite", "Report a run without a number with fail().");
  minimizer.minimize.tell(subset_argument(L, minimizer.n), value);
  return 0;
}

int fail(lua_State* L) {
  auto& minimizer = object<Minimizer>(L);
  const std::string how = check_string(L, 3, "the failure");
  if (how != "broken" && how != "crashed") throw misuse(L, "the failure must be broken or crashed, not '" + how + "'");
  minimizer.minimize.tell_failed(subset_argument(L, minimizer.n),
                                 how == "broken" ? search::Failure::broken : search::Failure::crashed);
  return 0;
}

// { value =, low =, high = } at t[key]; without an interval where the runs do not tell it
void set_estimate(lua_State* L, const char* key, const Estimate& estimate) {
  lua_createtable(L, 0, 3);
  set(L, "value", estimate.value);
  if (!std::isnan(estimate.low)) {
    set(L, "low", estimate.low);
    set(L, "high", estimate.high);
  }
  lua_setfield(L, -2, key);
}

void push_culprit(lua_State* L, const Culprit& culprit) {
  lua_createtable(L, 0, 7);
  set(L, "items", culprit.items, push_items);
  set(L, "any", culprit.any);
  set_estimate(L, "effect", culprit.effect);
  if (culprit.alone_runs > 0) set_estimate(L, "alone", culprit.alone);
  if (culprit.without_runs > 0) set_estimate(L, "without", culprit.without);
}

int answer(lua_State* L) {
  const Minimal found = object<Minimizer>(L).minimize.answer();
  lua_createtable(L, 0, 12);
  set(L, "verdict", kMinimizeVerdicts.at(static_cast<std::size_t>(found.verdict)));
  if (!found.why.empty()) set(L, "why", found.why);
  set(L, "culprits", found.culprits, push_culprit);
  set(L, "confidence", found.p);
  set_estimate(L, "none", found.none);
  set_estimate(L, "all", found.all);
  set_estimate(L, "effect", found.effect);
  set_estimate(L, "rest", found.rest);
  set(L, "excluded", found.excluded, push_items);
  REG_SET(L, found, noise, runs, failed);
  return 1;
}

}  // namespace

void bind_minimize(lua_State* L) {
  register_class<Minimizer>(L, "minimize.Minimize", {{"ask", ask}, {"tell", tell}, {"fail", fail}, {"answer", answer}});
  register_functions(L, "minimize", {{"new", new_minimize, "n budget exact pass_fail"}});
}

}  // namespace reg::lua
