#include "engine/guard/known.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPrivate = 0600;

struct Entries {
  std::vector<std::string> places;
  std::vector<Known> answers;
};

std::vector<std::string> strings(const Json& list) {
  std::vector<std::string> out;
  if (!list.is_array()) return out;
  for (const Json& element : list)
    if (element.is_string()) out.push_back(element.get<std::string>());
  return out;
}

std::string text_of(const Json& line, const char* key) {
  return line.contains(key) && line[key].is_string() ? line[key].get<std::string>() : "";
}

Known answer_of(const Json& line) {
  Known answer{text_of(line, "path"), text_of(line, "sha256"), {}, {}, false};
  if (line.contains("modules")) answer.modules = strings(line["modules"]);
  answer.everything = line.contains("everything") && line["everything"] == true;
  if (line.contains("permits") && line["permits"].is_object())
    for (const auto& [name, patterns] : line["permits"].items())
      if (const auto kind = effect_kind(name))
        for (const std::string& pattern : strings(patterns)) answer.permits.add(*kind, pattern);
  return answer;
}

// A line that is none, of a later version or of somebody's editor, permits nothing.
Entries parse(std::string_view text) {
  Entries entries;
  for (const auto line : lines(text)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (const std::string place = text_of(json, "trust"); place.starts_with('/'))
      entries.places.push_back(place);
    else if (!text_of(json, "sha256").empty())
      entries.answers.push_back(answer_of(json));
  }
  return entries;
}

std::string as_text(const Entries& entries) {
  const auto dump = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; };
  std::string text;
  for (const std::string& place : entries.places) text += dump({{"trust", place}});
  for (const Known& answer : entries.answers) {
    Json permits = Json::object();
    for (const auto& [kind, patterns] : answer.permits.all()) permits[to_string(kind)] = patterns;
    text += dump({{"path", answer.path},
                  {"sha256", answer.sha256},
                  {"modules", answer.modules},
                  {"permits", permits},
                  {"everything", answer.everything}});
  }
  return text;
}

// Somebody else's file, or one that others may write, would let them answer. Under sudo the file may be that of the
// user who became root.
Entries read(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return {};
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  const bool own = info.st_uid == ::geteuid() || ::geteuid() == 0;
  if (!own || (info.st_mode & others_write) != 0)
    throw Error(ErrorKind::permission, file + " is not yours alone to write, so what it permits is not to be believed",
                "chmod 600 it, or remove it");
  return parse(read_file(file));
}

// What root writes into a user's folder stays the user's.
void give_to_owner_of_folder(const std::string& file) {
  struct stat folder {};
  if (::geteuid() != 0 || ::stat(std::filesystem::path(file).parent_path().c_str(), &folder) != 0) return;
  if (::chown(file.c_str(), folder.st_uid, folder.st_gid) != 0) throw system_error(file, errno);
}

}  // namespace

template <class Change>
void KnownScripts::rewrite(Change change) {
  make_folders(std::filesystem::path(file_).parent_path().string());
  const Fd lock = open_file(file_ + ".lock", O_RDWR | O_CREAT, kPrivate);
  if (::flock(lock.get(), LOCK_EX) != 0) throw system_error(file_ + ".lock", errno);
  Entries entries = read(file_);
  change(entries);
  write_file(file_, as_text(entries), kPrivate);
  for (const std::string& written : {file_, file_ + ".lock"}) give_to_owner_of_folder(written);
}

std::optional<Known> KnownScripts::find(const std::string& path, const std::string& sha256) const {
  for (const Known& answer : read(file_).answers)
    if (answer.path == path && answer.sha256 == sha256) return answer;
  return std::nullopt;
}

void KnownScripts::keep(const Known& answer) {
  rewrite([&](Entries& entries) {
    std::erase_if(entries.answers,
                  [&](const Known& old) { return old.path == answer.path && old.sha256 == answer.sha256; });
    entries.answers.push_back(answer);
  });
}

std::vector<std::string> KnownScripts::trusted_places() const { return read(file_).places; }

std::string KnownScripts::trusted_place(const std::string& path) const {
  for (const std::string& place : trusted_places())
    if (lies_in(path, place)) return place;
  return {};
}

void KnownScripts::trust(const std::string& path) {
  rewrite([&](Entries& entries) {
    std::erase(entries.places, path);
    entries.places.push_back(path);
  });
}

bool KnownScripts::forget(const std::string& path) {
  bool found = false;
  rewrite([&](Entries& entries) {
    found = std::erase(entries.places, path) > 0;
    found = std::erase_if(entries.answers, [&](const Known& old) { return lies_in(old.path, path); }) > 0 || found;
  });
  return found;
}

KnownScripts known_scripts() {
  try {
    return KnownScripts(state_folder() + "/trusted");
  } catch (const Error&) {
    return KnownScripts("");
  }
}

}  // namespace reg
