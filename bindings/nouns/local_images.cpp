#include "bindings/nouns/local_images.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bindings/runtime/lua.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/process/command.h"

namespace reg::lua {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPatience_s = 0.3;
constexpr double kGiveUp_s = 5;
constexpr std::chrono::seconds kFresh{10};

// One engine's list, asked for at most every ten seconds.
struct Listing {
  std::vector<std::string> argv;
  Op<process::Outcome> asked;
  Clock::time_point since;
  std::vector<std::string> names;
};

struct Images {
  std::vector<Listing> listings;
};

// docker's daemon at a socket of this machine: elsewhere the question would go through a network. podman has none
// unless it is told of one.
std::vector<Listing> engines() {
  std::vector<Listing> found;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const auto ask = [&](std::vector<std::string> argv) {
    argv.insert(argv.end(), {"images", "--format", "{{.Repository}}:{{.Tag}}"});
    found.push_back({std::move(argv), nullptr, {}, {}});
  };
  const std::string host = variable("DOCKER_HOST");
  if (host.starts_with("unix://"))
    ask({"docker", "--host", host});
  else if (host.empty() && std::filesystem::exists("/var/run/docker.sock"))
    ask({"docker", "--host", "unix:///var/run/docker.sock"});
  if (variable("CONTAINER_HOST").empty()) ask({"podman"});
  return found;
}

void read_answer(Listing& listing) {
  if (!listing.asked || !listing.asked->done()) return;
  try {
    const process::Outcome answer = listing.asked->take();
    if (answer.code == 0 && !answer.timed_out) {
      listing.names.clear();
      for (const std::string_view line : lines(answer.out))
        if (line.find("<none>") == std::string_view::npos) listing.names.emplace_back(trim(line));
    }
  } catch (const Error&) {
    // Not installed: it has no images.
  }
  listing.asked = nullptr;
}

char images_key;

Images& images_of(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &images_key) == LUA_TNIL) {
    register_class<Images>(L, "core.Images", {});
    push_object(L, std::make_shared<Images>(Images{engines()}));
    lua_rawsetp(L, LUA_REGISTRYINDEX, &images_key);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &images_key);
  }
  Images& images = object<Images>(L, -1);
  lua_pop(L, 1);
  return images;
}

}  // namespace

int local_images(lua_State* L) {
  Images& images = images_of(L);
  Vm& vm = Vm::of(L);
  for (Listing& listing : images.listings) {
    read_answer(listing);
    if (listing.asked || Clock::now() - listing.since < kFresh) continue;
    listing.since = Clock::now();
    if (!vm.guard().admit({EffectKind::container, shell_words(listing.argv), {}, false})) continue;
    process::Command command;
    command.argv = listing.argv;
    command.timeout_s = kGiveUp_s;
    command.alone = true;  // podman leaves a process behind that others share
    listing.asked = process::run(vm.loop(), std::move(command));
  }
  bool patient = true;
  const auto timer = vm.loop().after(kPatience_s, [&patient] { patient = false; });
  vm.loop().run_until([&] {
    bool all = true;
    for (const Listing& listing : images.listings) all = all && (!listing.asked || listing.asked->done());
    return all || !patient;
  });
  std::set<std::string> names;
  for (Listing& listing : images.listings) {
    read_answer(listing);
    names.insert(listing.names.begin(), listing.names.end());
  }
  push(L, std::vector<std::string>(names.begin(), names.end()));
  return 1;
}

}  // namespace reg::lua
