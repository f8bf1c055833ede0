#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/guard/patterns.h"

namespace reg {

/// One answer that was given for one text of one script.
struct Known {
  std::string path;                  ///< canonical; a word such as "stdin" where it came from no file
  std::string sha256;                ///< of its text
  std::vector<std::string> modules;  ///< sha256 of the texts it required
  Patterns permits;
  bool everything = false;
};

/// What its user answered about scripts, and the files and folders whose scripts are the user's own whatever is written
/// in them: $XDG_STATE_HOME/regengine/trusted, a line of JSON each, for the user's eyes alone. A reader or a crash sees
/// the old file or the new. It decides nothing.
class KnownScripts {
 public:
  explicit KnownScripts(std::string file) : file_(std::move(file)) {}

  std::optional<Known> find(const std::string& path, const std::string& sha256) const;
  /// In place of the older answer about that text of that path.
  void keep(const Known& answer);

  /// The trusted file or folder that `path` is or lies in; "" for none.
  std::string trusted_place(const std::string& path) const;
  std::vector<std::string> trusted_places() const;
  void trust(const std::string& path);
  /// Also every answer about scripts there. Whether there was anything.
  bool forget(const std::string& path);

 private:
  template <class Change>
  void rewrite(Change change);

  std::string file_;
};

/// The file in the user's state folder. Where the environment names no such folder, it knows nothing and keeps nothing.
KnownScripts known_scripts();

}  // namespace reg
