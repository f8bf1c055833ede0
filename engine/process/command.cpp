#include "engine/process/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/permissions.h"

namespace reg::process {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of_program(const Command& command) {
  const std::string& program = command.argv.front();
  if (program.ends_with('='))  // FAST= is a variable wherever a permission names it
    throw Error(ErrorKind::usage, "cannot run '" + program + "': a program's name must not end with '='");
  const std::string found = find_program(command);
  if (found.empty()) return {program};  // there is none, and spawn will say so
  const fs::path path = fs::absolute(found).lexically_normal();
  const std::string name = path.filename();
  // "." in somebody's PATH is no reason to take the workspace's "make" for the machine's.
  const std::string in_path = find_in_folders(own_path(), name);
  std::error_code ignored;
  if (!in_path.empty() && (in_path == path || fs::equivalent(in_path, path, ignored))) return {name, path};
  return {path};
}

// What the engine itself sets for commands: for its library, for an image that is a folder, with `gpus`, and for the
// times of imports, which Python prints.
bool is_own(std::string_view name) {
  return name == "REGENGINE_TRACE_DIR" || name == "REGENGINE_IMAGE" || name == visible_devices() ||
         name == "PYTHONPROFILEIMPORTTIME";
}

Need need_of_variable(const std::string& name, const std::string& value) {
  Need need{EffectKind::process, {name + "="}};
  need.to_the_letter = makes_programs_load(name);
  if (name == "CUDA_INJECTION64_PATH" || name == "NVTX_INJECTION64_PATH")
    need.names.push_back(value);  // it may be the engine's own library
  return need;
}

std::string identity_of(const Command& command, const std::string& words) {
  std::string text = words;
  for (const auto& [name, value] : command.env) text.append("\nenv ").append(name).append("=").append(value);
  for (const std::string& name : command.unset) text.append("\nunset ").append(name);
  if (command.leased) text.append("\nleased GPUs ").append(std::to_string(command.leased->uuids.size()));
  if (!command.cwd.empty()) text.append("\nin ").append(command.cwd);
  for (const auto& [inside, folder] : command.mounts) text.append("\n").append(folder).append(" at ").append(inside);
  if (!command.input.empty()) text.append("\nstdin ").append(sha256(command.input));
  return text;
}

}  // namespace

Effect effect_of(const Command& command) {
  Effect effect{EffectKind::process, shell_words(command.argv), {}};
  effect.identity = identity_of(command, effect.what);
  if (!command.argv.empty() && !command.argv.front().empty())
    effect.needs.push_back({EffectKind::process, names_of_program(command)});
  for (const auto& [name, value] : command.env)
    if (!is_own(name)) effect.needs.push_back(need_of_variable(name, value));
  // What it does there it could do without the mount.
  for (const auto& [inside, folder] : command.mounts) {
    effect.needs.push_back(uses(folder));
    effect.needs.push_back(uses(inside));
  }
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) effect.needs.push_back(writes(file));
  return effect;
}

std::string own_path() {
  const char* inherited = std::getenv("PATH");
  return inherited != nullptr ? inherited : "/usr/bin:/bin";
}

std::string path_of(const Command& command) {
  const auto own = command.env.find("PATH");
  return own != command.env.end() ? own->second : own_path();
}

std::string find_program(const Command& command) {
  const std::string& word = command.argv.at(0);
  // A relative folder in the engine's own PATH would let the workspace stand in for docker or git.
  if (word.find('/') == std::string::npos) return find_in_folders(path_of(command), word, command.env.contains("PATH"));
  if (word.front() == '/' || command.cwd.empty()) return word;
  return std::filesystem::absolute(std::filesystem::path(command.cwd) / word);
}

// Version 1 refuses every rename from one folder to another, which ordinary builds need.
constexpr int kLeastVersion = 2;

// The addresses of agents, displays and container engines, and the folders of the user's settings.
constexpr std::string_view kNotInside =
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY DOCKER_HOST "
    "CONTAINER_HOST XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME";

static box::Reach reach_within(const Bounds& bounds, const std::string& temporary) {
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
static std::string home_in(const std::string& workspace) {
  std::string home = workspace + "/.regengine/home";
  if (lies_in(real_path(home), workspace)) make_folders(home);
  return home;
}

static std::vector<std::string> doors() {
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

SandboxSupport sandbox_support() {
  SandboxSupport sandbox;
  const int version = box::landlock_version();
  if (version == 0) sandbox.why_not = "this kernel has no Landlock";
  if (version > 0 && version < kLeastVersion)
    sandbox.why_not = "this kernel has version 1 of Landlock, which refuses renames that builds need";
  sandbox.doors = doors();
  if (const std::string home = variable("HOME"); home.starts_with('/')) sandbox.home = real_path(home);
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
  for (const auto& [name, value] : variables())
    if (name.starts_with("DBUS_") || names_secret(name) || has_word(kNotInside, name)) command.unset.push_back(name);
}

}  // namespace reg::process
