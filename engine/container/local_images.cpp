#include "engine/container/local_images.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/base/text.h"
#include "engine/container/answers.h"

namespace reg::container {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWait_s = 0.3;
constexpr double kTimeout_s = 5;
constexpr std::chrono::seconds kFresh{10};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

// Only docker's local socket: another host would be asked over the network. podman is local unless CONTAINER_HOST is
// set.
LocalImages::LocalImages(Loop& loop, Guard& guard) : loop_(loop), guard_(guard) {
  const auto add = [this](const Dialect& dialect, const std::string& host) {
    listings_.push_back({dialect.list_images(host), nullptr, {}, {}});
  };
  const std::string host = variable("DOCKER_HOST");
  if (host.starts_with("unix://"))
    add(Dialect::docker(), host);
  else if (host.empty() && std::filesystem::exists("/var/run/docker.sock"))
    add(Dialect::docker(), "unix:///var/run/docker.sock");
  if (variable("CONTAINER_HOST").empty()) add(Dialect::podman(), "");
}

std::vector<std::string> LocalImages::names() {
  for (Listing& listing : listings_) ask(listing);
  bool waiting = true;
  const auto timer = loop_.after(kWait_s, [&waiting] { waiting = false; });
  loop_.run_until([&] {
    return !waiting || std::all_of(listings_.begin(), listings_.end(),
                                   [](const Listing& one) { return !one.pending || one.pending->done(); });
  });
  std::set<std::string> names;
  for (Listing& listing : listings_) {
    read_answer(listing);
    names.insert(listing.names.begin(), listing.names.end());
  }
  return {names.begin(), names.end()};
}

void LocalImages::ask(Listing& listing) {
  read_answer(listing);
  if (listing.pending || Clock::now() - listing.asked_at < kFresh) return;
  listing.asked_at = Clock::now();
  if (!guard_.admit({EffectKind::container, shell_words(listing.argv), {}, false})) return;
  process::Command command;
  command.argv = listing.argv;
  command.timeout_s = kTimeout_s;
  command.alone = true;  // podman leaves a process behind that its other clients share
  listing.pending = process::run(loop_, std::move(command));
}

void LocalImages::read_answer(Listing& listing) {
  if (!listing.pending || !listing.pending->done()) return;
  try {
    const process::Outcome answer = listing.pending->take();
    if (answer.code == 0 && !answer.timed_out) listing.names = parse_image_list(answer.out);
  } catch (const Error&) {
    // Not installed, so it has no images.
  }
  listing.pending = nullptr;
}

}  // namespace reg::container
