#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/made.h"
#include "engine/git/repo.h"

namespace reg::git {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/.regengine/repos/";
constexpr const char* kOrigin = "regengine.origin";
constexpr std::string_view kSymbolic = "ref: ";

std::string place_of(const Repo& repo, const std::string& workspace) {
  return workspace + kFolder + name_for(repo.path()) + "-" + digits_of(repo.path());
}

// Whatever came with the folder, nothing is written through a link.
void refuse_links(const std::string& clone) {
  for (const char* part : {"", "/config", "/objects", "/objects/info", "/objects/info/alternates", "/objects/pack",
                           "/refs", "/refs/regengine", "/worktrees"})
    if (real_path(clone + part) != clone + part)
      throw Error(ErrorKind::conflict, "'" + clone + part + "' is a symbolic link", "Remove the folder " + clone + ".");
}

// "ref: NAME" or an id, as files in a repository have it.
std::string text_of(const git_reference* reference) {
  const char* target = git_reference_symbolic_target(reference);
  return target != nullptr ? std::string(kSymbolic) + target : hex(*git_reference_target(reference));
}

std::map<std::string, std::string> refs_of(const Repo& repo) {
  const std::string what = "the refs of " + repo.path();
  const auto all = make<ReferenceIteratorPtr>(what, git_reference_iterator_new, repo.handle());
  std::map<std::string, std::string> refs;
  git_reference* next = nullptr;
  int code = 0;
  while ((code = git_reference_next(&next, all.get())) == 0) {
    const ReferencePtr owner(next);
    refs[git_reference_name(next)] = text_of(next);
  }
  if (code != GIT_ITEROVER) check(code, what);
  return refs;
}

// What is the same already stays: another engine may be reading it.
void put(const std::string& file, const std::string& text) {
  if (read_file_if_there(file) != text) write_file(file, text);
}

void write_refs(const Repo& repo, const std::string& clone) {
  auto refs = refs_of(repo);
  std::string packed = "# pack-refs with: sorted \n";
  std::erase_if(refs, [&](const auto& ref) {
    const bool direct = !ref.second.starts_with(kSymbolic);
    if (direct) packed.append(ref.second).append(" ").append(ref.first).append("\n");
    return direct;
  });
  put(clone + "/packed-refs", packed);
  // Those that lie in files of their own would hide these.
  make_folders(clone + "/refs");
  std::vector<fs::path> others;
  for (fs::recursive_directory_iterator it(clone + "/refs"), end; it != end; ++it)
    if (!it->is_directory() && !refs.contains(it->path().lexically_relative(clone).string()))
      others.push_back(it->path());
  for (const fs::path& other : others) fs::remove(other);
  refs["HEAD"] =
      text_of(make<ReferencePtr>("the HEAD of " + repo.path(), git_reference_lookup, repo.handle(), "HEAD").get());
  for (const auto& [name, text] : refs) {
    const fs::path file = fs::path(clone) / name;
    make_folders(file.parent_path());
    put(file, text + "\n");
  }
}

// Keys in small letters whose values are data, not programs or paths of other settings.
bool is_kept(std::string_view key) {
  if (has_word("core.autocrlf core.eol core.symlinks core.ignorecase extensions.partialclone", key)) return true;
  if (!key.starts_with("remote.") && !key.starts_with("branch.")) return false;
  const std::string_view last = key.substr(key.rfind('.') + 1);
  // A remote whose name is a URL stands in for that URL.
  if (key.starts_with("remote.") && key.substr(0, key.rfind('.')).find_first_of("/:") != std::string_view::npos)
    return false;
  return has_word("url fetch promisor partialclonefilter remote merge", last);
}

// Relative ones begin at the repository.
std::string from_here(const std::string& url, const Repo& repo) {
  const auto colon = url.find(':');
  if (url.starts_with('/') || (colon != std::string::npos && colon < url.find('/'))) return url;
  return (fs::path(repo.path()) / url).lexically_normal();
}

void write_configuration(const Repo& repo, const std::string& clone) {
  const std::string what = "the configuration of " + repo.path(), file = clone + "/config." + random_id();
  const auto made = make<ConfigPtr>(what, git_config_open_ondisk, file.c_str());
  const auto add = [&](const char* key, const std::string& value) {
    check(git_config_set_multivar(made.get(), key, "^$", value.c_str()), what);
  };
  add("core.bare", "true");
  add("core.filemode", "true");
  add("gc.auto", "0");
  add(kOrigin, repo.path());
  bool partial = false;
  each_entry(make<ConfigPtr>(what, git_repository_config_snapshot, repo.handle()), [&](const git_config_entry& entry) {
    const std::string_view key = entry.name;
    if (entry.level != GIT_CONFIG_LEVEL_LOCAL || entry.value == nullptr || !is_kept(key)) return;
    partial = partial || key == "extensions.partialclone";
    add(entry.name, key.ends_with(".url") ? from_here(entry.value, repo) : entry.value);
  });
  add("core.repositoryformatversion", partial ? "1" : "0");
  fs::rename(file, clone + "/config");
}

void write_clone(const Repo& repo, const std::string& clone) {
  const std::string objects = real_path(repo.objects());
  if (std::any_of(objects.begin(), objects.end(), [](unsigned char c) { return c < 0x20; }))
    throw Error(ErrorKind::usage, "the path of the repository has a control character in it: " + printable(objects));
  for (const char* part : {"/objects/info", "/objects/pack"}) make_folders(clone + part);  // libgit2 looks there once
  const Fd lock = open_file(clone + "/regengine.lock", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (flock(lock.get(), LOCK_EX) != 0) throw system_error("locking " + clone, errno);
  put(clone + "/objects/info/alternates", objects + "\n");
  const std::string shallow = fs::path(objects).parent_path() / "shallow";
  if (const auto text = read_file_if_there(shallow))
    put(clone + "/shallow", *text);
  else
    fs::remove(clone + "/shallow");
  write_configuration(repo, clone);
  write_refs(repo, clone);
}

// In the box a linked worktree or a submodule could not be opened without saying what to declare.
void admit_linked(Guard& guard, const std::string& path) {
  const std::string link = linked_folder(read_file_if_there(path + "/.git").value_or(""));
  if (link.empty()) return;
  const fs::path folder = (fs::path(path) / link).lexically_normal();
  const std::string home = folder.parent_path().filename() == "worktrees" ? linked_home(folder) : folder.string();
  guard.admit({EffectKind::git, "look for the repository of " + path, {reading(home)}, false});
}

}  // namespace

std::string digits_of(const std::string& address) {
  constexpr std::size_t kDigits = 8;
  return sha256(address).substr(0, kDigits);
}

std::shared_ptr<Repo> open(Guard& guard, const std::string& path) {
  guard.admit({EffectKind::git, "look for " + path, {reading(path)}, false});
  admit_linked(guard, path);
  auto repo = std::make_shared<Repo>(path);
  guard.admit({EffectKind::git, "read " + repo->path(), needs_to_read(*repo), false});
  const std::string workspace = real_path(".");
  if (guard.policy().untrusted_script().empty() || lies_in(repo->home(), workspace)) return repo;

  const std::string clone = place_of(*repo, workspace);
  const bool told = guard.admit({EffectKind::git, "make a private clone of " + repo->path(), needs_to_read(*repo)});
  if (!told && !fs::exists(clone + "/HEAD")) return repo;
  refuse_links(clone);
  write_clone(*repo, clone);
  guard.policy().grant(EffectKind::git, clone, true);
  return std::make_shared<Repo>(clone, *repo);
}

std::string origin_of_private_clone(const std::string& path) {
  start_library();
  const auto config = try_make<ConfigPtr>(git_config_open_ondisk, (path + "/config").c_str());
  git_buf value = GIT_BUF_INIT;
  if (config) git_config_get_string_buf(&value, config.get(), kOrigin);
  return take_text(value);
}

}  // namespace reg::git
