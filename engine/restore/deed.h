#pragma once

#include <functional>
#include <map>
#include <string>

namespace reg::restore {

/// One change of the machine, said in a form that another process can undo, after this one or after the next start.
struct Deed {
  std::string kind;    ///< which of the Kinds undoes it: "file", ...
  std::string target;  ///< what is changed: a path, a GPU's UUID
  std::string value;   ///< what it was before; "" where undoing needs none
};

/// Undoes one deed. Throws when it could not, and may then be called again. Error(not_found) says that the target is
/// there no more, so that nothing is left to put back.
using Undo = std::function<void()>;

/// Opens whatever undoing this deed will need, before the change is made. Throws when it could not be undone. The
/// guardian calls it too, in its own process: it opens its own sessions, and shares none.
using Kind = std::function<Undo(const Deed&)>;

/// How each kind is undone. The nouns bring them; this folder knows no driver and no /sys.
using Kinds = std::map<std::string, Kind>;

/// The kind of files that hold one value, as those of /sys and /proc: the target is the absolute path, and is
/// written in place.
Undo rewrite_file(const Deed& deed);

}  // namespace reg::restore
