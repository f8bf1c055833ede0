#include "engine/guard/trust_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

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

struct Contents {
  std::vector<std::string> trusted;
  std::vector<Decision> decisions;
};

bool is_same_text(const Decision& a, const Decision& b) { return a.path == b.path && a.sha256 == b.sha256; }

bool is_about_same(const Decision& a, const Decision& b) {
  return is_same_text(a, b) && a.workspace == b.workspace && a.options == b.options;
}

Contents parse(std::string_view text) {
  Contents contents;
  for (const auto line : lines(text)) {
    try {
      const Json json = parse_json<Json>(line);
      if (const auto path = json.value("trust", ""); path.starts_with('/'))
        contents.trusted.push_back(path);
      else if (!json.value("sha256", "").empty())
        contents.decisions.push_back(json);
    } catch (const std::exception&) {
      continue;  // an unreadable line, from a later version or an editor, permits nothing
    }
  }
  return contents;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string as_text(const Contents& contents) {
  std::string text;
  for (const std::string& path : contents.trusted) text += dump({{"trust", path}}) + "\n";
  for (const Decision& decision : contents.decisions) text += dump(decision) + "\n";
  return text;
}

Contents read(const std::string& file) {
  std::error_code unseen;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, unseen))) return {};
  const Fd opened = open_private(file, O_RDONLY);
  check_only_own(opened, file);
  return parse(read_all(opened, file));
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

template <class Change>
void TrustStore::rewrite(Change change) {
  const Fd lock = open_private(file_ + ".lock", O_RDWR | O_CREAT);
  if (::flock(lock.get(), LOCK_EX) != 0) throw system_error(file_ + ".lock", errno);
  Contents contents = read(file_);
  change(contents);
  write_file(file_, as_text(contents), kPrivate);
}

std::optional<Decision> TrustStore::find(const Decision& like) const {
  for (const Decision& decision : read(file_).decisions)
    if (is_about_same(decision, like) || (decision.everything && is_same_text(decision, like))) return decision;
  return std::nullopt;
}

void TrustStore::save(const Decision& decision) {
  try_to([&] {
    rewrite([&](Contents& contents) {
      std::erase_if(contents.decisions, [&](const Decision& old) { return is_about_same(old, decision); });
      contents.decisions.push_back(decision);
    });
  });
}

std::string TrustStore::folder() const { return std::filesystem::path(file_).parent_path().string(); }

std::vector<std::string> TrustStore::trusted_paths() const { return read(file_).trusted; }

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
  rewrite([&](Contents& contents) {
    std::erase(contents.trusted, path);
    contents.trusted.push_back(path);
  });
}

bool TrustStore::forget(const std::string& path) {
  bool found = false;
  rewrite([&](Contents& contents) {
    found = std::erase(contents.trusted, path) > 0;
    found =
        std::erase_if(contents.decisions, [&](const Decision& old) { return lies_in(old.path, path); }) > 0 || found;
  });
  return found;
}

TrustStore user_trust_store() {
  std::string file;
  try_to([&] { file = state_folder() + "/trusted"; });
  return TrustStore(file);
}

}  // namespace reg
