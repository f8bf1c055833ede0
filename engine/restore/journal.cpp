#include "engine/restore/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
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
    if (json.contains("engine")) {
      contents.engine = json.value("engine", "");
      contents.host = json.value("host", "");
    } else if (json.contains("did")) {
      contents.entries[json.value("did", EntryId{0})] = {json.value("kind", ""), json.value("target", ""),
                                                         json.value("value", "")};
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
  Fd file(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return;  // removed in the meantime, or not readable
  // A journal of somebody else could have this user write to the machine's settings.
  struct stat facts {};
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  if (::fstat(file.get(), &facts) != 0 || facts.st_uid != ::geteuid() || (facts.st_mode & others_write) != 0) return;
  auto contents = read(path);
  if (!contents || !lock(file, contents->engine)) return;
  contents = read(path);  // a guardian may have changed it while we waited
  if (!contents) return;
  if (contents->engine.empty()) {  // the engine died before it wrote the first line
    static_cast<void>(::unlink(path.c_str()));
    return;
  }
  const bool this_boot = boot_of(contents->engine) == boot_of(engine_id());
  if (!this_boot && contents->host != host_name()) return;  // another machine that shares this home folder
  Journal journal(std::move(file), path);
  bool all_restored = true;
  for (auto at = contents->entries.rbegin(); this_boot && at != contents->entries.rend(); ++at) {
    try {
      run_undo([&, entry = at->second] { prepare(kinds, entry)(); });
      journal.mark_undone(at->first);
      result.undone.push_back(at->second);
    } catch (const Error& error) {
      all_restored = false;
      result.failed.emplace_back(at->second, error.what());
    }
  }
  if (all_restored) journal.remove();
}

}  // namespace

std::string line_of(EntryId id, const Entry& entry) {
  return Json{{"did", id}, {"kind", entry.kind}, {"target", entry.target}, {"value", entry.value}}.dump();
}

std::string line_of_undone(EntryId id) { return Json{{"undone", id}}.dump(); }

Journal::Journal(const std::string& folder) {
  static int count = 0;
  make_private_folders(folder);
  path_ = fmt::format("{}/{}-{}{}", folder, engine_id(), ++count, kSuffix);
  file_ = open_file(path_, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0600);
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) throw system_error(path_, errno);
  append(Json{{"engine", engine_id()}, {"host", host_name()}}.dump());
  const Fd directory = open_file(folder, O_RDONLY | O_DIRECTORY);  // the name must survive a crash, too
  if (::fsync(directory.get()) != 0) throw system_error(folder, errno);
}

void Journal::mark_undone(EntryId id) {
  try_to([&] { append(line_of_undone(id)); });
}

void Journal::remove() { ::unlink(path_.c_str()); }

void Journal::append(const std::string& line) {
  write_all(file_.get(), line + "\n", path_);
  if (::fsync(file_.get()) != 0) throw system_error(path_, errno);
}

Recovered recover(const std::string& folder, const Kinds& kinds) {
  Recovered result;
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder, error))
    if (file.path().extension() == kSuffix) paths.push_back(file.path());
  for (const std::string& path : paths) recover_one(path, kinds, result);
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
    throw Error(ErrorKind::internal, "unknown kind of change in the journal: '" + entry.kind + "'");
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

}  // namespace reg::restore
