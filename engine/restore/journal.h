#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/restore/deed.h"

namespace reg::restore {

using DeedId = std::uint64_t;

/// What one engine has changed and not yet put back, as lines of a file that outlives it. A line is on disk before its
/// change is made. The file is flocked through one open description that the engine shares with its guardian: as long
/// as one of the two lives nobody else touches what it lists.
class Journal {
 public:
  /// A new one of this engine in `folder`, which is made where it is not there.
  explicit Journal(const std::string& folder);
  /// One that was opened before and is held already.
  Journal(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  void add(DeedId id, const Deed& deed);
  /// Best effort: where the line cannot be written, it may be undone once more by the next engine, which does no harm.
  void cross_out(DeedId id);
  void remove();  ///< everything in it is settled

  int descriptor() const { return file_.get(); }
  const std::string& path() const { return path_; }

 private:
  void append(const std::string& line);

  Fd file_;
  std::string path_;
};

/// What came of the journals that dead engines left.
struct Recovered {
  std::vector<Deed> undone;
  std::vector<std::pair<Deed, std::string>> failed;  ///< with the reason; they stay in their journal
};

/// Undoes what the journals of dead engines in `folder` hold. Those of living engines are left alone; those of an
/// earlier boot of this machine are dropped, since a boot resets all that is changed through here.
Recovered recover(const std::string& folder, const Kinds& kinds);

/// Undoes one deed, and counts a target that is there no more as undone.
void settle(const Undo& undo);

/// The undo of a deed by its kind. Throws internal for a kind that is none: a journal of another version.
Undo prepare(const Kinds& kinds, const Deed& deed);

}  // namespace reg::restore
