#include "engine/guard/effect.h"
#include "tests/support/unit.h"

namespace {

Need files(const std::string& path, bool changes = true) { return {EffectKind::files, {path}, changes}; }

bool covers(EffectKind kind, const std::string& pattern, const Need& need) {
  Patterns patterns;
  patterns.add(kind, pattern);
  return patterns.cover(need, "/w");
}

}  // namespace

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
    for (const std::string& path : matched) CHECK(matches(pattern, path, true));
    for (const std::string& path : others) CHECK_FALSE(matches(pattern, path, true));
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
