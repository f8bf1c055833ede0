#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/guard/permissions.h"

namespace reg {

// A kind of a later version permits nothing.
void from_json(const nlohmann::json& json, Patterns& patterns) {
  for (const auto& [name, of_kind] : json.get<std::map<std::string, std::vector<std::string>>>())
    if (const auto kind = effect_kind(name))
      for (const std::string& pattern : of_kind) patterns.add(*kind, pattern);
}

void to_json(nlohmann::json& json, const Patterns& patterns) {
  json = nlohmann::json::object();
  for (const auto& [kind, of_kind] : patterns.all()) json[to_string(kind)] = of_kind;
}

namespace {

bool is_same_text(const Decision& a, const Decision& b) { return a.path == b.path && a.sha256 == b.sha256; }

bool is_about_same(const Decision& a, const Decision& b) {
  return is_same_text(a, b) && a.workspace == b.workspace && a.options == b.options;
}

// What a later version or an editor wrote permits nothing.
std::vector<Decision> read(const std::string& file) {
  std::error_code unseen;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, unseen))) return {};
  const Fd opened = open_private(file, O_RDONLY);
  check_only_own(opened, file);
  const std::string text = read_all(opened, file);
  std::vector<Decision> found;
  for (const auto line : lines(text)) {
    try {
      const auto decision = parse_json<nlohmann::json>(line).get<Decision>();
      if (decision.trust.starts_with('/') || (decision.trust.empty() && !decision.sha256.empty()))
        found.push_back(decision);
    } catch (const std::exception&) {
      continue;
    }
  }
  return found;
}

// Who may write what is trusted decides what it does. A group of the same number as its user has no other members.
void check_written_by_user(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return;
  const bool own = found.st_uid == ::geteuid() || found.st_uid == 0 || ::geteuid() == 0;
  const bool sticky = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  const bool by_group = (found.st_mode & S_IWGRP) != 0 && found.st_gid != found.st_uid;
  if (own && (sticky || (!by_group && (found.st_mode & S_IWOTH) == 0))) return;
  throw Error(ErrorKind::permission, "other users can change what you trust: " + path.string(),
              "Run chmod go-w on it, or move the scripts to a folder of your own.");
}

// The file, its folder, and the folders up to the one that is trusted.
void check_trusted(const std::filesystem::path& path, const std::string& trusted) {
  check_written_by_user(path);
  for (std::filesystem::path at = path; at.has_relative_path() && (at == path || at != trusted);)
    check_written_by_user(at = at.parent_path());
}

}  // namespace

// Adds `added`, in place of those that are `old`. Returns whether there was one.
static bool rewrite(const std::string& file, const std::function<bool(const Decision&)>& old,
                    const std::vector<Decision>& added) {
  const Fd lock = open_private(file + ".lock", O_RDWR | O_CREAT);
  if (::flock(lock.get(), LOCK_EX) != 0) throw system_error(file + ".lock", errno);
  std::vector<Decision> all = read(file);
  const bool found = std::erase_if(all, old) > 0;
  all.insert(all.end(), added.begin(), added.end());
  std::string text;
  for (const nlohmann::json line : all)
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  write_file(file, text, kPrivate);
  return found;
}

std::optional<Decision> TrustStore::find(const Decision& like) const {
  for (const Decision& one : read(file_))
    if (is_same_text(one, like) && (one.everything || is_about_same(one, like))) return one;
  return std::nullopt;
}

void TrustStore::save(const Decision& decision) {
  try_to([&] { rewrite(file_, [&](const Decision& old) { return is_about_same(old, decision); }, {decision}); });
}

std::string TrustStore::folder() const { return std::filesystem::path(file_).parent_path().string(); }

std::vector<std::string> TrustStore::trusted_paths() const {
  std::vector<std::string> paths;
  for (const Decision& one : read(file_))
    if (!one.trust.empty()) paths.push_back(one.trust);
  return paths;
}

std::string TrustStore::trusted_path(const std::string& path) const {
  for (const std::string& trusted : trusted_paths())
    if (lies_in(path, trusted)) {
      check_trusted(path, trusted);
      return trusted;
    }
  return {};
}

void TrustStore::trust(const std::string& path) {
  check_trusted(path, path);
  Decision decision;
  decision.trust = path;
  rewrite(file_, [&](const Decision& old) { return old.trust == path; }, {decision});
}

bool TrustStore::forget(const std::string& path) {
  const auto is_there = [&](const Decision& old) {
    return old.trust == path || (old.trust.empty() && lies_in(old.path, path));
  };
  return rewrite(file_, is_there, {});
}

TrustStore user_trust_store() {
  std::string file;
  try_to([&] { file = state_folder() + "/trusted"; });
  return TrustStore(file);
}

}  // namespace reg
