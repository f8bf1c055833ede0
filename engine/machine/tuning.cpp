#include "engine/machine/tuning.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::machine {
namespace {

constexpr const char* kNoFrequencies = "the kernel exposes no frequency control here (as in most virtual machines)";
constexpr const char* kHoldIdleStates = "sudo cpupower idle-set --disable-by-latency 0";

// A kernel file that holds one value.
struct Setting {
  std::string path;
  std::string was;     // when it was read
  std::string wanted;  // to write
};

// One setting of the machine, read but not yet changed: all its files, or why it is not supported.
struct Knob {
  std::string measure;
  std::string wanted;  // for display: "performance", "off"
  std::vector<Setting> settings = {};
  std::string why_not = {};       // "" if it is supported
  std::string command = {};       // for a user with the necessary rights
  std::string off = {}, on = {};  // the values that are displayed so

  void add(const std::string& path, const std::string& value) {
    if (const std::string was = value_of(path); !was.empty() && !value.empty()) settings.push_back({path, was, value});
  }
  bool is_set() const {
    return std::ranges::all_of(settings, [](const Setting& one) { return one.was == one.wanted; });
  }
  std::string words(const std::string& value) const {
    return value.empty() ? "" : value == off ? "off" : value == on ? "on" : value;
  }
  // The different values, for display.
  std::string values(std::string Setting::*which) const {
    std::set<std::string> all;
    for (const Setting& setting : settings) all.insert(words(setting.*which));
    return join({all.begin(), all.end()}, ", ");
  }
  std::string was() const { return values(&Setting::was); }
};

// The folders of the CPUs' frequency policies, in order: each controls one or more cores.
std::vector<std::string> frequency_policies(const SystemPaths& paths) {
  std::vector<std::string> found;
  for (const std::string& path : entries(paths.cpu() + "/cpufreq"))
    if (std::filesystem::path(path).filename().string().starts_with("policy")) found.push_back(path);
  return found;
}

Knob governor(const SystemPaths& paths, const std::string& wanted) {
  Knob knob{"governor", wanted};
  knob.command = shell_words({"sudo", "cpupower", "frequency-set", "--governor", wanted});
  for (const std::string& policy : frequency_policies(paths)) {
    const std::string available = value_of(policy + "/scaling_available_governors");
    if (!available.empty() && !has_word(available, wanted)) knob.why_not = "valid governors: " + available;
    knob.add(policy + "/scaling_governor", wanted);
  }
  if (knob.settings.empty()) knob.why_not = kNoFrequencies;
  return knob;
}

Knob lowest_frequency(const SystemPaths& paths) {
  Knob knob{"min_freq", "max"};
  for (const std::string& policy : frequency_policies(paths))
    knob.add(policy + "/scaling_min_freq", value_of(policy + "/scaling_max_freq"));
  if (knob.settings.empty())
    knob.why_not = kNoFrequencies;
  else
    knob.command = fmt::format("sudo cpupower frequency-set --min {}kHz", knob.settings[0].wanted);
  return knob;
}

// In one file.
Knob one_switch(const char* measure, bool on, const std::string& path, const std::string& value_of_off,
                const std::string& value_of_on) {
  Knob knob{measure, on ? "on" : "off"};
  knob.off = value_of_off;
  knob.on = value_of_on;
  knob.add(path, on ? knob.on : knob.off);
  knob.command = fmt::format("echo {} | sudo tee {}", on ? knob.on : knob.off, path);
  return knob;
}

Knob turbo(const SystemPaths& paths, bool on) {
  Knob knob = one_switch("turbo", on, paths.cpu() + "/intel_pstate/no_turbo", "1", "0");
  if (knob.settings.empty()) knob = one_switch("turbo", on, paths.cpu() + "/cpufreq/boost", "0", "1");
  if (knob.settings.empty()) knob.why_not = "the kernel exposes no turbo control here (as in most virtual machines)";
  return knob;
}

Knob smt(const SystemPaths& paths, bool on) {
  const std::string path = paths.cpu() + "/smt/control", now = value_of(path);
  Knob knob = one_switch("smt", on, path, "off", "on");
  if (now == "on" || now == "off") return knob;
  knob.settings.clear();
  knob.why_not = now == "forceoff" ? "disabled by the firmware or the kernel command line"
                                   : "the CPUs have one thread per core, or the kernel does not expose SMT control";
  return knob;
}

// Why the CPUs' idle states cannot be controlled here; "" if they can.
std::string idle_states_missing(const SystemPaths& paths) {
  const std::string driver = value_of(paths.cpu() + "/cpuidle/current_driver");
  if (driver.empty() || driver == "none") return "the kernel has no cpuidle driver here (as in most virtual machines)";
  std::error_code error;
  return std::filesystem::exists(paths.latency(), error) ? "" : "no such device: " + paths.latency();
}

// Why it is not done, and the command that does it.
void fail(Measure& measure, const char* state, const std::string& why, const std::string& command = "") {
  measure.now = measure.was;
  measure.state = state;
  measure.why = why;
  measure.command = command;
}

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

// Tried on a thread that ends at once: a child inherits its affinity from the thread that starts it.
Measure try_cpus(const std::vector<int>& cpus) {
  Measure measure{"cpus", format_cpus(cpus), format_cpus(own_cpus()), format_cpus(cpus)};
  std::vector<int> got;
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(cpu, &set);
    if (::sched_setaffinity(0, sizeof set, &set) == 0) got = own_cpus();
  }).join();
  if (got != cpus) fail(measure, "not supported", "this process may run only on CPUs " + measure.was);
  return measure;
}

