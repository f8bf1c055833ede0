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
  std::string workspace = "/w";

  std::vector<std::string> options;

  Permissions script(const std::string& text = "text", const Patterns& allowed = {}) {
    return {ForeignScript{"found.lua", "/w/found.lua", sha256(text), options, false}, workspace, allowed,
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

TEST_CASE("patterns: a program of the workspace is not the one of its name in PATH") {
  const Need own{EffectKind::process, {"/w/make"}};
  CHECK_FALSE(covers(EffectKind::process, "make", own));
  CHECK(covers(EffectKind::process, "./make", own));
  CHECK(covers(EffectKind::process, "*", own));
  CHECK(covers(EffectKind::process, "make", {EffectKind::process, {"make", "/usr/bin/make"}}));
}

TEST_CASE("patterns: what is too much for '*' is permitted to the letter") {
  const Need host{EffectKind::container, {"network=host"}, true, false, true};
  CHECK_FALSE(covers(EffectKind::container, "*", host));
  CHECK_FALSE(covers(EffectKind::container, "network=*", host));
  CHECK(covers(EffectKind::container, "network=host", host));
}

TEST_CASE("patterns: an empty pattern or one with control characters is refused") {
  Patterns patterns;
  CHECK(kind_of([&] { patterns.add(EffectKind::files, ""); }) == ErrorKind::usage);
  CHECK(kind_of([&] { patterns.add(EffectKind::files, std::string("a\0b", 3)); }) == ErrorKind::usage);
  CHECK(kind_of([&] { patterns.add(EffectKind::git, "a\033[2J"); }) == ErrorKind::usage);
}

TEST_CASE("permissions: free effects are not asked for") {
  World world;
  Permissions permissions = world.script();
  CHECK(permissions.permit({EffectKind::gpu, "look", {}}, true) == "free");
  CHECK(permissions.permit({EffectKind::files, "read", {{EffectKind::files, {"/w/a"}, false, true}}}, true) == "free");
  CHECK(!refusal(permissions, {EffectKind::files, "read", {{EffectKind::files, {"/w2/a"}, false, true}}}).empty());
  CHECK(!refusal(permissions, {EffectKind::files, "write", {files("/w/a")}}).empty());
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

TEST_CASE("permissions: after no, all declared needs are refused without another question") {
  World world;
  world.person.answers = {Answer::no, Answer::yes};
  Permissions permissions = world.script();
  permissions.declare(EffectKind::process, "*");
  CHECK(refusal(permissions, process("make")).find("you answered no") != std::string::npos);
  CHECK(refusal(permissions, process("gcc")).find("you answered no") != std::string::npos);
  CHECK(world.person.heard.size() == 1);
}

TEST_CASE("permissions: what is not declared is refused without a question") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes};
  Permissions permissions = world.script();
  permissions.declare(EffectKind::process, "date");
  CHECK(!refusal(permissions, process("sh")).empty());
  CHECK(world.person.heard.empty());
  CHECK(refusal(permissions, process("date")).empty());
  CHECK(!refusal(permissions, process("sh")).empty());  // a yes covers what was shown
  CHECK(!refusal(permissions, {EffectKind::files, "write", {files("/w/x")}}).empty());
  permissions.declare(EffectKind::process, "sh");
  CHECK(refusal(permissions, process("sh")).find("declared after you had been asked") != std::string::npos);
  CHECK(world.person.heard.size() == 1);
}

TEST_CASE("permissions: an answer holds in its folder, for its options and for its text") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes, Answer::yes, Answer::yes};
  const auto asked = [&](const std::string& text = "text") {
    const std::size_t before = world.person.heard.size();
    Permissions permissions = world.script(text);
    permissions.declare(EffectKind::process, "make");
    CHECK(refusal(permissions, process("make")).empty());
    return world.person.heard.size() > before;
  };
  CHECK(asked());
  CHECK_FALSE(asked());
  world.workspace = "/v";
  CHECK(asked());
  world.options = {"--to", "2024-03-01"};
  CHECK(asked());
  CHECK(world.person.heard.back().text().find("Its options: --to 2024-03-01\n") != std::string::npos);
  CHECK(asked("edited"));
  world.workspace = "/w";
  world.options = {};
  CHECK_FALSE(asked());
}

TEST_CASE("permissions: variables are declared like programs; who may run anything may set most of them") {
  const auto sets = [](const std::string& name) {
    return Effect{EffectKind::process, "run", {{EffectKind::process, {name + "="}}}};
  };
  const auto refused = [&](const std::string& declared, const std::string& name) {
    World world;
    world.person.answers = {Answer::yes};
    Permissions permissions = world.script();
    permissions.declare(EffectKind::process, declared);
    return !refusal(permissions, sets(name)).empty();
  };
  CHECK(refused("bench", "FAST"));
  CHECK(refused("./bench", "FAST"));
  CHECK_FALSE(refused("/usr/bin/sh", "FAST"));
  CHECK_FALSE(refused("FAST=", "FAST"));
  CHECK_FALSE(refused("sh", "FAST"));
  CHECK(refused("sh", "LD_PRELOAD"));
  CHECK(refused("sh", "PYTHONPATH"));
  CHECK_FALSE(refused("LD_PRELOAD=", "LD_PRELOAD"));
}

