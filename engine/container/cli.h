#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/container/dialect.h"
#include "engine/container/runtime.h"
#include "engine/container/settings.h"
#include "engine/container/usage.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::container {

/// What a client's outcome says of the command in the container: not its CPU times and memory.
Result result_of(process::Outcome client);

/// docker or podman, through their command-line clients, so that the user's contexts, logins and remote hosts apply.
/// Every container has a name and labels of the engine and is removed by name: ending the client does not end it.
class Cli : public Runtime, public std::enable_shared_from_this<Cli> {
 public:
  /// A pull that makes no progress for `stall_s` is stopped.
  Cli(Loop& loop, Guard& guard, Dialect dialect, double stall_s = 600)
      : loop_(loop), guard_(guard), dialect_(std::move(dialect)), stall_s_(stall_s) {}

  const std::string& name() const override { return dialect_.program(); }
  Op<std::string> check() override;
  Op<Result> run(Spec spec) override;
  Op<std::shared_ptr<Container>> start(Spec spec) override;
  Op<Nothing> pull(std::string image) override;
  Op<std::optional<Found>> find(std::string image, bool created) override;
  Op<std::vector<std::string>> tags(std::string pattern) override;
  Op<bool> discard(std::string image) override;
  Op<ImageFacts> inspect(std::string image) override;

  /// As inspect, but nullopt if the image is not on this machine.
  Op<std::optional<ImageFacts>> look_up(std::string image);

  /// Removes the containers of engines that are gone, once.
  virtual Op<Nothing> remove_left_behind();

 protected:
  friend class CliContainer;

  bool admit(const std::vector<std::string>& argv, std::vector<Need> needs, bool changes = true,
             std::string identity = {}, std::string image = {});
  const Dialect& dialect() const { return dialect_; }

  /// A container that is kept.
  struct Kept {
    std::string name;
    std::string id;
    int pid = 0;                                ///< of its first process, on the host
    std::map<std::string, std::string> mounts;  ///< by the path inside
    std::shared_ptr<Pins> pins;                 ///< nullptr unless Spec::pin_mounts
    int restarts = 0;
  };

  // What is done once the guard has admitted it, for those above, which hold this object meanwhile. A boxed engine asks
  // its broker for each of these (broker/containers.cpp).
  virtual Op<std::optional<ImageFacts>> facts(std::string image);
  virtual Op<Nothing> pull_now(std::string image);
  virtual Op<std::optional<Found>> find_now(std::string image, bool created);
  virtual Op<std::vector<std::string>> tags_now(std::string pattern);
  virtual Op<Result> run_now(Spec spec);  ///< of an image that is here, and without Exec::usage
  virtual Op<std::shared_ptr<Kept>> start_now(Spec spec, std::string container);
  virtual Op<Result> exec_now(std::shared_ptr<Kept> kept, Exec command);
  virtual Op<Nothing> restart_now(std::shared_ptr<Kept> kept);
  virtual Op<Nothing> remove(std::string container);

 private:
  std::string identity_of(Spec spec) const;
  process::Command client(std::vector<std::string> argv, const Exec& limits = {}) const;
  // By default with room for the whole JSON of an image or a manifest.
  Op<process::Outcome> ask(std::vector<std::string> argv, std::size_t keep_bytes = std::size_t{16} << 20);
  Op<process::Outcome> pull_once(std::string image, process::Command command);
  Op<std::optional<Error>> try_to_pull(std::string image, process::Command command, bool here);
  Op<process::Outcome> manifest(std::string image, bool exact);
  Op<std::string> ask_skopeo(std::vector<std::string> argv, std::string doing);
  Op<ImageFacts> ensure(std::string image, Pull when);
  struct Ended {
    process::Outcome outcome;  // of the client
    std::optional<State> state;
    std::map<std::string, std::string> installed;
    bool began() const { return state && state->started; }
  };
  Op<Ended> make(Spec spec, std::string container, bool keep);
  Op<std::optional<State>> state(std::string container);
  Op<std::map<std::string, std::string>> installed(std::string container);
  Op<std::optional<State>> restart_quietly(std::shared_ptr<Kept> kept);
  Op<Nothing> wait_for_orphans();
  Op<std::string> shortage(std::vector<Mount> mounts);

  Loop& loop_;
  Guard& guard_;
  Dialect dialect_;
  Defaults defaults_;
  double stall_s_;
  std::set<std::string> pulled_;
  std::set<std::string> away_;  // registries that could not be reached for as long as they are tried
  std::string image_folder_;  // where it keeps images and what containers write; "" where that is not known to be here
  bool looked_for_left_behind_ = false;
};

}  // namespace reg::container
