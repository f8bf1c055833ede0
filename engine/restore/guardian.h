#pragma once

#include <functional>
#include <string>

#include "engine/base/file.h"
#include "engine/restore/journal.h"

namespace reg::restore {

/// What the guardian's process does once it stands on its own; it does not return. `socket` and `journal` are open
/// there.
using Body = std::function<void(int socket, int journal, const std::string& journal_path)>;

/// This program again, as `--guardian JOURNAL`, with its socket as descriptor 3 and the journal as 4: a fresh image, so
/// that no thread, no lock and no driver session of the engine is half copied into it.
Body this_program_again();

/// Descriptors of this_program_again.
constexpr int kGuardianSocket = 3;
constexpr int kGuardianJournal = 4;

/// Whether this process was started by it, for that journal: somebody may just have typed the word.
bool started_as_guardian(const std::string& journal_path);

/// A process that outlives this one, in a session of its own, and puts back what was announced to it when this one ends
/// in whatever way: kill -9 of the whole process group, too. It is no child of ours and carries no mark of a command,
/// so that nothing that ends commands ends it. This is the engine's side of it; serve() is the other.
class Guardian {
 public:
  Guardian(const Body& body, const Journal& journal);

  /// Returns once the guardian has opened what undoing the deed needs. Throws unavailable when it is gone, or cannot.
  /// It keeps `held` (a flock, for instance; -1 for none) open until the deed is undone.
  void announce(DeedId id, const Deed& deed, int held);

  /// The deed was undone here. Returns once the guardian has let go of it.
  void cross_out(DeedId id);

 private:
  std::string ask(const std::string& message, int held) const;

  Fd socket_;
};

/// The guardian's life: it learns of deeds, and when the other end of `socket` is gone it undoes what is left, the last
/// one first, and tries again for a while where that fails. What it cannot undo stays in the journal. It returns when
/// it is done.
void serve(Fd socket, Journal journal, const Kinds& kinds);

}  // namespace reg::restore
