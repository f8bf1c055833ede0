#pragma once

#include <string>

namespace reg {

/// The current state of one setting that can make timings noisy.
struct Finding {
  std::string what;     ///< "CPU governor"
  bool quiet = false;   ///< nothing to do
  std::string words;    ///< the current state and what it means
  std::string command;  ///< the command that makes it quiet; "" if there is none
};

}  // namespace reg
