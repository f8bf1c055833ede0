#include "engine/base/text.h"
#include "engine/guard/question.h"
#include "tests/support/catch.h"

using namespace reg;

TEST_CASE("question: names from the script cannot change how a question looks") {
  CHECK(one_line("a\nb\033[2Jc") == "a\\nb" + printable("\033[2J") + "c");
  CHECK(one_line("a\u202egpj.exe") == "a\\u{202e}gpj.exe");
  CHECK(one_line(std::string(5000, 'x')).size() < 400);
  CHECK(describe(EffectKind::process, "sh").find("any command") != std::string::npos);
  CHECK(describe(EffectKind::unboxed, "/usr/bin/docker").find("as root") != std::string::npos);
  CHECK(describe(EffectKind::process, "/usr/bin/docker", false).find("as root") != std::string::npos);
  CHECK(describe(EffectKind::process, "LD_PRELOAD=").find("LD_PRELOAD") != std::string::npos);
}

TEST_CASE("question: the worst comes first, long lists are folded, and letters that look like others are escaped") {
  Patterns permits;
  for (int i = 0; i < 200; ++i) permits.add(EffectKind::files, "out/" + std::to_string(i));
  permits.add(EffectKind::files, "/etc/*");
  for (const char* program : {"bench", "s*", "m\u0430ke", "LD_PRELOAD=", "FAST="})
    permits.add(EffectKind::process, program);
  permits.add(EffectKind::git, "h*");
  const Question question = question_about({"a.lua", "/w/a.lua", "", {}, false}, {"part\n.lua"}, permits, "/w");
  std::vector<std::string> dangers, others;
  for (const Question::Line& line : question.lines) (line.danger ? dangers : others).push_back(line.text);
  CHECK(question.lines.front().danger);
  CHECK(dangers == std::vector<std::string>{
                       "run any command in the sandbox (through s*)",
                       "set the variable LD_PRELOAD of its commands, which can make them run any other command",
                       "read, write and delete /etc/*"});
  CHECK(others == std::vector<std::string>{
                      "run the program bench in the sandbox",
                      "run the program m\\u{430}ke in the sandbox",
                      "set the variable FAST of its commands",
                      "clone and fetch any repository (h*), and check out commits in the worktrees below this folder",
                      "read, write and delete out/0",
                      "read, write and delete out/1",
                      "read, write and delete out/2",
                      "... and 197 more of files",
                  });
  CHECK(question.all.size() == 207);
  CHECK(question.text().ends_with("It loads part\\u{a}.lua.\n"));
  for (const char* program : {"sh", "/bin/bash", "python3.12", "*", "ba*", "pyth*", "./env", "sudo", "lua5.4",
                              "./bench", "/usr/bi*", "gcc", "gcc-12", "ksh", "curl"})
    CHECK(is_dangerous(EffectKind::process, program));
  for (const char* program : {"bench", "show", "mybash", "shfmt"})
    CHECK_FALSE(is_dangerous(EffectKind::process, program));
}

TEST_CASE("question: it says what the sandbox holds, and what leads out of it") {
  const auto ask = [](EffectKind kind, const std::string& pattern, const SandboxSupport& sandbox) {
    Patterns permits;
    permits.add(kind, pattern);
    return question_about({"a.lua", "/w/a.lua", "", {}, false}, {}, permits, "/w", sandbox).text();
  };
  const std::string head = "a.lua is not trusted yet. In the folder /w it asks for permission to:\n";
  const std::string tail =
      "In the sandbox, programs can change this folder and use the network and the GPUs.\n"
      "They cannot read your other files.\n";
  CHECK(ask(EffectKind::process, "bench", {}) == head + "  - run the program bench in the sandbox\n" + tail);
  CHECK(ask(EffectKind::process, "make", {"", {"become root through docker (/run/docker.sock)"}, "/home/ann"}) ==
        head + "  ! run any command in the sandbox (through make)\n" +
            "  ! programs in the sandbox can become root through docker (/run/docker.sock)\n" + tail);
  CHECK(ask(EffectKind::process, "bench", {"", {}, "/w/ann"}) ==
        head + "  ! programs in the sandbox can read and change your home, which lies in this folder\n" +
            "  - run the program bench in the sandbox\n" + tail);
  CHECK(ask(EffectKind::process, "make", {"this kernel has no Landlock", {"become root"}, "/w"}) ==
        head + "  ! run any command with all your rights (through make)\n" +
            "Programs run outside a sandbox: this kernel has no Landlock.\n");
  const std::string unboxed = head + "  ! run the program bench with all your rights\n";
  CHECK(ask(EffectKind::unboxed, "bench", {"", {"become root"}, "/w"}) == unboxed);
  const std::string outside = "Repositories outside this folder are only read: ";
  for (const auto& [kind, pattern] :
       {std::pair{EffectKind::container, "*"}, {EffectKind::git, "https://x/*"}, {EffectKind::git, "submodules"}})
    CHECK(ask(kind, pattern, {}).find(outside) == std::string::npos);
  CHECK(ask(EffectKind::git, "/src/xla", {}) == head + "  - read /src/xla and check out its commits in worktrees\n" +
                                                    outside + "worktrees and what it fetches stay in this folder.\n");
  CHECK(ask(EffectKind::process, "FAST=", {"", {"become root"}, "/w"}) ==
        head + "  - set the variable FAST of its commands\n");
}

TEST_CASE("question: scripts that the user trusts, where this one could change them") {
  const auto says = [](EffectKind kind, const std::string& pattern, const std::string& trusted) {
    Patterns permits;
    permits.add(kind, pattern);
    const Question question = question_about({"a.lua", "/w/a.lua", "", {}, false}, {}, permits, "/w", {}, {trusted});
    const std::string what = "change scripts in this folder that you trust, which do anything: ";
    const std::string text = question.text();
    const auto at = text.find("  ! " + what);
    return at == std::string::npos ? "" : text.substr(at + 4 + what.size(), text.find('\n', at) - at - 4 - what.size());
  };
  CHECK(says(EffectKind::process, "make", "/w/own.lua") == "own.lua");
  CHECK(says(EffectKind::unboxed, "ncu", "/w/sub") == "sub");
  CHECK(says(EffectKind::container, "busybox", "/w/own.lua") == "own.lua");
  CHECK(says(EffectKind::files, "*", "/w/own.lua") == "own.lua");
  CHECK(says(EffectKind::files, "out/*", "/w") == "any script");
  CHECK(says(EffectKind::process, "make", "/") == "any script");
  CHECK(says(EffectKind::files, "out/*", "/w/own.lua").empty());
  CHECK(says(EffectKind::files, "/data/*:ro", "/w").empty());
  CHECK(says(EffectKind::process, "FAST=", "/w/own.lua").empty());
  CHECK(says(EffectKind::process, "make", "/elsewhere/own.lua").empty());
  CHECK(says(EffectKind::process, "make", "/w2/own.lua").empty());
}
