#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

using Json = nlohmann::json;

bool is_same_text(const Decision& a, const Decision& b) { return a.path == b.path && a.sha256 == b.sha256; }

bool is_about_same(const Decision& a, const Decision& b) {
  return is_same_text(a, b) && a.workspace == b.workspace && a.options == b.options;
}

// "" if the line trusts nothing.
std::string trusted_by(const Json& line) {
  const auto path = line.find("trust");
  const auto* text = path != line.end() ? path->get_ptr<const std::string*>() : nullptr;
  return text != nullptr && text->starts_with('/') ? *text : "";
}

// What a later version or an editor wrote permits nothing.
std::optional<Decision> decided_by(const Json& line) {
  try {
    Decision decision = line.get<Decision>();
    return decision.sha256.empty() ? std::nullopt : std::optional(decision);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::vector<Json> read(const std::string& file) {
  std::error_code unseen;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, unseen))) return {};
  const Fd opened = open_private(file, O_RDONLY);
  check_only_own(opened, file);
  const std::string text = read_all(opened, file);
  std::vector<Json> found;
  for (const auto line : lines(text))
    if (Json json = parse_json<Json>(line); json.is_object() && (!trusted_by(json).empty() || decided_by(json)))
      found.push_back(std::move(json));
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

static void rewrite(const std::string& file, const std::function<void(std::vector<Json>&)>& change) {
  const Fd lock = open_private(file + ".lock", O_RDWR | O_CREAT);
  if (::flock(lock.get(), LOCK_EX) != 0) throw system_error(file + ".lock", errno);
  std::vector<Json> all = read(file);
  change(all);
  std::string text;
  for (const Json& line : all) text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file(file, text, kPrivate);
}

std::optional<Decision> TrustStore::find(const Decision& like) const {
  for (const Json& line : read(file_))
    if (auto one = decided_by(line); one && is_same_text(*one, like) && (one->everything || is_about_same(*one, like)))
      return one;
  return std::nullopt;
}

void TrustStore::save(const Decision& decision) {
  try_to([&] {
    rewrite(file_, [&](std::vector<Json>& all) {
      std::erase_if(all, [&](const Json& line) {
        const auto old = decided_by(line);
        return old && is_about_same(*old, decision);
      });
      all.push_back(decision);
    });
  });
}

std::string TrustStore::folder() const { return std::filesystem::path(file_).parent_path().string(); }

std::vector<std::string> TrustStore::trusted_paths() const {
  std::vector<std::string> paths;
  for (const Json& line : read(file_))
    if (std::string path = trusted_by(line); !path.empty()) paths.push_back(std::move(path));
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
  rewrite(file_, [&](std::vector<Json>& all) {
    std::erase_if(all, [&](const Json& line) { return trusted_by(line) == path; });
    all.push_back(Json{{"trust", path}});
  });
}

bool TrustStore::forget(const std::string& path) {
  bool found = false;
  rewrite(file_, [&](std::vector<Json>& all) {
    found = std::erase_if(all, [&](const Json& line) {
              const auto decision = decided_by(line);
              return trusted_by(line) == path || (decision && lies_in(decision->path, path));
            }) > 0;
  });
  return found;
}

TrustStore user_trust_store() {
  std::string file;
  try_to([&] { file = state_folder() + "/trusted"; });
  return TrustStore(file);
}

}  // namespace reg
