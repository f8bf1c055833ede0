#include "engine/machine/cpus.h"

#include <fmt/format.h>
#include <sched.h>

#include <charconv>
#include <set>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg {
namespace {

int cpu_number(std::string_view text, const std::string& whole) {
  int number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < 0 || number >= CPU_SETSIZE)
    throw Error(ErrorKind::usage, "not a valid CPU list: '" + whole + "'", "Write it as taskset does: \"0-3,8\".");
  return number;
}

}  // namespace

std::vector<int> parse_cpus(const std::string& text) {
  std::set<int> cpus;
  for (const auto piece : split(text, ',')) {
    const auto dash = piece.find('-');
    const int first = cpu_number(trim(piece.substr(0, dash)), text);
    const int last = dash == std::string_view::npos ? first : cpu_number(trim(piece.substr(dash + 1)), text);
    if (last < first) throw Error(ErrorKind::usage, "not a valid CPU list: '" + text + "': a range must ascend");
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return {cpus.begin(), cpus.end()};
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::to_string(cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace reg
