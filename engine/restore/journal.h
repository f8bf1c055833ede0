#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

using EntryId = std::uint64_t;

/// The line of a journal that says that the entry is about to be made.
std::string line_of(EntryId id, const Entry& entry);
/// The one that says that it is undone.
std::string line_of_undone(EntryId id);

/// What one engine has changed and not yet restored, as lines of a file that outlives it. A line is on disk before its
/// change is made. The file is flocked through one open file description that the engine shares with its guardian:
/// while either of the two lives, nobody else touches what it lists.
class Journal {
 public:
  /// A new journal of this engine in `folder`, which is created if necessary.
  explicit Journal(const std::string& folder);
  /// A journal that is open and locked already.
  Journal(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  void append(const std::string& line);
  /// Best effort: if the line cannot be written, the next engine may undo the entry once more, which is harmless.
  void mark_undone(EntryId id);
  void remove();  ///< call it once everything in it is undone

  int descriptor() const { return file_.get(); }
  const std::string& path() const { return path_; }

 private:
  Fd file_;
  std::string path_;
};

/// The result of recover().
struct Recovered {
  std::vector<Entry> undone;
  std::vector<std::pair<Entry, std::string>> failed;  ///< with the reason; they stay in their journal
};

/// Undoes what the journals of dead engines in `folder` list. Journals of running engines are not touched; those of an
/// earlier boot of this machine are removed, since a boot resets everything that can be changed through here.
Recovered recover(const std::string& folder, const Kinds& kinds);

/// Undoes one entry; a target that no longer exists counts as undone.
void run_undo(const Undo& undo);

/// The undo function for an entry. Throws internal for an unknown kind: a journal of another version.
Undo prepare(const Kinds& kinds, const Entry& entry);

}  // namespace reg::restore
