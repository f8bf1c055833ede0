#include <nlohmann/json.hpp>

#include "engine/base/time.h"
#include "engine/guard/permissions.h"
#include "engine/guard/policy.h"
#include "tests/support/unit.h"

namespace {

Effect process(const std::string& name, bool changes = true) {
  return {EffectKind::process, name, {{EffectKind::process, {name}}}, changes};
}

Need files(const std::string& path, bool changes = true) { return {EffectKind::files, {path}, changes}; }

bool covers(EffectKind kind, const std::string& pattern, const Need& need) {
  Patterns patterns;
  patterns.add(kind, pattern);
  return patterns.cover(need, "/w");
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
  Strings seen;
  for (const auto line : lines(text)) {
    const auto entry = nlohmann::json::parse(line);
    const std::string verdict = entry["verdict"];
    seen.push_back(verdict + " " + entry["kind"].get<std::string>());
    CHECK(parse_time(entry["time"].get<std::string>()));
    CHECK(entry.contains("by") == (verdict == "run"));
  }
  CHECK(seen == Strings{"run process", "refused git", "recorded files"});
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

TEST_CASE("patterns: '*' matches any characters, and everything else is literal; in a path not a leading dot") {
  struct Row {
    std::string pattern;
    Strings matched, others;
  };
  for (const auto& [pattern, matched, others] : std::vector<Row>{
           {"make", {"make"}, {"cmake", "make2"}},
           {"*", {"", "a/b"}, {}},
           {"ghcr.io/nvidia/*",
            {"ghcr.io/nvidia/jax:jax-2024-03-01"},
            {"ghcr.io/nvidia.evil/jax", "evil/ghcr.io/nvidia/jax"}},
           {"a*b*c", {"a--b--b--c"}, {"a--c--b"}},
           {"a.c", {}, {"abc"}},
           {"[a]", {}, {"a"}},
           {std::string(2000, '*') + "x", {std::string(2000, 'a') + "x"}, {std::string(2000, 'a')}}}) {  // quickly
    for (const std::string& text : matched) CHECK(matches(pattern, text));
    for (const std::string& text : others) CHECK_FALSE(matches(pattern, text));
  }
  for (const auto& [pattern, matched, others] : std::vector<Row>{{"*", {"a/b.txt"}, {".git/config", "a/.git/config"}},
                                                                 {"*config", {}, {"a/.git/config"}},
                                                                 {"*.git/config", {}, {".git/config"}},
                                                                 {"a/*.ssh/id", {}, {"a/.ssh/id"}},
                                                                 {".github/*", {".github/workflows/ci.yml"}, {}},
                                                                 {"*/.git/config", {"a/.git/config"}, {}}}) {
    for (const std::string& path : matched) CHECK(path_matches(pattern, path));
    for (const std::string& path : others) CHECK_FALSE(path_matches(pattern, path));
  }
}

TEST_CASE(
    "patterns: a path outside the workspace only by a pattern from the root, and read-only patterns only for reading") {
  constexpr auto kFiles = EffectKind::files;
  CHECK(covers(kFiles, "*", files("/w/out/x")));
  CHECK_FALSE(covers(kFiles, "*", files("/etc/passwd")));
  CHECK_FALSE(covers(kFiles, "/etc/*", files("/w/x")));
  for (const char* path : {"/data/a", "/data"}) CHECK(covers(kFiles, "/data/*", files(path)));
  CHECK_FALSE(covers(kFiles, "/data/*", files("/database")));
  CHECK(covers(kFiles, "./out/*", files("/w/out")));
  CHECK(covers(kFiles, "/data/*:ro", files("/data/a", false)));
  CHECK_FALSE(covers(kFiles, "/data/*:ro", files("/data/a", true)));
  CHECK_FALSE(covers(kFiles, "out/*", files("/w-other/out/x")));
  CHECK_FALSE(covers(EffectKind::process, "*", files("/w/out/x")));
  // What is too much for '*' is permitted to the letter.
  const Need host{EffectKind::container, {"network=host"}, true, false, true};
  for (const char* pattern : {"*", "network=*"}) CHECK_FALSE(covers(EffectKind::container, pattern, host));
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
  CHECK_THROWS_AS(again.permit(process("gcc"), true), Error);
  Permissions edited = world.script("edited");
  CHECK_THROWS_AS(edited.permit(process("make"), true), Error);
}

TEST_CASE("typed: permits everything, and loads only what is the user's own") {
  Typed typed;
  CHECK(typed.permit(process("make"), true) == "its user");
  typed.join("own.lua", "own", true);
  CHECK(kind_of([&] { typed.join("one.lua", "one", false); }) == ErrorKind::permission);
  CHECK(typed.permit(process("make"), true) == "its user");
}

TEST_CASE("permissions: a shipped script that was given files asks about them, with a decision for each") {
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
  REQUIRE(world.person.heard.size() == 2);
  CHECK(world.person.heard[0].text().starts_with("one.lua "));
}
