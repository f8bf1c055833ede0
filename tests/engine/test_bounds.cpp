#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/guard/effect.h"
#include "engine/guard/permissions.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using reg::test::TempFolder;

namespace {

void write(const std::string& path) {
  make_folders(std::filesystem::path(path).parent_path());
  write_file(path, "");
}

Bounds with(const std::string& pattern, const std::string& home = "") {
  Patterns patterns;
  patterns.add(EffectKind::files, pattern);
  Bounds bounds;
  bounds.add(patterns, home, "");
  std::sort(bounds.read.begin(), bounds.read.end());
  return bounds;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("bounds: what a program reaches is what patterns of files permit, without the hidden files of the home") {
  const TempFolder folder;
  for (const char* file : {"data/a/x", "data/.hidden/x", "ann/.ssh/id", "ann/src/x", "run1/x", "run[1]/x"})
    write(folder / file);
  CHECK(with("out/*").write.empty());  // in the workspace
  CHECK(with(folder / "data/*").write == Paths{folder / "data"});
  CHECK(with(folder / "data/*:ro").write.empty());
  CHECK(with(folder / "data/*:ro").read == Paths{folder / "data"});
  CHECK(with(folder / "run*:ro").read == Paths{folder / "run1", folder / "run[1]"});
  CHECK(with(folder / "run[1]:ro").read == Paths{folder / "run[1]"});
  CHECK(with(folder / "missing/*:ro").read.empty());
  Patterns repository;
  repository.add(EffectKind::git, folder / "data");
  Bounds of_git;
  of_git.add(repository, "", "");
  CHECK((of_git.read == Paths{folder / "data"} && of_git.write.empty()));
  const std::string home = folder / "ann";
  CHECK(with(home + "/*:ro", home).read == Paths{home + "/src"});
  CHECK(with(folder.path() + "/*:ro", home).read ==
        Paths{home + "/src", folder / "data", folder / "run1", folder / "run[1]"});
  CHECK(with(home + "/.ssh/*:ro", home).read == Paths{home + "/.ssh"});
}

TEST_CASE("bounds: a variable whose name says that it is a secret") {
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "SSHPASS", "MYSQL_PWD", "openai_api_key",
                           "GOOGLE_APPLICATION_CREDENTIALS", "GITHUB_PAT", "WANDB_API_KEY"})
    CHECK(names_secret(name));
  for (const char* name : {"PATH", "PWD", "OLDPWD", "TOKENIZERS_PARALLELISM", "XLA_FLAGS", "KEYBOARD", "CUDA_HOME"})
    CHECK_FALSE(names_secret(name));
}
