#include "engine/restore/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::restore {
namespace {

using Json = nlohmann::json;

constexpr const char* kSuffix = ".journal";
// The guardian of a dead engine is normally done in milliseconds; one that still retries keeps its journal.
constexpr int kGuardianTries = 250;
constexpr auto kGuardianPause = std::chrono::milliseconds(20);

std::string line_of_undone(EntryId id) { return Json{{"undone", id}}.dump(); }

Journal new_journal(const std::string& folder) {
  static int count = 0;
  make_private_folders(folder);
  const std::string path = fmt::format("{}/{}-{}{}", folder, engine_id(), ++count, kSuffix);
  Journal journal{open_file(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, kPrivate), path};
  if (::flock(journal.file.get(), LOCK_EX | LOCK_NB) != 0) throw system_error(path, errno);
  journal.append(Json{{"engine", engine_id()}, {"host", host_name()}}.dump());
  const Fd directory = open_file(folder, O_RDONLY | O_DIRECTORY);  // the name must survive a crash, too
  if (::fsync(directory.get()) != 0) throw system_error(folder, errno);
  return journal;
}

struct Contents {
  std::string engine;
  std::string host;
  std::map<EntryId, Entry> entries;
};

// std::nullopt if the file cannot be read. A last line truncated by a power cut was never acted on, so it is skipped.
std::optional<Contents> read(const std::string& path) {
  const auto text = read_file_if_there(path);
  if (!text) return std::nullopt;
  Contents contents;
  for (const auto line : lines(*text)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto said = [&](const char* key) { return json.value(key, ""); };
    if (json.contains("engine")) {
      contents.engine = said("engine");
      contents.host = said("host");
    } else if (json.contains("did")) {
      contents.entries[json.value("did", EntryId{0})] = {said("kind"), said("target"), said("value")};
    } else if (json.contains("undone")) {
      contents.entries.erase(json.value("undone", EntryId{0}));
    }
  }
  return contents;
}

std::string_view boot_of(std::string_view engine) { return engine.substr(0, engine.find('-')); }

// Whether the file is now locked and still linked: its owner may just have removed it.
bool lock(const Fd& file, const std::string& engine) {
  for (int round = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++round) {
    if (engine_alive(engine) || round == kGuardianTries) return false;
    std::this_thread::sleep_for(kGuardianPause);
  }
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

void recover_one(const std::string& path, const Kinds& kinds, Recovered& result) {
  const Journal journal{Fd(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC)), path};
  if (!journal.file) return;  // removed in the meantime, or not readable
  // A journal of somebody else could have this user write to the machine's settings.
  struct stat facts {};
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  if (::fstat(journal.file.get(), &facts) != 0 || facts.st_uid != ::geteuid() || (facts.st_mode & others_write) != 0)
    return;
  auto contents = read(path);
  if (!contents || !lock(journal.file, contents->engine)) return;
  contents = read(path);  // a guardian may have changed it while we waited
  if (!contents) return;
  // Without a first line its engine died before it changed anything.
  const bool this_boot = boot_of(contents->engine) == boot_of(engine_id());
  if (!this_boot && !contents->engine.empty() && contents->host != host_name())
    return;  // another machine that shares this home folder
  const std::size_t failed = result.failed.size();
  for (auto at = contents->entries.rbegin(); this_boot && at != contents->entries.rend(); ++at) {
    try {
      run_undo([&, entry = at->second] { prepare(kinds, entry)(); });
      journal.mark_undone(at->first);
      result.undone.push_back(at->second);
    } catch (const Error& error) {
      result.failed.emplace_back(at->second, error.what());
    }
  }
  if (result.failed.size() == failed) journal.remove();
}

}  // namespace

void Journal::append(const std::string& line) const {
  write_all(file.get(), line + "\n", path);
  if (::fsync(file.get()) != 0) throw system_error(path, errno);
}

void Journal::mark_undone(EntryId id) const {
  try_to([&] { append(line_of_undone(id)); });
}

void Journal::remove() const { ::unlink(path.c_str()); }

Recovered recover(const std::string& folder, const Kinds& kinds) {
  Recovered result;
  for (const std::string& path : entries(folder))
    if (path.ends_with(kSuffix)) recover_one(path, kinds, result);
  return result;
}

void run_undo(const Undo& undo) {
  try {
    undo();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
  }
}

Undo prepare(const Kinds& kinds, const Entry& entry) {
  const auto kind = kinds.find(entry.kind);
  if (kind == kinds.end())
    throw Error(ErrorKind::internal, "unknown kind of change in the journal: '" + entry.kind + "' of " + entry.target,
                "Another version made it: run that one's `regengine recover`.");
  return kind->second(entry);
}

Undo rewrite_file(const Entry& entry) {
  static_cast<void>(open_file(entry.target, O_WRONLY));  // throws if it is not writable
  return [path = entry.target, value = entry.value] {
    const Fd file = open_file(path, O_WRONLY);  // reopened: the file may have been replaced
    write_all(file.get(), value, path);
    // Files of /sys have no size; a plain file keeps the tail of a longer value unless it is truncated.
    [[maybe_unused]] const int ignored = ::ftruncate(file.get(), static_cast<off_t>(value.size()));
  };
}

void Change::UndoAtLast::operator()(Ledger* ledger) const {
  // The guardian has the entry too, and retries for longer than a destructor may.
  try_to([&] { ledger->undo(id); });
}

void Change::undo() {
  if (ledger_) ledger_->undo(ledger_.get_deleter().id);
  static_cast<void>(ledger_.release());
}

void Change::forget() {
  if (Ledger* ledger = ledger_.release(); ledger != nullptr) ledger->mark_undone(ledger_.get_deleter().id);
}

Ledger::~Ledger() {
  // What cannot be undone stays pending, so the journal stays and the guardian retries.
  for (EntryId id = last_; id > 0; --id)
    if (pending_.contains(id)) try_to([&] { undo(id); });
}

Change Ledger::announce(const Entry& entry, Fd held) {
  Undo undo = prepare(kinds_, entry);
  if (!guardian_) {
    journal_ = new_journal(folder_);
    guardian_ = start_guardian(body_, *journal_);
  }
  const EntryId id = ++last_;
  const int descriptor = held.get();
  pending_[id] = {std::move(undo), std::move(held)};
  try {
    const std::string line =
        Json{{"did", id}, {"kind", entry.kind}, {"target", entry.target}, {"value", entry.value}}.dump();
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
