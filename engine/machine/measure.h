#pragma once

#include <string>

namespace reg::machine {

enum class State {
  done,           ///< the setting has the wanted value
  refused,        ///< this process lacks the rights: `command` is for a user who has them
  not_supported,  ///< this machine has no such setting
};

/// The result of one measure against noise.
struct Measure {
  std::string measure;  ///< "governor", "turbo", "env"
  std::string wanted;
  State state = State::done;
  std::string was;      ///< the value before
  std::string now;      ///< the value after, read back from the system
  std::string why;      ///< why it is not done
  std::string command;  ///< the command that does it, if it was refused
};

const char* to_string(State state);

}  // namespace reg::machine
