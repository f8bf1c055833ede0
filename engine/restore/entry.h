#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/base/file.h"

namespace reg::restore {

/// One change of the machine as the journal records it: another process can undo it, now or after the next start.
struct Entry {
  std::string kind;    ///< a key of Kinds: "file", ...
  std::string target;  ///< what is changed: a path, a GPU's UUID
  std::string value;   ///< the original value; "" if undoing needs none
};

/// Undoes one entry. Throws on failure and may then be called again. Error(not_found) means that the target no longer
/// exists, so nothing is left to restore.
using Undo = std::function<void()>;

/// Opens whatever undoing this entry needs, before the change is made. Throws if the change could not be undone. The
/// guardian calls it too, in its own process: it opens its own sessions and shares none.
using Kind = std::function<Undo(const Entry&)>;

/// How each kind is undone. The nouns supply them; this folder knows no driver and no /sys.
using Kinds = std::map<std::string, Kind>;

/// A change that still has to be undone, and the descriptor that stays open until then.
struct PendingUndo {
  Undo undo;
  Fd held;
};

/// The kind for files that hold one value, such as those of /sys and /proc: the target is the absolute path, which is
/// written in place.
Undo rewrite_file(const Entry& entry);

}  // namespace reg::restore
