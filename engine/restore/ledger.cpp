#include "engine/restore/ledger.h"

#include <utility>

#include "engine/base/error.h"

namespace reg::restore {

Change::Change(Change&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), id_(other.id_) {}

Change& Change::operator=(Change&& other) noexcept {
  std::swap(ledger_, other.ledger_);
  std::swap(id_, other.id_);
  return *this;
}

Change::~Change() {
  // The guardian has the entry too, and retries for longer than a destructor may.
  try_to([&] { undo(); });
}

void Change::undo() {
  if (ledger_ == nullptr) return;
  ledger_->undo(id_);
  ledger_ = nullptr;
}

void Change::forget() {
  if (Ledger* ledger = std::exchange(ledger_, nullptr); ledger != nullptr) ledger->mark_undone(id_);
}

Ledger::~Ledger() {
  // What cannot be undone stays pending, so the journal stays and the guardian retries.
  for (EntryId id = last_; id > 0; --id)
    if (pending_.contains(id)) try_to([&] { undo(id); });
}

Change Ledger::announce(const Entry& entry, Fd held) {
  Undo undo = prepare(kinds_, entry);
  start();
  const EntryId id = ++last_;
  const int descriptor = held.get();
  pending_[id] = {std::move(undo), std::move(held)};
  try {
    const std::string line = line_of(id, entry);
    journal_->append(line);
    if (const std::string answer = tell_guardian(guardian_, line, descriptor); answer != "ok")
      throw Error(ErrorKind::unavailable,
                  "not changed: cannot ensure that " + entry.target + " is restored: " + answer);
  } catch (const Error&) {
    mark_undone(id);
    throw;
  }
  return {*this, id};
}

void Ledger::start() {
  if (guardian_) return;
  journal_.emplace(folder_);
  try {
    guardian_ = start_guardian(body_, *journal_);
  } catch (const Error&) {
    journal_->remove();
    journal_.reset();
    throw;
  }
}

void Ledger::undo(EntryId id) {
  run_undo(pending_.at(id).undo);
  mark_undone(id);
}

void Ledger::mark_undone(EntryId id) {
  pending_.erase(id);
  tell_guardian(guardian_, line_of_undone(id));
  if (!pending_.empty()) return journal_->mark_undone(id);
  journal_->remove();
  journal_.reset();
  guardian_ = Fd();
}

}  // namespace reg::restore
