#pragma once

#include <string>

namespace reg::machine {

enum class State {
  done,           ///< it is as wanted, now
  refused,        ///< it could be, but not by us: `command` is for somebody who may
  not_supported,  ///< this machine has no such thing
};

/// What came of one measure against noise.
struct Measure {
  std::string measure;  ///< "governor", "turbo", "env"
  std::string wanted;
  State state = State::done;
  std::string was;      ///< before
  std::string now;      ///< since; read back, not taken for granted
  std::string why;      ///< of a measure that is not done
  std::string command;  ///< what would do it, where it was refused
};

const char* to_string(State state);

}  // namespace reg::machine
