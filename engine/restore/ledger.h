#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/base/file.h"
#include "engine/restore/guardian.h"
#include "engine/restore/journal.h"

namespace reg::restore {

class Ledger;

/// An announced change of the machine; undone on destruction at the latest. Its Ledger must outlive it.
class Change {
 public:
  Change() = default;
  Change(Ledger& ledger, EntryId id) : ledger_(&ledger), id_(id) {}
  Change(Change&& other) noexcept;
  Change& operator=(Change&& other) noexcept;
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  /// Like undo(), but a failure is left to the guardian and the journal.
  ~Change();

  /// Restores the original value. Throws on failure: it can be retried, and the guardian retries when this process
  /// ends.
  void undo();

  /// The change was not made after all: there is nothing to restore.
  void forget();

  explicit operator bool() const { return ledger_ != nullptr; }

 private:
  Ledger* ledger_ = nullptr;
  EntryId id_ = 0;
};

/// What this engine has changed on the machine and must restore. A change is made only after it is in a journal on disk
/// and a guardian process has accepted it. Journal and guardian exist while there is something to restore. The Ledger
/// makes no changes itself except to restore them, asks no Policy, and belongs to one thread.
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
  void start();
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
