#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/guard/permissions.h"
#include "engine/guard/policy.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using reg::test::kind_of;
using reg::test::TempFolder;

namespace {

Effect process(const std::string& name, bool changes = true) {
  return {EffectKind::process, name, {{EffectKind::process, {name}}}, changes};
}

Need files(const std::string& path, bool changes = true) { return {EffectKind::files, {path}, changes}; }

bool covers(EffectKind kind, const std::string& pattern, const Need& need, const std::string& workspace = "/w") {
  Patterns patterns;
  patterns.add(kind, pattern);
  return patterns.cover(need, workspace);
}

/// A user who gives these answers in turn; records the questions.
struct Person {
  std::vector<Answer> answers;
  std::vector<Question> heard;

  Ask ask() {
    return [this](const Question& question) -> std::optional<Answer> {
      heard.push_back(question);
      if (heard.size() > answers.size()) return std::nullopt;
      return answers[heard.size() - 1];
    };
  }
};

struct World {
  TempFolder folder;
  Person person;
  Permissions script(const std::string& text = "text", const Patterns& allowed = {}) {
    return {ForeignScript{"found.lua", "/w/found.lua", sha256(text), {}, false}, "/w", allowed,
            TrustStore(folder / "trusted"), person.ask()};
  }
};

std::string refusal(Permissions& permissions, const Effect& effect) {
  try {
    permissions.permit(effect, true);
  } catch (const Error& error) {
    return std::string(error.what()) + "\n" + error.hint();
  }
  return "";
}

}  // namespace

TEST_CASE("guard: a dry run of an untrusted script never asks") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes};
  Guard guard(std::make_unique<Permissions>(world.script()));
  guard.start_dry_run();
  CHECK_FALSE(guard.admit(process("make")));
  CHECK(kind_of([&] { guard.admit(process("look", false)); }) == ErrorKind::permission);
  CHECK(world.person.heard.empty());
}

TEST_CASE("guard: the audit log has a line for every effect, also for a refused one, whatever its text") {
  class NoGit : public Policy {
   public:
    std::string permit(const Effect& effect, bool) override {
      if (effect.kind == EffectKind::git) throw Error(ErrorKind::permission, "no git");
      return "a test";
    }
  };
  const TempFolder folder;
  Guard guard(std::make_unique<NoGit>());
  guard.audit_to(folder / "audit");
  CHECK(guard.admit({EffectKind::process, "echo \"a\nb\" \xff", {}}));
  CHECK(kind_of([&] { guard.admit({EffectKind::git, "fetch", {}}); }) == ErrorKind::permission);
  guard.start_dry_run();
  CHECK_FALSE(guard.admit({EffectKind::files, "write x", {}}));

  const std::string text = read_file(folder / "audit");
  REQUIRE(lines(text).size() == 3);
  std::vector<std::string> verdicts, kinds;
  for (const auto line : lines(text)) {
    const auto entry = nlohmann::json::parse(line);
    verdicts.push_back(entry["verdict"]);
    kinds.push_back(entry["kind"]);
    CHECK(parse_time(entry["time"].get<std::string>()));
    CHECK(entry.contains("by") == (entry["verdict"] == "run"));
  }
  CHECK(verdicts == std::vector<std::string>{"run", "refused", "recorded"});
  CHECK(kinds == std::vector<std::string>{"process", "git", "files"});
}

TEST_CASE("guard: an effect whose audit line cannot be written is refused") {
  Guard guard(allow_all());
  CHECK(kind_of([&] { guard.audit_to("/no/such/folder/audit"); }) == ErrorKind::not_found);
  const TempFolder folder;
  make_folders(folder / "gone");
  guard.audit_to(folder / "gone/audit");
  std::filesystem::remove_all(folder / "gone");
  CHECK(kind_of([&] { guard.admit(process("true")); }) == ErrorKind::not_found);
}

TEST_CASE("patterns: '*' matches any characters, and everything else is literal") {
  CHECK(matches("make", "make"));
  CHECK_FALSE(matches("make", "cmake"));
  CHECK_FALSE(matches("make", "make2"));
  CHECK(matches("*", ""));
  CHECK(matches("*", "a/b"));
  CHECK(matches("ghcr.io/nvidia/*", "ghcr.io/nvidia/jax:jax-2024-03-01"));
  CHECK_FALSE(matches("ghcr.io/nvidia/*", "ghcr.io/nvidia.evil/jax"));
  CHECK_FALSE(matches("ghcr.io/nvidia/*", "evil/ghcr.io/nvidia/jax"));
  CHECK(matches("a*b*c", "a--b--b--c"));
  CHECK_FALSE(matches("a*b*c", "a--c--b"));
  CHECK_FALSE(matches("a.c", "abc"));
  CHECK_FALSE(matches("[a]", "a"));
  CHECK(matches(std::string(2000, '*') + "x", std::string(2000, 'a') + "x"));  // without exploding
  CHECK_FALSE(matches(std::string(2000, '*') + "x", std::string(2000, 'a')));
}

