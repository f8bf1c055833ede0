#include "engine/container/settings.h"
#include "engine/guard/effect.h"
#include "engine/guard/permissions.h"
#include "tests/support/unit.h"

namespace {

// What a script /w/a.lua that needs this one thing is asked about.
std::string asked(EffectKind kind, const std::string& pattern, const SandboxSupport& sandbox,
                  const Strings& trusted = {}) {
  Patterns permits;
  permits.add(kind, pattern);
  return question_about({"a.lua", "/w/a.lua", "", {}, false}, {}, permits, "/w", sandbox, trusted).text();
}

Bounds bounds_of(const std::string& pattern, const std::string& home = "", EffectKind kind = EffectKind::files) {
  Patterns patterns;
  patterns.add(kind, pattern);
  Bounds bounds;
  bounds.add(patterns, home, "");
  std::sort(bounds.read.begin(), bounds.read.end());
  return bounds;
}

}  // namespace

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
  Strings dangers, others;
  const std::string text = question.text();
  for (const std::string_view line : lines(text))
    if (line.starts_with("  ! ") || line.starts_with("  - "))
      (line[2] == '!' ? dangers : others).emplace_back(line.substr(4));
  CHECK(question.lines.front().danger);
  CHECK(dangers == Strings{"run any command in the sandbox (through s*)",
                           "set the variable LD_PRELOAD of its commands, which can make them run any other command",
                           "read, write and delete /etc/*"});
  CHECK(others == Strings{
                      "run the program bench in the sandbox",
                      "run the program m\\u{430}ke in the sandbox",
                      "set the variable FAST of its commands",
                      "clone and fetch any repository (h*), and check out commits in the worktrees below this folder",
                      "read, write and delete out/0",
                      "read, write and delete out/1",
                      "read, write and delete out/2",
                      "... and 197 more of files",
                  });
  CHECK(question.lines.size() == 207);
  CHECK(text.ends_with("It loads part\\u{a}.lua.\n"));
  for (const char* program : {"sh", "/bin/bash", "python3.12", "*", "ba*", "pyth*", "./env", "sudo", "lua5.4",
                              "./bench", "/usr/bi*", "gcc", "gcc-12", "ksh", "curl"})
    CHECK(is_dangerous(EffectKind::process, program));
  for (const char* program : {"bench", "show", "mybash", "shfmt"})
    CHECK_FALSE(is_dangerous(EffectKind::process, program));
}

TEST_CASE("question: it says what the sandbox holds, and what leads out of it") {
  const std::string head = "a.lua is not trusted yet. In the folder /w it asks for permission to:\n";
  const std::string tail =
      "In the sandbox, programs can change this folder and use the network and the GPUs.\n"
      "They cannot read your other files.\n";
  CHECK(asked(EffectKind::process, "bench", {}) == head + "  - run the program bench in the sandbox\n" + tail);
  CHECK(asked(EffectKind::process, "make", {"", {"become root through docker (/run/docker.sock)"}, "/home/ann"}) ==
        head + "  ! run any command in the sandbox (through make)\n" +
            "  ! programs in the sandbox can become root through docker (/run/docker.sock)\n" + tail);
  CHECK(asked(EffectKind::process, "bench", {"", {}, "/w/ann"}) ==
        head + "  ! programs in the sandbox can read and change your home, which lies in this folder\n" +
            "  - run the program bench in the sandbox\n" + tail);
  CHECK(asked(EffectKind::process, "make", {"this kernel has no Landlock", {"become root"}, "/w"}) ==
        head + "  ! run any command with all your rights (through make)\n" +
            "Programs run outside a sandbox: this kernel has no Landlock.\n");
  const std::string unboxed = head + "  ! run the program bench with all your rights\n";
  CHECK(asked(EffectKind::unboxed, "bench", {"", {"become root"}, "/w"}) == unboxed);
  const std::string outside = "Repositories outside this folder are only read: ";
  for (const auto& [kind, pattern] :
       {std::pair{EffectKind::container, "*"}, {EffectKind::git, "https://x/*"}, {EffectKind::git, "submodules"}})
    CHECK(asked(kind, pattern, {}).find(outside) == std::string::npos);
  CHECK(asked(EffectKind::git, "/src/xla", {}) == head + "  - read /src/xla and check out its commits in worktrees\n" +
                                                      outside + "worktrees and what it fetches stay in this folder.\n");
  CHECK(asked(EffectKind::process, "FAST=", {"", {"become root"}, "/w"}) ==
        head + "  - set the variable FAST of its commands\n");
}

