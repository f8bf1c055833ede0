#pragma once

#include <string>

namespace reg {

/// One thing that makes timings noisy, or could, as it is now.
struct Finding {
  std::string what;     ///< "CPU governor"
  bool quiet = false;   ///< nothing to do
  std::string words;    ///< how it is, and what that means
  std::string command;  ///< what would make it quiet; "" where there is nothing to type
};

}  // namespace reg
