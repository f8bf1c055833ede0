#include "engine/base/text.h"
#include "engine/guard/describe.h"
#include "engine/guard/question.h"
#include "tests/support/catch.h"

using namespace reg;

TEST_CASE("question: names from the script cannot change how a question looks") {
  CHECK(one_line("a\nb\033[2Jc") == "a\\nb" + printable("\033[2J") + "c");
  CHECK(one_line("a\u202egpj.exe") == "a\\u{202e}gpj.exe");
  CHECK(one_line(std::string(5000, 'x')).size() < 400);
  CHECK(describe(EffectKind::process, "sh").find("any command") != std::string::npos);
  CHECK(describe(EffectKind::process, "/usr/bin/docker").find("as root") != std::string::npos);
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
                       "run any command with all your rights (through s*)",
                       "set the variable LD_PRELOAD of its commands, which can make them run any other command",
                       "read, write and delete /etc/*"});
  CHECK(others == std::vector<std::string>{
                      "run the program bench with all your rights",
                      "run the program m\\u{430}ke with all your rights",
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
