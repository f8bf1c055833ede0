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

Effect runs(const std::string& program) {
  return {EffectKind::process, program, {{EffectKind::process, {program, "/usr/bin/" + program}}}};
}

struct Foreign {
  TempFolder folder;
  Patterns allowed;
  SandboxSupport sandbox;

  std::unique_ptr<Permissions> script() {
    const Ask yes = [](const Question&) { return Answer::yes; };
    return std::make_unique<Permissions>(ForeignScript{"found.lua", "/w/found.lua", "text", {}, false}, "/w", allowed,
                                         TrustStore(folder / "trusted"), yes, sandbox);
  }
};

std::string refusal(Policy& policy, const Effect& effect) {
  try {
    policy.permit(effect, true);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

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

TEST_CASE("bounds: a program of an untrusted script runs in the sandbox, unless it may run unboxed") {
  Foreign world;
  CHECK_FALSE(allow_all()->bounds(runs("make")));
  auto script = world.script();
  script->declare(EffectKind::process, "make");
  CHECK(refusal(*script, runs("make")).empty());
  REQUIRE(script->bounds(runs("make")));
  CHECK(script->bounds(runs("make"))->write == Paths{"/w"});
  CHECK_FALSE(script->bounds({EffectKind::gpu, "lock", {{EffectKind::gpu, {"lock"}}}}));
  script->declare(EffectKind::unboxed, "make");
  CHECK(refusal(*script, runs("make")).find("not permitted: unboxed=make") == 0);  // too late

  auto open = world.script();
  open->declare(EffectKind::unboxed, "make");
  CHECK(refusal(*open, runs("make")).empty());
  CHECK_FALSE(open->bounds(runs("make")));

  world.sandbox.why_not = "this kernel has no Landlock";
  CHECK_FALSE(world.script()->bounds(runs("make")));
}

TEST_CASE("bounds: what is allowed in the sandbox does not run outside, whatever the script declares") {
  Foreign world;
  world.allowed.add(EffectKind::process, "make");
  auto script = world.script();
  CHECK(refusal(*script, runs("make")).empty());
  CHECK(script->bounds(runs("make")));
  TempFolder none;
  Permissions mute({"found.lua", "/w/found.lua", "other", {}, false}, "/w", world.allowed, TrustStore(none / "trusted"),
                   [](const Question&) { return std::nullopt; });
  mute.declare(EffectKind::unboxed, "make");
  CHECK(refusal(mute, runs("make")).find("not permitted: unboxed=make") == 0);
  world.allowed.add(EffectKind::unboxed, "m*");
  CHECK_FALSE(world.script()->bounds(runs("make")));
}

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
