#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "engine/base/text.h"
#include "engine/guard/question.h"
#include "engine/process/command.h"

namespace reg::process {
namespace {

namespace fs = std::filesystem;

// Version 1 refuses every rename from one folder to another, which ordinary builds need.
constexpr int kLeastVersion = 2;

// The addresses of agents, displays and container engines, and the folders of the user's settings.
constexpr std::string_view kNotInside =
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY DOCKER_HOST "
    "CONTAINER_HOST XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME";

box::Reach reach_within(const Bounds& bounds, const std::string& temporary) {
  box::Reach reach = box::reach_of_programs();
  reach.read.insert(reach.read.end(), bounds.read.begin(), bounds.read.end());
  reach.write.insert(reach.write.end(), bounds.write.begin(), bounds.write.end());
  reach.write.push_back(temporary);
  return reach;
}

// The box of one command, and a temporary folder for it alone.
struct BoxOfCommand {
  explicit BoxOfCommand(const Bounds& bounds) : landlock(reach_within(bounds, temporary.path())) {}

  TemporaryFolder temporary{fs::temp_directory_path() / "regengine-run-"};
  box::Landlock landlock;
};

// Not made where a link that came with the workspace leads it elsewhere.
std::string home_in(const std::string& workspace) {
  std::string home = workspace + "/.regengine/home";
  if (lies_in(real_path(home), workspace)) make_folders(home);
  return home;
}

std::vector<std::string> doors() {
  struct Door {
    std::string socket, leads;
    bool of_root = false;
  };
  const std::string own = fmt::format("/run/user/{}/", ::geteuid());
  const std::array all{Door{"/run/docker.sock", "become root through docker"},
                       Door{"/run/podman/podman.sock", "become root through podman"},
                       Door{"/run/containerd/containerd.sock", "become root through containerd"},
                       Door{own + "docker.sock", "leave it through docker"},
                       Door{own + "podman/podman.sock", "leave it through podman"},
                       Door{own + "bus", "leave it through your session's D-Bus"},
                       Door{"/run/dbus/system_bus_socket", "leave it through the system's D-Bus", true}};
  std::vector<std::string> open;
  for (const Door& door : all)
    if (::access(door.socket.c_str(), W_OK) == 0 && (!door.of_root || ::geteuid() == 0))
      open.push_back(fmt::format("{} ({})", door.leads, door.socket));
  return open;
}

}  // namespace

SandboxSupport sandbox_support() {
  SandboxSupport sandbox;
  const int version = box::landlock_version();
  if (version == 0) sandbox.why_not = "this kernel has no Landlock";
  if (version > 0 && version < kLeastVersion)
    sandbox.why_not = "this kernel has version 1 of Landlock, which refuses renames that builds need";
  sandbox.doors = doors();
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') sandbox.home = real_path(home);
  return sandbox;
}

void put_into_sandbox(Command& command) {
  const auto box = std::make_shared<const BoxOfCommand>(*command.bounds);
  command.box = {box, &box->landlock};
  const std::string home = home_in(command.bounds->workspace);
  // What the script sets itself was permitted.
  command.env.insert({{"TMPDIR", box->temporary.path()},
                      {"HOME", home},
                      {"XDG_CACHE_HOME", home + "/.cache"},
                      {"CUDA_CACHE_PATH", home + "/.nv/ComputeCache"},
                      {"TRITON_CACHE_DIR", home + "/.triton/cache"}});
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (name.starts_with("DBUS_") || names_secret(name) || has_word(kNotInside, name)) command.unset.emplace_back(name);
  }
}

}  // namespace reg::process
