#pragma once

#include <optional>
#include <vector>

#include "engine/search/line.h"

namespace reg::search {

/// A number of one machine, on the scale of the mathematics.
struct MachineNumber {
  int unit = 0;
  int machine = 0;
  double y = 0;
};

/// How the numbers of several machines compare. One machine is as much faster or slower than another as it is at the
/// units that both ran; without such units nothing is known about it, and its numbers say nothing beside the others'.
struct Machines {
  /// By machine: what its numbers lie above those of the machine with most of them. None: not known.
  std::vector<std::optional<double>> offsets;
  /// By machine whose offset is not known: a unit that it ran and the others should run, or -1 where none can be.
  std::vector<int> to_link;
};

/// `latest`: the machine that runs now; the others are compared with it.
Machines compare_machines(const std::vector<MachineNumber>& numbers, int machines, int latest, const Line& line);

}  // namespace reg::search
