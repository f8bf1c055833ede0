#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/container/dialect.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"
#include "engine/process/command.h"

namespace reg::container {

/// The names of the images on this machine, for completion at the prompt. Asks docker and podman, but only where that
/// needs no network, and each at most every ten seconds.
class LocalImages {
 public:
  LocalImages(Loop& loop, Guard& guard);

  /// Waits a moment for the answers. One that comes later is in the result of the next call.
  std::vector<std::string> names();

 private:
  struct Listing {
    std::vector<std::string> argv;
    Op<process::Outcome> pending;
    std::chrono::steady_clock::time_point asked_at;
    std::vector<std::string> names;
  };
  void ask(Listing& listing);
  static void read_answer(Listing& listing);

  Loop& loop_;
  Guard& guard_;
  std::vector<Listing> listings_;
};

}  // namespace reg::container
