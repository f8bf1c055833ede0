#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/container/dialect.h"
#include "engine/container/runtime.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"
#include "engine/restore/ledger.h"

namespace reg::container {

/// Who is docker and podman for this process, where it is boxed. {}: it runs their clients itself.
using MakeCli = std::function<std::shared_ptr<Runtime>(Loop&, Guard&, const Dialect&)>;
void use_cli_elsewhere(MakeCli make);

/// The one that runs on the host (local.cpp).
std::shared_ptr<Runtime> local_runtime(Loop& loop, Guard& guard);

/// The three runtimes, and the default one: docker if its daemon responds, else podman.
class Runtimes : public std::enable_shared_from_this<Runtimes> {
 public:
  Runtimes(Loop& loop, Guard& guard);

  /// "" = the one set with use(), else the first that responds. Rejects with unavailable if none does.
  Op<std::shared_ptr<Runtime>> get(std::string name);

  /// Makes this one the default, "" none. Throws usage for an unknown name.
  void use(const std::string& name) { chosen_ = name.empty() ? nullptr : named(name); }
  /// The one set with use() or by get(); "" for none.
  std::string chosen() const { return chosen_ ? chosen_->name() : ""; }

  /// By name; the message is the version, or what is wrong.
  Op<std::map<std::string, Presence>> available();

  /// Throws usage for an unknown name.
  std::shared_ptr<Runtime> named(const std::string& name) const;

 private:
  std::vector<std::shared_ptr<Runtime>> all_;
  std::shared_ptr<Runtime> chosen_;
};

/// A kind of change for the guardian: the containers that the engine `value` made with the runtime `target`. Undoing it
/// removes them once that engine is gone.
inline constexpr const char* kContainers = "containers";
restore::Undo remove_containers(const restore::Entry& entry);

}  // namespace reg::container
