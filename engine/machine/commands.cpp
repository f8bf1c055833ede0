#include "engine/machine/commands.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include <cerrno>
#include <functional>
#include <system_error>
#include <thread>

#include "engine/machine/cpus.h"

namespace reg::machine {
namespace {

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

}  // namespace

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
    measure.state = State::not_supported;
    measure.now = measure.was;
    measure.why = "this process may run only on CPUs " + measure.was;
  }
  return measure;
}

Measure try_nice(int nice) {
  Measure measure{"nice", fmt::to_string(nice), State::done, "", "", "", ""};
  measure.was = fmt::to_string(::getpriority(PRIO_PROCESS, 0));
  int code = 0;
  on_a_thread([&] { code = ::setpriority(PRIO_PROCESS, 0, nice) == 0 ? 0 : errno; });
  measure.now = code == 0 ? measure.wanted : measure.was;
  if (code != 0) {
    measure.state = State::refused;
    measure.why = reason(code);
    measure.command = fmt::format("sudo prlimit --nice={} --pid $$", 20 - nice);  // for this shell and its children
  }
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
    measure.state = State::refused;
    measure.now = measure.was;
    measure.why = reason(code);
    measure.command = "sudo sysctl kernel.randomize_va_space=0";
  }
  return measure;
}

}  // namespace reg::machine