// What was changed.
struct Held {
  std::vector<restore::Change> changes;
  // Keeps the CPUs out of every idle state with a wake-up latency while it is open; the kernel ends that itself.
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
    if (wanted.lowest_frequency) apply(lowest_frequency(paths_));
    if (wanted.no_idle_states) hold_idle_states();
    Wanted& given = done_.for_commands;
    if (!wanted.cpus.empty() && record(try_cpus(wanted.cpus))) given.cpus = wanted.cpus;
    for (const auto& [name, value] : wanted.env) record({"env", fmt::format("{}={}", name, value), "", value});
    given.env = wanted.env;
    done_.restore = [held = held_] { return held->restore(); };
    return std::move(done_);
  }

 private:
  bool record(Measure measure) {
    done_.record.push_back(std::move(measure));
    return done_.record.back().state == "done";
  }

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
    record(std::move(measure));
  }

  void apply(const Knob& knob) {
    const Measure measure{knob.measure, knob.wanted, knob.was()};
    if (knob.why_not.empty() && knob.is_set()) return static_cast<void>(record(measure));
    attempt(measure, knob.why_not, fmt::format("set the {} of the CPU to {}", knob.measure, knob.wanted), knob.command,
            [&] {
              change(knob);
              return knob.values(&Setting::wanted);
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

  void hold_idle_states() {
    attempt({"c_states", "off", "on"}, idle_states_missing(paths_), "hold " + paths_.latency() + " at 0",
            kHoldIdleStates, [&] {
              held_->idle_states = open_file(paths_.latency(), O_WRONLY);
              write_all(held_->idle_states.get(), std::string(4, '\0'), paths_.latency());  // 32 bits: microseconds
              return "off";
            });
  }

  const SystemPaths& paths_;
  Guard& guard_;
  const std::function<restore::Ledger&()>& ledger_;
  Tuning done_;
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

std::function<Tuning(const Wanted&)> elsewhere;

Finding finding_of(const char* what, const Knob& knob, const char* noisy, const char* unit = "") {
  if (!knob.why_not.empty()) return {what, false, knob.why_not, ""};
  if (knob.is_set()) return {what, true, knob.was() + unit, ""};
  return {what, false, knob.was() + unit + "; " + noisy, knob.command};
}

}  // namespace

void tune_elsewhere(std::function<Tuning(const Wanted&)> tune) { elsewhere = std::move(tune); }

Tuning tune(const SystemPaths& paths, const Wanted& wanted, Guard& guard,
            const std::function<restore::Ledger&()>& ledger) {
  if (!elsewhere || guard.holds_all_back()) return Tuner(paths, guard, ledger).tune(wanted);
  Tuning tuning = elsewhere(wanted);
  tuning.for_commands.env = wanted.env;
  return tuning;
}

std::vector<Finding> survey(const SystemPaths& paths) {
  const std::string missing = idle_states_missing(paths);
  return {finding_of("CPU governor", governor(paths, "performance"), "the clock follows the load"),
          finding_of("CPU min freq", lowest_frequency(paths), "CPUs clock down between runs and start slow", " kHz"),
          finding_of("CPU turbo", turbo(paths, false), "the clock depends on temperature and the load of other cores"),
          finding_of("CPU SMT", smt(paths, false), "two threads share a core"),
          {"CPU idle states", false, missing.empty() ? "on; waking up adds latency" : missing,
           missing.empty() ? kHoldIdleStates : ""}};
}

std::map<std::string, std::string> facts(const SystemPaths& paths) {
  std::map<std::string, std::string> found;
  for (const auto& [name, knob] :
       {std::pair{"governor", governor(paths, "performance")}, std::pair{"min_freq_khz", lowest_frequency(paths)},
        std::pair{"turbo", turbo(paths, false)}, std::pair{"smt", smt(paths, false)}})
    if (!knob.settings.empty()) found[name] = knob.was();
  return found;
}

}  // namespace reg::machine
