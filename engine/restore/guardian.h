#pragma once

#include <functional>
#include <string>

#include "engine/base/file.h"
#include "engine/restore/journal.h"

namespace reg::restore {

/// What the guardian process runs once it is detached; it does not return. `socket` and `journal` are open there.
using Body = std::function<void(int socket, int journal, const std::string& journal_path)>;

/// Executes this program again as `--guardian JOURNAL`, with its socket as descriptor 3 and the journal as 4: a fresh
/// image, so that no thread, lock or driver session of the engine is half copied into it.
Body this_program_again();

/// Descriptors of this_program_again.
constexpr int kGuardianSocket = 3;
constexpr int kGuardianJournal = 4;

/// Whether this process was started by this_program_again for that journal, and not by a user who typed --guardian.
bool started_as_guardian(const std::string& journal_path);

/// Starts a process in its own session that outlives this one and restores what it is told, however this one ends:
/// kill -9 of the whole process group included. It is not a child of this process and does not carry the mark of a
/// command, so nothing that kills commands kills it. It ends when the result is closed.
Fd start_guardian(const Body& body, const Journal& journal);

/// Tells it a line of the journal, and waits until it has opened what undoing that needs, or has dropped what is
/// undone. It keeps `held` (a flock, for instance; -1 for none) open until then. Returns "ok", or what is wrong.
std::string tell_guardian(const Fd& guardian, const std::string& line, int held = -1);

/// The guardian's main loop: it receives lines until the other end of `socket` closes, then undoes what is left, last
/// entry first, and retries for a while on failure. What it cannot undo stays in the journal. Returns when done.
void serve(Fd socket, Journal journal, const Kinds& kinds);

}  // namespace reg::restore