TEST_CASE("question: scripts that the user trusts, where this one could change them") {
  const auto says = [](EffectKind kind, const std::string& pattern, const std::string& trusted) {
    const std::string what = "  ! change scripts in this folder that you trust, which do anything: ";
    const std::string text = asked(kind, pattern, {}, {trusted});
    for (const std::string_view line : lines(text))
      if (line.starts_with(what)) return std::string(line.substr(what.size()));
    return std::string();
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

TEST_CASE("needs of a container: an image is known in full and in short, with and without its tag") {
  const auto names = [](const std::string& image) { return container::need_of_image(image).names; };
  CHECK(names("busybox") ==
        Strings{"busybox", "busybox", "docker.io/library/busybox:latest", "docker.io/library/busybox"});
  const std::string jax = "ghcr.io/nvidia/jax:jax-2024-03-01", digest = "@sha256:" + std::string(64, 'a');
  CHECK(names(jax) == Strings{jax, jax, "ghcr.io/nvidia/jax"});
  CHECK(names("127.0.0.1:5000/a/b:1").back() == "127.0.0.1:5000/a/b");
  const Strings of_digest = names("a/b" + digest);
  CHECK(std::count(of_digest.begin(), of_digest.end(), "docker.io/a/b" + digest) == 1);
}

TEST_CASE("real paths: links are followed also to where nothing is yet, and a ring of them is an error") {
  namespace fs = std::filesystem;
  const TempFolder folder;
  fs::create_directory(folder / "outside");
  fs::create_directory(folder / "work");
  fs::create_symlink("../outside/new", folder / "work/dangling");
  fs::create_symlink("dangling", folder / "work/twice");
  fs::create_symlink("ring", folder / "work/ring");
  const std::string root = fs::canonical(folder / "");
  const auto below = [&](const std::string& path) { return (fs::path(root) / path).string(); };
  CHECK(real_path(folder / "work/dangling") == below("outside/new"));
  CHECK(real_path(folder / "work/twice") == below("outside/new"));
  CHECK(real_path(folder / "work/new/x") == below("work/new/x"));
  CHECK(real_path("/") == "/");
  CHECK_THROWS_AS(real_path(folder / "work/ring"), Error);
}

TEST_CASE("bounds: what a program reaches is what patterns of files permit, without the hidden files of the home") {
  const TempFolder folder;
  for (const char* file : {"data/a/x", "data/.hidden/x", "ann/.ssh/id", "ann/src/x", "run1/x", "run[1]/x"}) {
    make_folders(std::filesystem::path(folder / file).parent_path());
    write_file(folder / file, "");
  }
  CHECK(bounds_of("out/*").write.empty());  // in the workspace
  CHECK(bounds_of(folder / "data/*").write == Strings{folder / "data"});
  CHECK(bounds_of(folder / "data/*:ro").write.empty());
  CHECK(bounds_of(folder / "data/*:ro").read == Strings{folder / "data"});
  CHECK(bounds_of(folder / "run*:ro").read == Strings{folder / "run1", folder / "run[1]"});
  CHECK(bounds_of(folder / "run[1]:ro").read == Strings{folder / "run[1]"});
  CHECK(bounds_of(folder / "missing/*:ro").read.empty());
  const Bounds of_git = bounds_of(folder / "data", "", EffectKind::git);
  CHECK((of_git.read == Strings{folder / "data"} && of_git.write.empty()));
  const std::string home = folder / "ann";
  CHECK(bounds_of(home + "/*:ro", home).read == Strings{home + "/src"});
  CHECK(bounds_of(folder.path() + "/*:ro", home).read ==
        Strings{home + "/src", folder / "data", folder / "run1", folder / "run[1]"});
  CHECK(bounds_of(home + "/.ssh/*:ro", home).read == Strings{home + "/.ssh"});
}

TEST_CASE("bounds: a variable whose name says that it is a secret") {
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "SSHPASS", "MYSQL_PWD", "openai_api_key",
                           "GOOGLE_APPLICATION_CREDENTIALS", "GITHUB_PAT", "WANDB_API_KEY"})
    CHECK(names_secret(name));
  for (const char* name : {"PATH", "PWD", "OLDPWD", "TOKENIZERS_PARALLELISM", "XLA_FLAGS", "KEYBOARD", "CUDA_HOME"})
    CHECK_FALSE(names_secret(name));
}
