#include "engine/machine/tuning.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include <cerrno>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/machine/knob.h"
#include "engine/machine/paths.h"

namespace reg::machine {
namespace {

std::function<TunedElsewhere(const Wanted&)>& elsewhere() {
  static std::function<TunedElsewhere(const Wanted&)> tune;
  return tune;
}

// On Linux all three are per-thread attributes, and a child inherits them from the thread that starts it.
void on_a_thread(const std::function<void()>& work) { std::thread(work).join(); }

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

std::string reason(int code) { return std::generic_category().message(code); }

// Why it is not done, and the command that does it.
void fail(Measure& measure, State state, const std::string& why, const std::string& command = "") {
  measure.state = state;
  measure.why = why;
  measure.command = command;
}

}  // namespace

void tune_elsewhere(std::function<TunedElsewhere(const Wanted&)> tune) { elsewhere() = std::move(tune); }

const char* to_string(State state) {
  return state == State::done ? "done" : state == State::refused ? "refused" : "not supported";
}

Tuning::Tuning(const SystemPaths& paths, const Wanted& wanted, Guard& guard,
               const std::function<restore::Ledger&()>& ledger)
    : paths_(paths), guard_(guard), ledger_(ledger) {
  if (!elsewhere() || guard.holds_all_back()) {
    tune(wanted);
    return;
  }
  TunedElsewhere tuned = elsewhere()(wanted);
  record_ = std::move(tuned.record);
  for_commands_ = std::move(tuned.for_commands);
  for_commands_.env = wanted.env;
  restore_elsewhere_ = std::move(tuned.restore);
}

void Tuning::tune(const Wanted& wanted) {
  // SMT first: a core that goes offline takes its frequency policy along. Then turbo: it bounds the frequencies.
  // Each setting is read only when it is due, because those before it may change it.
  if (wanted.smt) apply(smt(paths_, *wanted.smt));
  if (wanted.turbo) apply(turbo(paths_, *wanted.turbo));
  if (wanted.governor) apply(governor(paths_, *wanted.governor));
  if (wanted.lowest_frequency) apply(machine::lowest_frequency(paths_));
  if (wanted.no_idle_states) hold_idle_states();
  if (!wanted.cpus.empty()) pin(wanted.cpus);
  if (wanted.cpus_near_gpu) pin(cpus_near_gpu(paths_));
  if (!wanted.shield.empty()) reserve(wanted.shield);
  if (wanted.nice) {
    record_.push_back(try_nice(*wanted.nice));
    if (record_.back().state == State::done) for_commands_.nice = wanted.nice;
  }
  if (wanted.fixed_addresses) {
    record_.push_back(try_fixed_addresses(paths_));
    for_commands_.fixed_addresses = record_.back().state == State::done;
  }
  for (const auto& [name, value] : wanted.env)
    record_.push_back({"env", fmt::format("{}={}", name, value), State::done, "", value, "", ""});
  for_commands_.env = wanted.env;
}

Tuning::~Tuning() {
  try {
    restore();
  } catch (const std::exception&) {
    // Whoever tuned restores it when this process ends.
  }
}

bool Tuning::admit(Measure& measure, const std::string& what) {
  if (guard_.admit({EffectKind::machine, what, {{EffectKind::machine, {measure.measure}}}})) return true;
  fail(measure, State::refused, "a dry run changes nothing");
  return false;
}

void Tuning::apply(const Knob& knob) {
  Measure measure{knob.measure, knob.wanted, State::done, knob.was(), knob.was(), "", ""};
  if (!knob.why_not.empty()) {
    fail(measure, State::not_supported, knob.why_not);
  } else if (!knob.is_set() && admit(measure, fmt::format("set the {} of the CPU to {}", knob.measure, knob.wanted))) {
    if (const std::string why = change(knob); !why.empty())
      fail(measure, State::refused, why, knob.command);
    else
      measure.now = knob.target();
  }
  record_.push_back(measure);
}

// Writes all files or none. Returns "" if every file now holds the wanted value, else why not.
std::string Tuning::change(const Knob& knob) {
  std::vector<restore::Change> made;
  std::string why;
  try {
    restore::Ledger& ledger = ledger_();
    for (const Setting& setting : knob.settings) {
      if (setting.was == setting.wanted) continue;
      made.push_back(ledger.announce({"file", setting.path, setting.was}));
      restore::rewrite_file({"file", setting.path, setting.wanted})();
      if (const std::string now = value_of(setting.path); now != setting.wanted)
        throw Error(ErrorKind::unavailable, fmt::format("{} stays at {}", setting.path, knob.words(now)));
    }
  } catch (const Error& error) {
    why = error.what();
  }
  while (!why.empty() && !made.empty()) made.pop_back();
  for (restore::Change& change : made) changes_.push_back(std::move(change));
  return why;
}

void Tuning::pin(std::vector<int> cpus) {
  if (cpus.empty()) {
    record_.push_back({"cpus", "gpu", State::not_supported, "", "", "no NVIDIA GPU found", ""});
    return;
  }
  record_.push_back(try_cpus(cpus));
  if (record_.back().state == State::done) for_commands_.cpus = std::move(cpus);
}

void Tuning::reserve(std::vector<int> cpus) {
  const Shield shield = machine::shield(paths_, cpus);
  Measure measure{"shield", shield.cpus, State::done, "", "", "", ""};
  if (!shield.why_not.empty()) {
    fail(measure, State::not_supported, shield.why_not);
  } else if (admit(measure, "shield the CPUs " + shield.cpus)) {
    try {
      changes_.push_back(raise_shield(shield, ledger_()));
      for_commands_.group = shield.folder;
      for_commands_.group_cpus = std::move(cpus);
      measure.now = shield.cpus;
    } catch (const Error& error) {
      fail(measure, State::refused, error.what(), shield.command);
    }
  }
  record_.push_back(measure);
}

void Tuning::hold_idle_states() {
  Measure measure{"c_states", "off", State::done, "on", "on", "", ""};
  if (const std::string why = idle_states_missing(paths_); !why.empty()) {
    fail(measure, State::not_supported, why);
  } else if (admit(measure, "hold " + paths_.latency() + " at 0")) {
    try {
      idle_states_ = machine::hold_idle_states(paths_);
      measure.now = "off";
    } catch (const Error& error) {
      fail(measure, State::refused, error.what(), kHoldIdleStates);
    }
  }
  record_.push_back(measure);
}

std::vector<std::string> Tuning::restore() {
  std::vector<std::string> failed;
  if (const auto restore = std::exchange(restore_elsewhere_, nullptr); restore) failed = restore();
  idle_states_ = Fd();
  for_commands_ = {};
  while (!changes_.empty()) {
    try {
      changes_.back().undo();
    } catch (const Error& error) {
      failed.emplace_back(error.what());
    }
    changes_.pop_back();
  }
  return failed;
}

Measure try_cpus(const std::vector<int>& cpus) {
  Measure measure{"cpus", format_cpus(cpus), State::done, format_cpus(own_cpus()), "", "", ""};
  std::vector<int> got;
  on_a_thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(cpu, &set);
    if (::sched_setaffinity(0, sizeof set, &set) == 0) got = own_cpus();
  });
  if (got == cpus) {
    measure.now = measure.wanted;
  } else {
    measure.now = measure.was;
    fail(measure, State::not_supported, "this process may run only on CPUs " + measure.was);
  }
  return measure;
}