TEST_CASE("patterns: in a path '*' does not match a leading dot") {
  CHECK(path_matches("*", "a/b.txt"));
  CHECK_FALSE(path_matches("*", ".git/config"));
  CHECK_FALSE(path_matches("*", "a/.git/config"));
  CHECK_FALSE(path_matches("*config", "a/.git/config"));
  CHECK_FALSE(path_matches("*.git/config", ".git/config"));
  CHECK_FALSE(path_matches("a/*.ssh/id", "a/.ssh/id"));
  CHECK(path_matches(".github/*", ".github/workflows/ci.yml"));
  CHECK(path_matches("*/.git/config", "a/.git/config"));
}

TEST_CASE(
    "patterns: a path outside the workspace only by a pattern from the root, and read-only patterns only for reading") {
  CHECK(covers(EffectKind::files, "*", files("/w/out/x")));
  CHECK_FALSE(covers(EffectKind::files, "*", files("/etc/passwd")));
  CHECK_FALSE(covers(EffectKind::files, "/etc/*", files("/w/x")));
  CHECK(covers(EffectKind::files, "/data/*", files("/data/a")));
  CHECK(covers(EffectKind::files, "/data/*", files("/data")));
  CHECK_FALSE(covers(EffectKind::files, "/data/*", files("/database")));
  CHECK(covers(EffectKind::files, "./out/*", files("/w/out")));
  CHECK(covers(EffectKind::files, "/data/*:ro", files("/data/a", false)));
  CHECK_FALSE(covers(EffectKind::files, "/data/*:ro", files("/data/a", true)));
  CHECK_FALSE(covers(EffectKind::files, "out/*", files("/w-other/out/x")));
  CHECK_FALSE(covers(EffectKind::process, "*", files("/w/out/x")));
}

TEST_CASE("patterns: what is too much for '*' is permitted to the letter") {
  const Need host{EffectKind::container, {"network=host"}, true, false, true};
  CHECK_FALSE(covers(EffectKind::container, "*", host));
  CHECK_FALSE(covers(EffectKind::container, "network=*", host));
  CHECK(covers(EffectKind::container, "network=host", host));
}

TEST_CASE("permissions: declared needs are asked for once, before the first effect, and saved for that version") {
  World world;
  world.person.answers = {Answer::yes};
  {
    Permissions permissions = world.script();
    permissions.declare(EffectKind::process, "make");
    permissions.declare(EffectKind::gpu, "lock");
    CHECK(world.person.heard.empty());
    CHECK(permissions.permit(process("make"), true) == "an answer");
    CHECK(permissions.permit({EffectKind::gpu, "lock", {{EffectKind::gpu, {"lock"}}}}, true) == "an answer");
    REQUIRE(world.person.heard.size() == 1);
    CHECK(world.person.heard[0].text() ==
          "found.lua is not trusted yet. In the folder /w it asks for permission to:\n"
          "  ! run any command in the sandbox (through make)\n  - change the GPU clocks while it runs\n"
          "In the sandbox, programs can change this folder and use the network and the GPUs.\n"
          "They cannot read your other files.\n");
  }
  Permissions again = world.script();
  CHECK(again.permit(process("make"), true) == "an earlier answer");
  CHECK(!refusal(again, process("gcc")).empty());
  Permissions edited = world.script("edited");
  CHECK(!refusal(edited, process("make")).empty());
}

TEST_CASE("typed: permits everything, and loads only what is the user's own") {
  Typed typed;
  CHECK(typed.permit(process("make"), true) == "its user");
  typed.join("own.lua", "own", true);
  CHECK(kind_of([&] { typed.join("one.lua", "one", false); }) == ErrorKind::permission);
  CHECK(typed.permit(process("make"), true) == "its user");
}

TEST_CASE("permissions: the question is about the file that a shipped script was given") {
  World world;
  world.person.answers = {Answer::yes};
  Permissions permissions(ForeignScript{"suite.lua", "/w/suite.lua", sha256("text"), {}, true}, "/w", {},
                          TrustStore(world.folder / "trusted"), world.person.ask());
  permissions.declare(EffectKind::process, "make");
  permissions.join("mine.lua", "one", false);
  permissions.permit(process("make"), true);
  REQUIRE(world.person.heard.size() == 1);
  CHECK(world.person.heard[0].text().starts_with("mine.lua "));
}

TEST_CASE("permissions: a shipped script that loads two files has a decision for each") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes};
  for (int round = 0; round < 2; ++round) {
    for (const char* file : {"one.lua", "two.lua"}) {
      Permissions permissions(ForeignScript{"suite.lua", "/w/suite.lua", sha256("text"), {}, true}, "/w", {},
                              TrustStore(world.folder / "trusted"), world.person.ask());
      permissions.declare(EffectKind::process, "make");
      permissions.join(file, file, false);
      permissions.permit(process("make"), true);
    }
  }
  CHECK(world.person.heard.size() == 2);
}
