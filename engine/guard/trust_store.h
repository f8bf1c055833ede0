#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/guard/effect.h"

namespace reg {

/// What the user allowed a script to do.
struct Decision {
  std::string path;                  ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;                ///< of its text
  std::string workspace;             ///< the folder in which it runs
  std::vector<std::string> options;  ///< what it is started with
  std::vector<std::string> modules;  ///< file and sha256 of each module that it loads
  Patterns permits;
  bool everything = false;  ///< wherever it runs and with whatever options: the user wrote it (.save)
  bool unboxed = false;     ///< also where the kernel cannot hold it to its folder
};

void to_json(nlohmann::json& json, const Patterns& patterns);
void from_json(const nlohmann::json& json, Patterns& patterns);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Decision, path, sha256, workspace, options, modules, permits,
                                                everything, unboxed)

/// The user's decisions about scripts, and the files and folders that the user trusts whatever is written in them:
/// $XDG_STATE_HOME/regengine/trusted, one line of JSON each, readable by the user alone. Updates are atomic. It only
/// stores; Permissions decides.
class TrustStore {
 public:
  explicit TrustStore(std::string file) : file_(std::move(file)) {}

  /// The decision about the same path, text, workspace and options, or one that permits that text everything.
  std::optional<Decision> find(const Decision& like) const;
  /// Replaces an earlier decision about the same. Where it cannot be written, the user is asked again next time.
  void save(const Decision& decision);

  /// Where the store lies; "" for one that is empty and read-only.
  std::string folder() const;

  /// The trusted file or folder that `path` is or is in; "" if there is none. Throws permission if other users can
  /// change it.
  std::string trusted_path(const std::string& path) const;
  std::vector<std::string> trusted_paths() const;
  void trust(const std::string& path);
  /// Also forgets every decision about scripts there. Returns whether there was anything to forget.
  bool forget(const std::string& path);

 private:
  std::string file_;
};

/// The store in the user's state folder. If the environment names no such folder, the store is empty and read-only.
TrustStore user_trust_store();

}  // namespace reg
