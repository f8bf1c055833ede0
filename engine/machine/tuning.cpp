#include "engine/machine/tuning.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"

namespace reg::machine {
namespace {

std::function<Tuning(const Wanted&)> elsewhere;

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
void fail(Measure& measure, const char* state, const std::string& why, const std::string& command = "") {
  measure.now = measure.was;
  measure.state = state;
  measure.why = why;
  measure.command = command;
}

// What was changed.
struct Held {
  std::vector<restore::Change> changes;
  Fd idle_states;

  Held() = default;
  ~Held() { restore(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  std::vector<std::string> restore() {
    std::vector<std::string> failed;
    idle_states = Fd();
    for (; !changes.empty(); changes.pop_back())
      if (const Presence undone = presence_of([&] { changes.back().undo(); }); !undone.ok)
        failed.push_back(undone.message);
    return failed;
  }
};

class Tuner {
 public:
  Tuner(const SystemPaths& paths, Guard& guard, const std::function<restore::Ledger&()>& ledger)
      : paths_(paths), guard_(guard), ledger_(ledger) {}

  Tuning tune(const Wanted& wanted) {
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
      done_.record.push_back(try_nice(*wanted.nice));
      if (done_.record.back().state == "done") done_.for_commands.nice = wanted.nice;
    }
    if (wanted.fixed_addresses) {
      done_.record.push_back(try_fixed_addresses(paths_));
      done_.for_commands.fixed_addresses = done_.record.back().state == "done";
    }
    for (const auto& [name, value] : wanted.env)
      done_.record.push_back({"env", fmt::format("{}={}", name, value), "", value});
    done_.for_commands.env = wanted.env;
    done_.restore = [held = held_] { return held->restore(); };
    return std::move(done_);
  }

 private:
  // `why_not`: why this machine cannot; `change` returns the value from then on, or throws.
  void attempt(Measure measure, const std::string& why_not, const std::string& what, const std::string& command,
               const std::function<std::string()>& change) {
    if (!why_not.empty()) {
      fail(measure, "not supported", why_not);
    } else if (!guard_.admit({EffectKind::machine, what, {{EffectKind::machine, {measure.measure}}}})) {
      fail(measure, "refused", "a dry run changes nothing");
    } else {
      try {
        measure.now = change();
      } catch (const Error& error) {
        fail(measure, "refused", error.what(), command);
      }
    }
    done_.record.push_back(std::move(measure));
  }

  void apply(const Knob& knob) {
    const Measure measure{knob.measure, knob.wanted, knob.was()};
    if (knob.why_not.empty() && knob.is_set()) return done_.record.push_back(measure);
    attempt(measure, knob.why_not, fmt::format("set the {} of the CPU to {}", knob.measure, knob.wanted), knob.command,
            [&] {
              change(knob);
              return knob.target();
            });
  }

  // Writes all files or none.
  void change(const Knob& knob) {
    Held made;
    restore::Ledger& ledger = ledger_();
    for (const Setting& setting : knob.settings) {
      if (setting.was == setting.wanted) continue;
      made.changes.push_back(ledger.announce({"file", setting.path, setting.was}));
      restore::rewrite_file({"file", setting.path, setting.wanted})();
      if (const std::string now = value_of(setting.path); now != setting.wanted)
        throw Error(ErrorKind::unavailable, fmt::format("{} stays at {}", setting.path, knob.words(now)));
    }
    std::move(made.changes.begin(), made.changes.end(), std::back_inserter(held_->changes));
    made.changes.clear();
  }

  void pin(const std::vector<int>& cpus) {
    if (cpus.empty()) return done_.record.push_back({"cpus", "gpu", "", "", "not supported", "no NVIDIA GPU found"});
    done_.record.push_back(try_cpus(cpus));
    if (done_.record.back().state == "done") done_.for_commands.cpus = cpus;
  }

  void reserve(const std::vector<int>& cpus) {
    const Shield shield = machine::shield(paths_, cpus);
    attempt({"shield", shield.cpus, ""}, shield.why_not, "shield the CPUs " + shield.cpus, shield.command, [&] {
      held_->changes.push_back(raise_shield(shield, ledger_()));
      done_.for_commands.group = shield.folder;
      done_.for_commands.group_cpus = cpus;
      return shield.cpus;
    });
  }

  void hold_idle_states() {
    attempt({"c_states", "off", "on"}, idle_states_missing(paths_), "hold " + paths_.latency() + " at 0",
            kHoldIdleStates, [&] {
              held_->idle_states = machine::hold_idle_states(paths_);
              return "off";
            });
  }

  const SystemPaths& paths_;
  Guard& guard_;
  const std::function<restore::Ledger&()>& ledger_;
  Tuning done_;
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

}  // namespace

void tune_elsewhere(std::function<Tuning(const Wanted&)> tune) { elsewhere = std::move(tune); }

Tuning tune(const SystemPaths& paths, const Wanted& wanted, Guard& guard,
            const std::function<restore::Ledger&()>& ledger) {
  if (!elsewhere || guard.holds_all_back()) return Tuner(paths, guard, ledger).tune(wanted);
  Tuning tuning = elsewhere(wanted);
  tuning.for_commands.env = wanted.env;
  return tuning;
}

Measure try_cpus(const std::vector<int>& cpus) {
  Measure measure{"cpus", format_cpus(cpus), format_cpus(own_cpus()), format_cpus(cpus)};
  std::vector<int> got;
  on_a_thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(cpu, &set);
    if (::sched_setaffinity(0, sizeof set, &set) == 0) got = own_cpus();
  });
  if (got != cpus) fail(measure, "not supported", "this process may run only on CPUs " + measure.was);
  return measure;
}

Measure try_nice(int nice) {
  Measure measure{"nice", fmt::to_string(nice), fmt::to_string(::getpriority(PRIO_PROCESS, 0)), fmt::to_string(nice)};
  int code = 0;
  on_a_thread([&] { code = ::setpriority(PRIO_PROCESS, 0, nice) == 0 ? 0 : errno; });
  if (code != 0)  // the command is for this shell and its children
    fail(measure, "refused", reason(code), fmt::format("sudo prlimit --nice={} --pid $$", 20 - nice));
  return measure;
}

Measure try_fixed_addresses(const SystemPaths& paths) {
  constexpr unsigned long kAsk = 0xffffffff;
  const auto now = static_cast<unsigned long>(::personality(kAsk));
  const bool already =
      (now & ADDR_NO_RANDOMIZE) != 0 || value_of(paths.root + "/proc/sys/kernel/randomize_va_space") == "0";
  Measure measure{"aslr", "off", already ? "off" : "on", "off"};
  int code = 0;
  on_a_thread([&] { code = ::personality(now | ADDR_NO_RANDOMIZE) >= 0 ? 0 : errno; });
  if (code != 0 && !already)  // a container's seccomp profile may forbid it
    fail(measure, "refused", reason(code), "sudo sysctl kernel.randomize_va_space=0");
  return measure;
}

}  // namespace reg::machine
