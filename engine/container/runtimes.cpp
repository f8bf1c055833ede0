#include "engine/container/runtimes.h"

#include <unistd.h>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/cli.h"

namespace reg::container {

namespace {

MakeCli elsewhere;

std::shared_ptr<Runtime> cli(Loop& loop, Guard& guard, const char* program) {
  if (elsewhere) return elsewhere(loop, guard, Dialect(program));
  return std::make_shared<Cli>(loop, guard, Dialect(program));
}

// Its version, or what is wrong.
Op<Presence> presence(std::shared_ptr<Runtime> runtime) {
  Presence found;
  try {
    found.message = co_await runtime->check();
    found.ok = true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    found.message = error.what();
  }
  co_return found;
}

}  // namespace

void use_cli_elsewhere(MakeCli make) { elsewhere = std::move(make); }

Runtimes::Runtimes(Loop& loop, Guard& guard)
    : all_{cli(loop, guard, "docker"), cli(loop, guard, "podman"), local_runtime(loop, guard)} {}

std::shared_ptr<Runtime> Runtimes::named(const std::string& name) const {
  for (const auto& runtime : all_)
    if (runtime->name() == name) return runtime;
  throw Error(
      ErrorKind::usage,
      "no such container runtime: '" + printable(name) + "'" + did_you_mean(name, {"docker", "podman", "local"}),
      "valid runtimes: docker, podman, local");
}

Op<std::shared_ptr<Runtime>> Runtimes::get(std::string name) {
  const auto self = shared_from_this();
  if (!name.empty()) co_return named(name);
  if (chosen_) co_return chosen_;
  std::string whys;
  for (const auto& runtime : all_) {
    if (runtime->name() == "local") continue;  // only on request: a test meant for a container must not run on the host
    const Presence found = co_await presence(runtime);
    whys += "; " + found.message;
    if (found.ok) co_return chosen_ = runtime;
  }
  throw Error(ErrorKind::unavailable, "no container engine is available" + whys,
              "Start docker, install podman, or pass --runtime local (runtime = \"local\") to run without containers.");
}

Op<std::map<std::string, Presence>> Runtimes::available() {
  const auto self = shared_from_this();
  std::map<std::string, Presence> found;
  for (const auto& runtime : all_) found[runtime->name()] = co_await presence(runtime);
  co_return found;
}

restore::Undo remove_containers(const restore::Entry& entry) {
  if (entry.target != "docker" && entry.target != "podman")
    throw Error(ErrorKind::usage, "not a container engine: '" + printable(entry.target) + "'");
  return [program = entry.target, engine = entry.value] {
    constexpr int kLooks = 100;
    constexpr useconds_t kPause_us = 20'000;
    for (int look = 0; engine_alive(engine) && look < kLooks; ++look) ::usleep(kPause_us);  // it is just ending
    Loop loop;
    Guard guard(allow_all());
    const auto cli = std::make_shared<Cli>(loop, guard, Dialect(program));
    loop.wait_for(cli->remove_left_behind());
  };
}

}  // namespace reg::container
