#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

// What regengine pulled, so that it can be removed again: one small file for each image in the user's state folder. An
// image that was on the machine before is never in this list.

struct Pulled {
  std::string program;    ///< docker or podman
  std::string image;      ///< its name
  std::string id;         ///< of what the name stood for after the pull
  std::string workspace;  ///< the folder that regengine ran in
};

/// Without a state folder it does nothing, and the image stays.
void remember_pulled(const Pulled& pulled);
void forget_pulled(const Pulled& pulled);

/// Those that were pulled through the same docker and podman hosts as now.
std::vector<Pulled> pulled_images();

/// Its size in bytes; nullopt if the image is gone, or its name stands for another one now.
Op<std::optional<std::uint64_t>> size_of_pulled(Loop& loop, Pulled pulled);

/// Rejects with unavailable if the container engine refuses, as for an image that a container uses.
Op<Nothing> remove_pulled(Loop& loop, Pulled pulled);

}  // namespace reg::container
