#include "engine/git/handles.h"

#include <array>
#include <filesystem>

#include "engine/base/text.h"
#include "engine/git/repo.h"

namespace reg::git {

static bool ignores_user = false;

void start_library() {
  static const bool started = [] {
    git_libgit2_init();
    // git marks partial clones so; what is missing in one is fetched by git before libgit2 needs it.
    std::array<const char*, 1> extensions{"partialclone"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(), extensions.size());
    // Every object of a pack has its CRC already, and git itself does not hash each one again either.
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    for (const int level :
         {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL})
      if (ignores_user) git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    // Only the user's configuration could say which repositories of others are safe. The box makes all of them so.
    if (ignores_user) git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    return true;
  }();
  static_cast<void>(started);
}

void ignore_user_configuration() { ignores_user = true; }

Error libgit2_error(int code, const std::string& what) {
  const git_error* last = git_error_last();
  const std::string message = what + ": " + (last != nullptr ? last->message : "unknown failure of libgit2");
  switch (code) {
    case GIT_ENOTFOUND:
      return {ErrorKind::not_found, message};
    case GIT_EAMBIGUOUS:
    case GIT_EINVALIDSPEC:
      return {ErrorKind::usage, message};
    case GIT_EOWNER:
      return {ErrorKind::permission, message,
              "it belongs to another user: git config --global --add safe.directory PATH"};
    case GIT_ELOCKED:
      if (message.ends_with("Permission denied"))  // "failed open - 'PATH' is locked" of a file that may not be read
        return {ErrorKind::permission, what + ": permission denied for a file of it",
                "Permit what its links and the include.path of its configuration lead to: --allow files=PATH:ro"};
      return {ErrorKind::conflict, message, "another git works there; wait for it, or remove the lock it left behind"};
    default:
      return {ErrorKind::io, message};
  }
}

RepositoryPtr open_repository(const std::string& path) {
  start_library();
  git_repository* repository = nullptr;
  const int code = git_repository_open_ext(&repository, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (code == GIT_ENOTFOUND) {
    git_buf above = GIT_BUF_INIT;
    const bool inside = git_repository_discover(&above, path.c_str(), 0, nullptr) == 0;
    const std::string found = take_text(above);
    // libgit2 finds a repository of another user, and opens it only where git's configuration trusts it.
    std::error_code ignored;
    for (const auto& own : {std::filesystem::path(path), std::filesystem::path(path) / ".git"})
      if (inside && std::filesystem::equivalent(own, found, ignored))
        throw Error(ErrorKind::permission, "the repository '" + path + "' belongs to another user",
                    "If you trust it: git config --global --add safe.directory " +
                        shell_words({std::filesystem::absolute(path).lexically_normal().string()}));
    throw Error(ErrorKind::not_found, "no git repository at '" + path + "'",
                inside ? "the folder lies inside the repository of " + found + ": name that one's root"
                       : "give the root of a clone, or make one with reg.git.clone(url, path)");
  }
  check(code, "opening the repository '" + path + "'");
  return RepositoryPtr(repository);
}

std::string hex(const git_oid& id) {
  std::array<char, GIT_OID_HEXSZ + 1> text{};
  return git_oid_tostr(text.data(), text.size(), &id);
}

git_oid parse_id(std::string_view text) {
  git_oid id{};
  check(git_oid_fromstrn(&id, text.data(), text.size()), "the id '" + std::string(text) + "'");
  return id;
}

bool has_commit(git_repository* repository, const git_oid& id) {
  return try_make<CommitPtr>(git_commit_lookup, repository, &id) != nullptr;
}

CommitPtr commit_of(git_repository* repository, const std::string& id, const std::string& what) {
  const git_oid oid = parse_id(id);
  return make<CommitPtr>(what, git_commit_lookup, repository, &oid);
}

TreePtr tree_of(git_repository* repository, const std::string& commit, const std::string& what) {
  return make<TreePtr>(what, git_commit_tree, commit_of(repository, commit, what).get());
}

std::string take_text(git_buf& buffer) {
  std::string text = buffer.ptr != nullptr ? std::string(buffer.ptr, buffer.size) : std::string();
  git_buf_dispose(&buffer);
  return text;
}

}  // namespace reg::git