TEST_CASE("permissions: hidden files and what the user trusts are in nobody's workspace") {
  World world;
  world.workspace = real_path(world.folder.path());
  world.person.answers = {Answer::yes};
  Permissions permissions = world.script();
  const auto reading = [&](const std::string& path) {
    return Effect{EffectKind::files, "read", {{EffectKind::files, {world.workspace + path}, false, true}}};
  };
  CHECK(refusal(permissions, reading("/a/b")).empty());
  CHECK(refusal(permissions, reading("/.regengine/tree/x")).empty());
  for (const char* path : {"/.ssh/id", "/a/.git/hooks/x", "/.regengine/../.netrc", "/.bashrc"})
    CHECK_FALSE(refusal(permissions, reading(path)).empty());
  World own;
  own.workspace = real_path(own.folder.path());
  own.person.answers = {Answer::yes};
  Permissions greedy = own.script();
  greedy.declare(EffectKind::files, "*");
  CHECK(refusal(greedy, {EffectKind::files, "write", {files(own.workspace + "/x/y")}}).find("is kept there") !=
        std::string::npos);  // the trust store of this test lies beside it
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
  Permissions permissions(ForeignScript{"suite.lua", "/w/suite.lua", sha256("text"), {}, true}, world.workspace, {},
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
      Permissions permissions(ForeignScript{"suite.lua", "/w/suite.lua", sha256("text"), {}, true}, world.workspace, {},
                              TrustStore(world.folder / "trusted"), world.person.ask());
      permissions.declare(EffectKind::process, "make");
      permissions.join(file, file, false);
      permissions.permit(process("make"), true);
    }
  }
  CHECK(world.person.heard.size() == 2);
}

TEST_CASE("permissions: modules are part of what was shown: by name and text, and before anything runs") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes, Answer::yes};
  const auto permitted = [&](const std::vector<std::pair<std::string, std::string>>& modules,
                             const std::string& late = "") {
    Permissions permissions = world.script();
    permissions.declare(EffectKind::process, "make");
    permissions.join("shipped", "three", true);
    for (const auto& [file, text] : modules) permissions.join(file, text, false);
    std::string why = refusal(permissions, process("make"));
    if (late.empty() || !why.empty()) return why;
    permissions.join(late, "late", false);
    return refusal(permissions, process("make"));
  };
  CHECK(permitted({{"one.lua", "one"}}).empty());
  CHECK(world.person.heard.back().text().find("It loads one.lua.") != std::string::npos);
  CHECK(permitted({{"one.lua", "one"}}).empty());
  CHECK(permitted({}).empty());
  CHECK(world.person.heard.size() == 1);
  CHECK(permitted({{"one.lua", "changed"}}).empty());
  CHECK(world.person.heard.size() == 2);
  CHECK(permitted({{"other.lua", "changed"}}).empty());  // the same text by another name
  CHECK(world.person.heard.size() == 3);
  CHECK(permitted({{"other.lua", "changed"}}, "late.lua").find("it loaded late.lua after you had permitted") !=
        std::string::npos);
  CHECK(world.person.heard.size() == 3);
}

TEST_CASE("permissions: what the engine created for the script is free, and nothing else") {
  World world;
  Permissions permissions = world.script();
  permissions.grant(EffectKind::files, "/w/x.db.out", true);
  CHECK(permissions.permit({EffectKind::files, "write", {files("/w/x.db.out/1/OUT")}}, true) == "free");
  CHECK(!refusal(permissions, {EffectKind::files, "write", {files("/w/x.db.outside")}}).empty());
  CHECK(!refusal(permissions, {EffectKind::process, "run", {{EffectKind::process, {"/w/x.db.out/evil"}}}}).empty());
}

TEST_CASE("permissions: a device is the user's alone to give: no declaration and no answer does") {
  World world;
  world.person.answers = {Answer::yes, Answer::yes};
  const Effect device{
      EffectKind::container, "docker run", {{EffectKind::container, {"device=/dev/x"}, true, false, true, true}}};
  Permissions permissions = world.script();
  permissions.declare(EffectKind::container, "device=/dev/x");
  permissions.declare(EffectKind::process, "make");
  permissions.permit(process("make"), true);
  REQUIRE(world.person.heard.size() == 1);
  CHECK(refusal(permissions, device).find("not permitted: container=device=/dev/x") == 0);
  CHECK(world.person.heard.size() == 1);

  Permissions typed = world.script();
  typed.grant(EffectKind::container, "device=/dev/y", true);
  CHECK_FALSE(refusal(typed, device).empty());
  typed.grant(EffectKind::container, "device=/dev/x", true);
  CHECK(refusal(typed, device).empty());

  Patterns allowed;
  allowed.add(EffectKind::container, "*");
  Permissions any = world.script("text", allowed);
  CHECK_FALSE(refusal(any, device).empty());
  allowed.add(EffectKind::container, "device=/dev/x");
  Permissions this_one = world.script("text", allowed);
  CHECK(refusal(this_one, device).empty());
}

TEST_CASE("permissions: each need of an effect must be permitted") {
  World world;
  Patterns allowed;
  allowed.add(EffectKind::container, "busybox");
  Permissions permissions = world.script("text", allowed);
  const Need image{EffectKind::container, {"busybox"}};
  CHECK(permissions.permit({EffectKind::container, "run", {image}}, true) == "--allow");
  CHECK(refusal(permissions, {EffectKind::container, "run", {image, files("/etc")}}).find("files=/etc") !=
        std::string::npos);
}
