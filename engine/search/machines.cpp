#include "engine/search/machines.h"

#include <algorithm>
#include <map>

namespace reg::search {
namespace {

// A single pair of runs may be one burst of load.
constexpr std::size_t kPairs = 2;

using Units = std::map<int, std::vector<double>>;

double median(std::vector<double> ys) {
  std::sort(ys.begin(), ys.end());
  const std::size_t half = ys.size() / 2;
  return ys.size() % 2 == 1 ? ys[half] : (ys[half - 1] + ys[half]) / 2;
}

std::size_t numbers_in(const Units& units) {
  std::size_t sum = 0;
  for (const auto& [unit, ys] : units) sum += ys.size();
  return sum;
}

std::size_t pairs_of(const Units& a, const Units& b) {
  std::size_t pairs = 0;
  for (const auto& [unit, ys] : a)
    if (const auto same = b.find(unit); same != b.end()) pairs += std::min(ys.size(), same->second.size());
  return pairs;
}

double difference(const Units& of, const Units& from) {
  std::vector<double> differences;
  for (const auto& [unit, ys] : of) {
    const auto same = from.find(unit);
    if (same == from.end()) continue;
    const std::size_t pairs = std::min(ys.size(), same->second.size());
    differences.insert(differences.end(), pairs, median(ys) - median(same->second));
  }
  return median(differences);
}

// A unit where the machine has more numbers than those it is compared with: its first, then its last, since two pairs
// far apart say more than two at one place.
int unit_to_link(const Units& of, const Units& from, const Line& line) {
  std::vector<int> lacking;
  for (const auto& [unit, ys] : of) {
    const auto same = from.find(unit);
    if (!line.given_up(unit) && (same == from.end() || same->second.size() < ys.size())) lacking.push_back(unit);
  }
  if (lacking.empty()) return -1;
  return pairs_of(of, from) == 0 ? lacking.front() : lacking.back();
}

}  // namespace

Machines compare_machines(const std::vector<MachineNumber>& numbers, int machines, int latest, const Line& line) {
  const auto count = static_cast<std::size_t>(machines);
  std::vector<Units> of(count);
  for (const MachineNumber& number : numbers)
    of[static_cast<std::size_t>(number.machine)][number.unit].push_back(number.y);

  Machines compared{std::vector<std::optional<double>>(count), std::vector<int>(count, -1)};
  Units known;
  const auto join = [&](std::size_t machine, double offset) {
    compared.offsets[machine] = offset;
    for (const auto& [unit, ys] : of[machine])
      for (const double y : ys) known[unit].push_back(y - offset);
  };
  join(static_cast<std::size_t>(latest), 0);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t m = 0; m < count && !found; ++m) {
      const std::size_t pairs = pairs_of(of[m], known);
      found = !compared.offsets[m] && pairs > 0 && pairs >= std::min(kPairs, numbers_in(of[m]));
      if (found) join(m, difference(of[m], known));
    }
  }

  std::size_t most = static_cast<std::size_t>(latest);
  for (std::size_t m = 0; m < count; ++m) {
    if (!compared.offsets[m])
      compared.to_link[m] = unit_to_link(of[m], known, line);
    else if (numbers_in(of[m]) > numbers_in(of[most]))
      most = m;
  }
  const double level = *compared.offsets[most];
  for (std::optional<double>& offset : compared.offsets)
    if (offset) *offset -= level;
  return compared;
}

}  // namespace reg::search
