#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

using EntryId = std::uint64_t;

/// Undoes one entry. Throws on failure and may then be called again. Error(not_found) means that the target is gone:
/// nothing is left to restore.
using Undo = std::function<void()>;

/// How each kind is undone; the nouns supply them. Each opens whatever undoing an entry needs, before the change is
/// made, and throws if the change could not be undone. The guardian calls it too, in its own process.
using Kinds = std::map<std::string, std::function<Undo(const Entry&)>>;

/// The undo function for an entry. Throws internal for an unknown kind: a journal of another version.
Undo prepare(const Kinds& kinds, const Entry& entry);

/// Undoes one entry; a target that is gone counts as undone.
void run_undo(const Undo& undo);

/// The kind for files that hold one value, such as those of /sys and /proc: the target is the absolute path, which is
/// written in place.
Undo rewrite_file(const Entry& entry);

/// A change that still has to be undone, and the descriptor that stays open until then.
struct PendingUndo {
  Undo undo;
  Fd held;
};

/// What one engine has changed and not yet restored, as lines of a file. A line is on disk before its change is made.
/// The file is flocked through one open file description that the engine shares with its guardian: while either of the
/// two lives, nobody else touches what it lists.
struct Journal {
  Fd file;
  std::string path;

  void append(const std::string& line) const;
  /// Best effort: if the line cannot be written, the next engine may undo the entry once more, which is harmless.
  void mark_undone(EntryId id) const;
  void remove() const;  ///< call it once everything in it is undone
};

/// The result of recover().
struct Recovered {
  std::vector<Entry> undone;
  std::vector<std::pair<Entry, std::string>> failed;  ///< with the reason; they stay in their journal
};

/// Undoes what the journals of dead engines in `folder` list. Journals of running engines are not touched; those of an
/// earlier boot of this machine are removed, since a boot resets everything that can be changed through here.
Recovered recover(const std::string& folder, const Kinds& kinds);

/// What the guardian process runs once it is detached; it does not return. `socket` and `journal` are open there.
using Body = std::function<void(int socket, int journal, const std::string& journal_path)>;

/// Executes this program again as `--guardian JOURNAL`, with these descriptors: a fresh image, so that no thread, lock
/// or driver session of the engine is half copied into it.
Body this_program_again();
constexpr int kGuardianSocket = 3, kGuardianJournal = 4;

/// Whether this process was started by this_program_again for that journal, and not by a user who typed --guardian.
bool started_as_guardian(const std::string& journal_path);

/// Starts a process in its own session that outlives this one, kill -9 of the whole process group included, and
/// restores what it is told. It is not a child of this process and has no mark of a command, so nothing that kills
/// commands kills it. It ends when the result is closed.
Fd start_guardian(const Body& body, const Journal& journal);

/// Tells it a line of the journal, and waits until it has opened what undoing that needs, or has dropped what is
/// undone. It keeps `held` (a flock, for instance; -1 for none) open until then. Returns "ok", or what is wrong.
std::string tell_guardian(const Fd& guardian, const std::string& line, int held = -1);

/// The guardian's main loop, until the other end of `socket` closes. Then it undoes what is left, last entry first, and
/// retries for a while on failure. What it cannot undo stays in the journal.
void serve(Fd socket, const Journal& journal, const Kinds& kinds);

class Ledger;

/// An announced change of the machine; undone on destruction at the latest. Its Ledger must outlive it.
class Change {
 public:
  Change() = default;
  Change(Ledger& ledger, EntryId id) : ledger_(&ledger, {id}) {}

  /// Restores the original value. Throws on failure: it can be retried, and the guardian retries when this process
  /// ends. Destruction leaves a failure to the guardian and the journal.
  void undo();

  /// The change was not made after all: there is nothing to restore.
  void forget();

  explicit operator bool() const { return ledger_ != nullptr; }

 private:
  struct UndoAtLast {
    EntryId id;
    void operator()(Ledger* ledger) const;
  };
  std::unique_ptr<Ledger, UndoAtLast> ledger_;
};

/// What this engine has changed on the machine and must restore. A change is made only after it is in a journal on disk
/// and a guardian process has accepted it. Journal and guardian exist while there is something to restore.
class Ledger {
 public:
  Ledger(std::string folder, Kinds kinds, Body guardian)
      : folder_(std::move(folder)), kinds_(std::move(kinds)), body_(std::move(guardian)) {}
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Call this before each change; if it throws, the change must not be made. `held` stays open, here and in the
  /// guardian, until the entry is undone: a flock that keeps others off the target.
  [[nodiscard]] Change announce(const Entry& entry, Fd held = {});

 private:
  friend class Change;
  void undo(EntryId id);
  void mark_undone(EntryId id);

  std::string folder_;
  Kinds kinds_;
  Body body_;
  std::optional<Journal> journal_;
  Fd guardian_;
  std::map<EntryId, PendingUndo> pending_;
  EntryId last_ = 0;
};

}  // namespace reg::restore
