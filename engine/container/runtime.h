#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/operation.h"
#include "engine/process/command.h"

namespace reg::container {

struct Mount {
  std::string host;    ///< absolute
  std::string inside;  ///< absolute
  bool read_only = false;
};

/// A command in a container made for it, or (without argv) a container to be kept. Empty = the runtime's own default.
struct Spec {
  std::string image;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::vector<Mount> mounts;
  std::string workdir;
  std::string gpus;  ///< "all" or numbers, "0,1"
  std::string network;
  std::string shm_size;  ///< "1g"
  std::string memory;    ///< the most it may use, "24g"
  std::string user;
  std::string entrypoint;          ///< instead of the image's own
  bool pull = true;                ///< fetch the image when this machine lacks it
  process::Conditions conditions;  ///< its processors; the rest is for commands on the host alone
  std::optional<double> timeout_s;
  std::string out_file;
  std::string err_file;
  std::size_t keep_bytes = process::Command{}.keep_bytes;
};

/// A command in a container that is there already.
struct Exec {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  process::Conditions
      conditions;  ///< for a command on the host alone: a container keeps the processors it was started with
  std::string workdir;
  std::optional<double> timeout_s;
  std::string out_file;
  std::string err_file;
  std::size_t keep_bytes = process::Command{}.keep_bytes;
};

/// How the command went inside. `signal` is what its exit code says (139: 11), as a shell would. user_s, sys_s and
/// peak_bytes are 0 in a container: the client cannot tell them.
struct Result : process::Outcome {
  std::string image_digest;  ///< what was run; "" when no image was named, or in a dry run
  bool dry = false;          ///< a dry run: nothing happened
};

struct ImageFacts {
  std::string id;      ///< of its configuration on this machine
  std::string digest;  ///< in its registry; the id for an image that never was in one
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> labels;
  std::string created;              ///< as the runtime says it
  std::vector<std::string> layers;  ///< digests, the base first
};

struct Checkout {
  std::string commit;
  std::string url;   ///< "" when unknown
  std::string path;  ///< "" when only the manifest file tells of it
};

/// A container kept between commands, from Runtime::start. Gone with this object.
class Container {
 public:
  virtual ~Container() = default;
  virtual const std::string& id() const = 0;
  virtual const std::string& name() const = 0;

  /// Rejects with `unavailable` when the container is no longer there. A time-out or a cancel ends the command's
  /// processes inside too; what a command leaves in the background by itself stays, for a build server to stay warm.
  virtual Op<Result> exec(Exec command) = 0;

  /// Removes it, now, with all that runs in it; it waits for that. It never throws: what cannot be removed because the
  /// container engine went away is removed at a later start.
  virtual void close() = 0;
};

/// The seam: docker, podman and the bare host do the same calls. Everything is by argv, never through a shell, and asks
/// the Guard first. It keeps no list of images or containers of its own.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual const std::string& name() const = 0;

  /// Its version when it answers; rejects with what is wrong otherwise.
  virtual Op<std::string> check() = 0;

  virtual Op<Result> run(Spec spec) = 0;
  virtual Op<std::shared_ptr<Container>> start(Spec spec) = 0;
  virtual Op<Nothing> pull(std::string image) = 0;

  /// Whether the image is on this machine or in its registry, without fetching it. Rejects with `unavailable` when the
  /// registry cannot be asked.
  virtual Op<bool> exists(std::string image) = 0;

  /// Of an image on this machine; rejects with not_found when it is not.
  virtual Op<ImageFacts> inspect(std::string image) = 0;

  /// The commits of the repositories inside, by name: what the image's manifest file says, else what its checkouts are
  /// at. `paths`: where to look for checkouts; {} = everything in /opt.
  virtual Op<std::map<std::string, Checkout>> commits(std::string image, std::vector<std::string> paths) = 0;
};

}  // namespace reg::container
