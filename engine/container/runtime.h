#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/loop.h"
#include "engine/process/command.h"

namespace reg::container {

struct Mount {
  std::string host;    ///< absolute
  std::string inside;  ///< absolute
  bool read_only = false;
};

/// A command in an existing container. `cwd` is a path inside; a new container gets `on_cpus`. What
/// it loads is noted below folders that are mounted at their own paths.
struct Exec : process::Command {
  bool usage = false;  ///< measure what it uses (usage.h); in the Spec of a container to keep: permit that
};

enum class Pull {
  missing,  ///< fetch the image if this machine lacks it
  never,
  always,  ///< ask the registry once in the engine's life, so that an image stays the same throughout an investigation
};

/// A command in a new container, or (without argv) a container to keep. Its GPUs are `gpus`, or those `leased`.
struct Spec : Exec {
  std::string image;
  std::vector<Mount> mounts;
  std::string gpus;                        ///< "all" or indexes, "0,1"
  std::function<std::string()> cuda_gpus;  ///< `gpus` as CUDA takes them, if there is an instance such as "0:1"
  std::string network;
  std::string shm_size;              ///< "1g"; "" = the default of settings.h
  std::string ipc;                   ///< "private", "none" or "host"
  std::vector<std::string> ulimits;  ///< "memlock=-1", "nofile=1024:4096", besides the defaults
  std::vector<std::string> devices;  ///< "/dev/fuse", "/dev/a:/dev/b:rw", or a CDI name, "vendor.com/class=name"
  std::vector<std::string> cap_add;  ///< "SYS_PTRACE"
  std::string memory;                ///< limit, "24g"
  std::string cpus;                  ///< limit, "2.5"
  std::string user;
  std::optional<std::string> entrypoint;  ///< instead of the image's; "" = none
  bool init = true;                       ///< a process 1 that passes on signals and reaps orphans
  Pull pull = Pull::missing;
  bool installed = false;   ///< tell what Python packages the command installed
  bool pin_mounts = false;  ///< of somebody who may swap them (Pins, usage.h)
};

/// The command's outcome inside. `signal` comes from the exit code (139: 11), as in a shell. user_s, sys_s,
/// peak_bytes, page faults and context switches are 0 unless `measured`.
struct Result : process::Outcome {
  bool measured = false;     ///< on the host; in a container with Exec::usage, unless what measures was killed, too
  std::string image_digest;  ///< "" if no image was given, or in a dry run
  bool dry = false;          ///< a dry run: nothing happened
  /// With Spec::installed: name and version of each Python package that the command added outside of mounts.
  std::map<std::string, std::string> installed;
};

struct ImageFacts {
  std::string id;                    ///< of its configuration on this machine
  std::string digest;                ///< in its registry; the id for an image that was never in one
  std::vector<std::string> digests;  ///< all by which it is known: of its index and of its manifest in each registry
  std::map<std::string, std::string> env;
  std::vector<std::string> entrypoint;
  std::vector<std::string> cmd;  ///< behind the entrypoint, unless a command is given
  std::map<std::string, std::string> labels;
  std::string created;              ///< as the runtime prints it
  std::vector<std::string> layers;  ///< digests, the base first
};

/// An image that exists, here or in its registry.
struct Found {
  std::string digest;   ///< "" if the registry does not tell
  std::string created;  ///< as the registry or the runtime writes it; "" unless asked for
};

/// A container kept between commands, from Runtime::start. Removed with this object.
class Container {
 public:
  virtual ~Container() = default;
  virtual const std::string& id() const = 0;
  virtual const std::string& name() const = 0;

  /// Rejects with `unavailable` if the container is gone. A time-out or a cancel restarts the container. What a
  /// finished command leaves in the background keeps running, so that a build server stays warm.
  virtual Op<Result> exec(Exec command) = 0;

  /// Processes inside end, and its files stay. Rejects with `unavailable` if it does not start again.
  virtual Op<Nothing> restart() = 0;

  /// Removes it and waits for that. Never throws: if the container engine has stopped, a later regengine removes it.
  virtual void close() = 0;
};

/// docker, podman or the bare host. Everything is run by argv, never through a shell, and asks the Guard first.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual const std::string& name() const = 0;

  /// Its version; rejects with what is wrong if it does not respond.
  virtual Op<std::string> check() = 0;

  virtual Op<Result> run(Spec spec) = 0;
  virtual Op<std::shared_ptr<Container>> start(Spec spec) = 0;
  virtual Op<Nothing> pull(std::string image) = 0;

  /// Looks for the image here and in its registry, without fetching it, and with `created` for when it was created;
  /// nullopt if it does not exist. Rejects with `unavailable` if the registry cannot be queried.
  virtual Op<std::optional<Found>> find(std::string image, bool created) = 0;

  /// The images of a repository, in no order: "ghcr.io/nvidia/jax:jax-*". Of the local runtime the folders in a folder.
  virtual Op<std::vector<std::string>> tags(std::string pattern) = 0;

  /// Removes an image that regengine pulled for the current folder; any other image stays. Whether it was removed.
  virtual Op<bool> discard(std::string image) = 0;

  /// Describes an image on this machine; rejects with not_found if it is not there.
  virtual Op<ImageFacts> inspect(std::string image) = 0;
};

}  // namespace reg::container
