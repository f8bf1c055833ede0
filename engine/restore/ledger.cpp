#include "engine/restore/ledger.h"

#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace reg::restore {

Change::Change(Change&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), id_(other.id_) {}

Change& Change::operator=(Change&& other) noexcept {
  std::swap(ledger_, other.ledger_);
  std::swap(id_, other.id_);
  return *this;
}

Change::~Change() {
  try {
    undo();
  } catch (const Error&) {
    // The guardian has the entry too, and retries for longer than a destructor may.
  }
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
  std::vector<EntryId> ids;
  for (const auto& [id, unused] : pending_) ids.push_back(id);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    try {
      undo(*id);
    } catch (const Error&) {
      // The entry stays pending, so the journal stays and the guardian retries.
    }
  }
}

Change Ledger::announce(const Entry& entry, Fd held) {
  Undo undo = prepare(kinds_, entry);
  start();
  const EntryId id = ++last_;
  const int descriptor = held.get();
  pending_[id] = {std::move(undo), std::move(held)};
  try {
    journal_->add(id, entry);
    guardian_->announce(id, entry, descriptor);
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
    guardian_.emplace(body_, *journal_);
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
  guardian_->mark_undone(id);
  if (!pending_.empty()) return journal_->mark_undone(id);
  journal_->remove();
  journal_.reset();
  guardian_.reset();
}

}  // namespace reg::restore
