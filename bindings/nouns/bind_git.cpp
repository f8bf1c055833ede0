#include <fmt/format.h>

#include <set>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/git/made.h"
#include "engine/git/remote.h"
#include "engine/git/repo.h"
#include "engine/git/worktree.h"
#include "engine/terminal/console.h"

// By the namespace of what it pushes lua::push finds each.
namespace reg::git {

int push(lua_State* L, const Commit& commit) {
  using lua::set;
  REG_PUSH(L, commit, id, time, author, email, subject, message, parents);
  set(L, "short", commit.id.substr(0, 10));
  set(L, "date", format_time(commit.time));
  set(L, "author_date", format_time(commit.author_time));
  return 1;
}

int push(lua_State* L, const ChangedFile& file) {
  using lua::set;
  REG_PUSH(L, file, path, status, insertions, deletions, binary);
  REG_SET_SOME(L, file, old_commit, new_commit);
  return 1;
}

}  // namespace reg::git

namespace reg::lua {
namespace {

using git::Repo;
using git::Worktree;

// libgit2 would cut the text at a NUL byte.
std::string whole(lua_State* L, std::string text, const char* what) {
  if (text.find('\0') != std::string::npos) throw misuse(L, std::string(what) + " must not contain a NUL byte");
  return text;
}

std::string check_whole(lua_State* L, int index, const char* what) {
  return whole(L, check_string(L, index, what), what);
}

// A revision: a string, or a commit that one of these functions returned.
std::string check_revision(lua_State* L, int index) {
  if (!lua_istable(L, index)) return check_whole(L, index, "the revision");
  lua_getfield(L, index, "id");
  if (lua_type(L, -1) != LUA_TSTRING)
    throw misuse(L, "the revision is a table without an 'id'", "Pass a string or a commit.");
  std::string id = whole(L, text_at(L, -1), "the revision");
  lua_pop(L, 1);
  return id;
}

// --- git.Repo --------------------------------------------------------------------------------------------------------
int find(lua_State* L) { return push(L, object<Repo>(L).find(check_revision(L, 2))); }

int resolve(lua_State* L) { return push(L, object<Repo>(L).resolve(check_revision(L, 2))); }

int log(lua_State* L, const Repo& repo, const Options& options) {
  git::LogOptions wanted;
  REG_GET(options, wanted, from, to, first_parent, limit);
  whole(L, wanted.from, "'from'");
  whole(L, wanted.to, "'to'");
  wanted.since = options.time("since");
  wanted.until = options.time("until");
  return push(L, repo.log(wanted));
}

int between(lua_State* L, const Repo& repo, const Options& options) {
  return push(L, repo.between(check_revision(L, 2), check_revision(L, 3), options.flag("first_parent")));
}

int merge_base(lua_State* L) { return push(L, object<Repo>(L).merge_base(check_revision(L, 2), check_revision(L, 3))); }

int is_ancestor(lua_State* L) {
  return push(L, object<Repo>(L).is_ancestor(check_revision(L, 2), check_revision(L, 3)));
}

int files(lua_State* L) { return push(L, object<Repo>(L).files(check_revision(L, 2))); }

// The new commit; or nil and the files that do not merge.
template <git::Replay How>
int replay(lua_State* L) {
  const auto made = git::replay(object<Repo>(L), Vm::of(L).guard(), How, check_revision(L, 2), check_revision(L, 3));
  if (made.conflicts.empty()) return push(L, made.commit);
  lua_pushnil(L);
  push(L, made.conflicts);
  return 2;
}

int read(lua_State* L) { return push(L, object<Repo>(L).read(check_revision(L, 2), check_whole(L, 3, "the path"))); }

auto fetch(lua_State* L, const std::shared_ptr<Repo>& repo, const Options& options) {
  Vm& vm = Vm::of(L);
  return git::fetch(vm.loop(), vm.guard(), repo, options.text("remote", "origin"));
}

std::vector<std::weak_ptr<Worktree>> all_worktrees;  // that were opened, in that order

int open_worktree(lua_State* L, const std::shared_ptr<Repo>& repo, const std::string& path) {
  Vm& vm = Vm::of(L);
  return await(L, Worktree::open(vm.loop(), vm.guard(), repo, path),
               [](lua_State* state, std::shared_ptr<Worktree> tree) {
                 all_worktrees.push_back(tree);
                 return push(state, std::move(tree));
               });
}

// core.remote_url(repo): where the repository came from; its path if from nowhere.
std::string remote_url(const Repo& repo) {
  const std::string origin = git::origin_of_private_clone(repo.home());
  return repo.url_of(repo.default_remote()).value_or(origin.empty() ? repo.home() : origin);
}

// Only commits are tested: said once of each repository.
void say_uncommitted(lua_State* L, const Repo& repo) {
  static std::set<std::string> said;
  if (Vm::of(L).settings().quiet || Vm::of(L).guard().rehearsing() || !said.insert(repo.path()).second) return;
  try_to([&] {  // what may not be read here is not needed
    if (const auto files = repo.uncommitted_files(); !files.empty())
      terminal::console().write_err(fmt::format("{} has uncommitted changes ({}{}): only its commits are tested\n",
                                                repo.path(), *files.begin(), files.size() > 1 ? ", ..." : ""));
  });
}

int worktree(lua_State* L, const std::shared_ptr<Repo>& repo) {
  say_uncommitted(L, *repo);
  return open_worktree(L, repo, lua_isnoneornil(L, 2) ? git::default_place(*repo) : check_whole(L, 2, "the path"));
}

// --- git.Worktree ----------------------------------------------------------------------------------------------------
auto checkout(lua_State* L, Worktree& tree, const Options& options) {
  const std::string revision = check_revision(L, 2);
  git::CheckoutOptions wanted;
  REG_GET(options, wanted, patch, without, files);
  whole(L, wanted.patch, "'patch'");
  const bool some = lua_istable(L, options.push("submodules"));
  lua_pop(L, 1);
  wanted.submodules = some || options.flag("submodules");
  if (some) wanted.only = options.list("submodules");
  return tree.checkout(revision, std::move(wanted));
}

// core.another_worktree(tree, path): of the same repository.
int another_worktree(lua_State* L, const Worktree& tree) {
  return open_worktree(L, tree.repo(), check_whole(L, 2, "the path"));
}

// core.open_worktrees(): the paths of those that are open.
std::vector<std::string> open_worktrees() {
  std::vector<std::string> paths;
  for (const auto& one : all_worktrees)
    if (const auto tree = one.lock()) paths.push_back(tree->path());
  return paths;
}

// --- reg.git ---------------------------------------------------------------------------------------------------------
auto open(lua_State* L) { return git::open(Vm::of(L).guard(), check_whole(L, 1, "the path")); }

int clone(lua_State* L, const Options& options) {
  const std::string url = check_string(L, 1, "the url");
  const std::string path = check_whole(L, 2, "the path");
  const std::string filter = whole(L, options.text("filter", ""), "'filter'");
  Vm& vm = Vm::of(L);
  const bool dry = vm.settings().dry_run;
  return await(L, git::clone(vm.loop(), vm.guard(), url, path, filter), [path, dry](lua_State* state, Nothing) {
    if (dry) return 0;
    return push(state, std::make_shared<Repo>(path));
  });
}

// core.first_parent_at(repo, tip, instants): the id of its commit at each. Raises not_found if the first has none.
int first_parent_at(lua_State* L, const Repo& repo) {
  const std::string tip = check_revision(L, 2);
  std::vector<UnixTime> instants;
  each_element(L, 3, [&](lua_Integer) { instants.push_back(check_time(L, lua_gettop(L), "the instant")); });
  const auto ids = repo.first_parent_at(tip, instants);
  if (ids.front().empty())
    throw Error(ErrorKind::not_found,
                "no commit on '" + tip + "' at or before " + format_time(instants.front()) + " in " + repo.path(),
                repo.shallow() ? "the clone is shallow: git -C " + shell_words({repo.path()}) + " fetch --unshallow"
                               : "begin later: 'from' lies before the branch's first commit");
  return push(L, ids);
}

}  // namespace

std::vector<Function> bind_git(lua_State* L) {
  register_class<Repo>(L, "git.Repo",
                       {REG_PROPERTIES(Repo, path),
                        REG_METHODS(Repo, branches, tags, default_branch),
                        REG_FUNCTIONS(find, resolve, merge_base, is_ancestor, files, read, worktree),
                        {".id", call<git::identity_of>},
                        {"log", call<log>, "from to first_parent since until limit", 2},
                        {"between", call<between>, "first_parent", 4},
                        {"revert", replay<git::Replay::revert>},
                        {"apply", replay<git::Replay::apply>},
                        {"fetch", call<fetch>, "remote", 2}});
  register_class<Worktree>(L, "git.Worktree",
                           {REG_PROPERTIES(Worktree, path),
                            REG_METHODS(Worktree, head, remove),
                            {"checkout", call<checkout>, "patch submodules without files", 3},
                            {"close", close_object<Worktree>}});
  return {REG_FUNCTIONS(open), {"clone", call<clone>, "filter", 3}};
}

std::vector<Function> bind_open_worktrees(lua_State*) {
  return {REG_METHODS(Worktree, keep_changes_in),
          REG_FUNCTIONS(another_worktree, first_parent_at, open_worktrees, remote_url)};
}

}  // namespace reg::lua
