#pragma once

#include <string>

namespace reg::score {

struct Options {
  int traces = 100;
  std::string seed = "dev-1";
  std::string cells;  // part of the name of those wanted
  int parallel = 1;
  int threads = 1;
  int trace = -1;  // that one only
  bool untold = false, door = false, plant = false, rivals = false, show = false, check = false, decision = false,
       help = false;
};

extern const char* const kHelp;

/// Throws reg::Error "usage" with one line that says what is wrong.
Options parse_options(int argc, char** argv);

}  // namespace reg::score