Measure try_nice(int nice) {
  Measure measure{"nice", fmt::to_string(nice), State::done, "", "", "", ""};
  measure.was = fmt::to_string(::getpriority(PRIO_PROCESS, 0));
  int code = 0;
  on_a_thread([&] { code = ::setpriority(PRIO_PROCESS, 0, nice) == 0 ? 0 : errno; });
  measure.now = code == 0 ? measure.wanted : measure.was;
  if (code != 0)  // the command is for this shell and its children
    fail(measure, State::refused, reason(code), fmt::format("sudo prlimit --nice={} --pid $$", 20 - nice));
  return measure;
}

Measure try_fixed_addresses(const SystemPaths& paths) {
  constexpr unsigned long kAsk = 0xffffffff;
  const auto now = static_cast<unsigned long>(::personality(kAsk));
  const bool already = (now & ADDR_NO_RANDOMIZE) != 0 || value_of(paths.address_layout()) == "0";
  Measure measure{"aslr", "off", State::done, already ? "off" : "on", "off", "", ""};
  int code = 0;
  on_a_thread([&] { code = ::personality(now | ADDR_NO_RANDOMIZE) >= 0 ? 0 : errno; });
  if (code != 0 && !already) {  // a container's seccomp profile may forbid it
    measure.now = measure.was;
    fail(measure, State::refused, reason(code), "sudo sysctl kernel.randomize_va_space=0");
  }
  return measure;
}

}  // namespace reg::machine
