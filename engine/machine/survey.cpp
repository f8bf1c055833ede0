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

Finding lowest(const SystemPaths& machine) {
  const Knob knob = lowest_frequency(machine);
  Finding finding = of_knob("CPU min freq", knob, "processors slow down between runs, and start slow");
  if (knob.why_not.empty())
    finding.words = finding.quiet ? "the highest" : knob.was() + " kHz" + finding.words.substr(knob.was().size());
  return finding;
}

Finding idle_states(const SystemPaths& machine) {
  if (const std::string why = idle_states_missing(machine); !why.empty()) return {"CPU idle states", false, why, ""};
  return {"CPU idle states", false, "on; waking up takes its time", kHoldIdleStates};
}

Finding addresses(const SystemPaths& machine) {
  const Measure measure = try_fixed_addresses(machine);
  if (measure.was == "off") return {"ASLR", true, "off", ""};
  return {"ASLR", true, "on, as it should be; reg.machine.tune{ aslr = false } for runs that depend on the layout", ""};
}

}  // namespace

std::vector<Finding> survey(const SystemPaths& machine) {
  return {of_knob("CPU governor", governor(machine, "performance"), "the clock follows the load"),
          lowest(machine),
          of_knob("CPU turbo", turbo(machine, false), "the clock depends on heat and neighbours"),
          of_knob("CPU SMT", smt(machine, false), "two threads share a core"),
          idle_states(machine),
          addresses(machine)};
}

std::vector<Fact> facts(const SystemPaths& machine) {
  std::vector<Fact> found;
  const auto add = [&](const char* name, const Knob& knob) {
    if (!knob.settings.empty()) found.push_back({name, knob.was()});
  };
  add("governor", governor(machine, "performance"));
  add("min_freq_khz", lowest_frequency(machine));
  add("turbo", turbo(machine, false));
  add("smt", smt(machine, false));
  return found;
}

}  // namespace reg::machine
