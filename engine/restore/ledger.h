#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/base/file.h"
#include "engine/restore/deed.h"
#include "engine/restore/guardian.h"
#include "engine/restore/journal.h"

namespace reg::restore {

class Ledger;

/// A change of the machine that was announced: undone when this goes, at the latest. Its Ledger must outlive it.
class Change {
 public:
  Change() = default;
  Change(Ledger& ledger, DeedId id) : ledger_(&ledger), id_(id) {}
  Change(Change&& other) noexcept;
  Change& operator=(Change&& other) noexcept;
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  /// As undo(), but what fails is left to the guardian and the journal.
  ~Change();

  /// Puts it back. Throws when that fails: it can be tried again, and the guardian will when this process ends.
  void undo();

  /// The change was not made after all: nothing is to be put back.
  void forget();

  explicit operator bool() const { return ledger_ != nullptr; }

 private:
  Ledger* ledger_ = nullptr;
  DeedId id_ = 0;
};

/// What this engine has changed on the machine and must put back. Before a change is made it stands in a journal on
/// disk and a guardian process has accepted it, or it is not made at all. Guardian and journal live as long as there is
/// something to put back. It changes nothing itself but back, asks no Policy, and belongs to one thread.
class Ledger {
 public:
  Ledger(std::string folder, Kinds kinds, Body guardian)
      : folder_(std::move(folder)), kinds_(std::move(kinds)), body_(std::move(guardian)) {}
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// To be called before each change, which may only be made once this has returned. Throws, and then it may not.
  /// `held` stays open, here and in the guardian, until the deed is undone: a flock that keeps others off the target.
  [[nodiscard]] Change announce(const Deed& deed, Fd held = {});

  /// What dead engines left: restore::recover with this one's folder and kinds.
  Recovered recover() const { return restore::recover(folder_, kinds_); }

 private:
  friend class Change;
  struct Entry {
    Undo undo;
    Fd held;
  };

  void start();
  void undo(DeedId id);
  void cross_out(DeedId id);

  std::string folder_;
  Kinds kinds_;
  Body body_;
  std::optional<Journal> journal_;
  std::optional<Guardian> guardian_;
  std::map<DeedId, Entry> entries_;
  DeedId last_ = 0;
};

}  // namespace reg::restore
