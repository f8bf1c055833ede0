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
// A dead engine's guardian is done in milliseconds; one that still tries after this long is left to it.
constexpr int kGuardianTries = 250;
constexpr auto kGuardianPause = std::chrono::milliseconds(20);

struct Contents {
  std::string engine;
  std::string host;
  std::map<DeedId, Deed> deeds;
};

// Nothing for a file that is no journal. A last line cut short by a power cut was never acted on.
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
      contents.deeds[json.value("did", DeedId{0})] = {json.value("kind", ""), json.value("target", ""),
                                                      json.value("value", "")};
    } else if (json.contains("undone")) {
      contents.deeds.erase(json.value("undone", DeedId{0}));
    }
  }
  return contents;
}

std::string_view boot_of(std::string_view engine) { return engine.substr(0, engine.find('-')); }

// Held, and the file is still that of this name: its owner may just have removed it.
bool hold(const Fd& file, const std::string& engine) {
  for (int round = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++round) {
    if (engine_alive(engine) || round == kGuardianTries) return false;
    std::this_thread::sleep_for(kGuardianPause);
  }
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

void recover_one(const std::string& path, const Kinds& kinds, Recovered& result) {
  Fd file;
  try {
    file = open_file(path, O_RDWR | O_APPEND);
  } catch (const Error&) {
    return;  // gone meanwhile, or not ours to read
  }
  auto contents = read(path);
  if (!contents || !hold(file, contents->engine)) return;
  contents = read(path);  // a guardian may have been at it while we waited
  if (!contents) return;
  if (contents->engine.empty()) {  // it died before its first line
    static_cast<void>(::unlink(path.c_str()));
    return;
  }
  const bool this_boot = boot_of(contents->engine) == boot_of(engine_id());
  if (!this_boot && contents->host != host_name()) return;  // another machine, where both share a home
  Journal journal(std::move(file), path);
  bool settled = true;
  for (auto at = contents->deeds.rbegin(); this_boot && at != contents->deeds.rend(); ++at) {
    try {
      settle([&, deed = at->second] { prepare(kinds, deed)(); });
      journal.cross_out(at->first);
      result.undone.push_back(at->second);
    } catch (const Error& error) {
      settled = false;
      result.failed.emplace_back(at->second, error.what());
    }
  }
  if (settled) journal.remove();
}

}  // namespace

Journal::Journal(const std::string& folder) {
  static int count = 0;
  make_folders(folder);
  path_ = fmt::format("{}/{}-{}{}", folder, engine_id(), ++count, kSuffix);
  file_ = open_file(path_, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0600);
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) throw system_error(path_, errno);
  append(Json{{"engine", engine_id()}, {"host", host_name()}}.dump());
  const Fd entry = open_file(folder, O_RDONLY | O_DIRECTORY);  // the name must survive as well as the lines
  if (::fsync(entry.get()) != 0) throw system_error(folder, errno);
}

void Journal::add(DeedId id, const Deed& deed) {
  append(Json{{"did", id}, {"kind", deed.kind}, {"target", deed.target}, {"value", deed.value}}.dump());
}

void Journal::cross_out(DeedId id) {
  try {
    append(Json{{"undone", id}}.dump());
  } catch (const Error&) {
    // a full disk
  }
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
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
  for (const std::string& path : paths) recover_one(path, kinds, result);
  return result;
}

void settle(const Undo& undo) {
  try {
    undo();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
  }
}

Undo prepare(const Kinds& kinds, const Deed& deed) {
  const auto kind = kinds.find(deed.kind);
  if (kind == kinds.end()) throw Error(ErrorKind::internal, "nothing here undoes '" + deed.kind + "'");
  return kind->second(deed);
}

}  // namespace reg::restore
