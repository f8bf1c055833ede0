#include "engine/machine/survey.h"

#include "engine/machine/commands.h"
#include "engine/machine/idle_states.h"
#include "engine/machine/knob.h"

namespace reg::machine {
namespace {

Finding of_knob(const char* what, const Knob& knob, const char* noisy) {
  if (!knob.why_not.empty()) return {what, false, knob.why_not, ""};
  if (knob.is_set()) return {what, true, knob.was(), ""};
  return {what, false, knob.was() + "; " + noisy, knob.command};
}

Finding lowest(const SystemPaths& paths) {
  const Knob knob = lowest_frequency(paths);
  Finding finding = of_knob("CPU min freq", knob, "CPUs clock down between runs and start slow");
  if (knob.why_not.empty())
    finding.words = finding.quiet ? "at the maximum" : knob.was() + " kHz" + finding.words.substr(knob.was().size());
  return finding;
}

Finding idle_states(const SystemPaths& paths) {
  if (const std::string why = idle_states_missing(paths); !why.empty()) return {"CPU idle states", false, why, ""};
  return {"CPU idle states", false, "on; waking up adds latency", kHoldIdleStates};
}

Finding addresses(const SystemPaths& paths) {
  const Measure measure = try_fixed_addresses(paths);
  if (measure.was == "off") return {"ASLR", true, "off", ""};
  return {"ASLR", true, "on (the default); reg.machine.tune{ aslr = false } turns it off for measured commands", ""};
}

}  // namespace

std::vector<Finding> survey(const SystemPaths& paths) {
  return {of_knob("CPU governor", governor(paths, "performance"), "the clock follows the load"),
          lowest(paths),
          of_knob("CPU turbo", turbo(paths, false), "the clock depends on temperature and the load of other cores"),
          of_knob("CPU SMT", smt(paths, false), "two threads share a core"),
          idle_states(paths),
          addresses(paths)};
}

std::vector<Fact> facts(const SystemPaths& paths) {
  std::vector<Fact> found;
  const auto add = [&](const char* name, const Knob& knob) {
    if (!knob.settings.empty()) found.push_back({name, knob.was()});
  };
  add("governor", governor(paths, "performance"));
  add("min_freq_khz", lowest_frequency(paths));
  add("turbo", turbo(paths, false));
  add("smt", smt(paths, false));
  return found;
}

}  // namespace reg::machine
