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
    // The guardian has it too, and will try for longer than a destructor may.
  }
}

void Change::undo() {
  if (ledger_ == nullptr) return;
  ledger_->undo(id_);
  ledger_ = nullptr;
}

void Change::forget() {
  if (Ledger* ledger = std::exchange(ledger_, nullptr); ledger != nullptr) ledger->cross_out(id_);
}

Ledger::~Ledger() {
  std::vector<DeedId> ids;
  for (const auto& [id, entry] : entries_) ids.push_back(id);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    try {
      undo(*id);
    } catch (const Error&) {
      // It stays an entry, so that the journal stays, and the guardian tries on.
    }
  }
}

Change Ledger::announce(const Deed& deed, Fd held) {
  Undo undo = prepare(kinds_, deed);
  start();
  const DeedId id = ++last_;
  const int descriptor = held.get();
  entries_[id] = {std::move(undo), std::move(held)};
  try {
    journal_->add(id, deed);
    guardian_->announce(id, deed, descriptor);
  } catch (const Error&) {
    cross_out(id);
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

void Ledger::undo(DeedId id) {
  settle(entries_.at(id).undo);
  cross_out(id);
}

void Ledger::cross_out(DeedId id) {
  entries_.erase(id);
  guardian_->cross_out(id);
  if (!entries_.empty()) return journal_->cross_out(id);
  journal_->remove();
  journal_.reset();
  guardian_.reset();
}

}  // namespace reg::restore
