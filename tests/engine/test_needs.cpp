#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/container/checks.h"
#include "engine/cuda/nvrtc.h"
#include "engine/git/needs.h"
#include "engine/process/command.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

// What each primitive says it needs: the names that patterns are held against.

using namespace reg;
using reg::test::TempFolder;
using Names = std::vector<std::string>;

namespace {

Need program(const process::Command& command) { return process::effect_of(command).needs.at(0); }

bool knows(const Need& need, const std::string& name) {
  return std::find(need.names.begin(), need.names.end(), name) != need.names.end();
}

void make_program(const std::string& path) {
  write_file(path, "#!/bin/sh\n");
  REQUIRE(chmod(path.c_str(), 0755) == 0);
}

process::Command command(Names argv, std::map<std::string, std::string> env = {}, const std::string& cwd = "") {
  process::Command made;
  made.argv = std::move(argv);
  made.env = std::move(env);
  made.cwd = cwd;
  return made;
}

bool is_usage(const std::string& url) {
  try {
    git::check_url(url);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::usage;
  }
  return false;
}

}  // namespace

TEST_CASE("needs of a command: a program is known by its name only where the user's PATH leads to it") {
  const TempFolder folder;
  make_program(folder / "true");
  CHECK(knows(program(command({"true"})), "true"));
  CHECK(knows(program(command({"/bin/sh", "-c", ":"})), "sh"));
  CHECK_FALSE(knows(program(command({folder / "true"})), "true"));
  CHECK(program(command({"./true"}, {}, folder / "")).names == Names{folder / "true"});
  CHECK(program(command({"true"}, {{"PATH", folder / ""}})).names.front().starts_with("/"));
  CHECK_FALSE(knows(program(command({"true"}, {{"PATH", folder / ""}})), "true"));
  CHECK(program(command({"no-such-program"})).names == Names{"no-such-program"});
}

TEST_CASE("needs of a command: in '.' of the user's PATH no program is looked for") {
  const TempFolder folder;
  make_program(folder / "true");
  const std::string before = std::getenv("PATH");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  setenv("PATH", (".:" + before).c_str(), 1);
  const Need need = program(command({"true"}));
  setenv("PATH", before.c_str(), 1);
  std::filesystem::current_path(here);
  CHECK(knows(need, "true"));
  CHECK_FALSE(knows(need, folder / "true"));
}

TEST_CASE("needs of a command: variables, and files that output goes to") {
  process::Command made = command({"true"}, {{"LD_AUDIT", "x"}, {"OMP_NUM_THREADS", "4"}, {"PYTHONPATH", "lib"}});
  made.out_file = "out";
  const Effect effect = process::effect_of(made);
  REQUIRE(effect.needs.size() == 5);
  CHECK(effect.needs[1].names.front() == "LD_AUDIT=");
  CHECK(effect.needs[2].names.front() == "OMP_NUM_THREADS=");
  CHECK(effect.needs[3].names.front() == "PYTHONPATH=");
  CHECK(effect.needs[4].kind == EffectKind::files);
  CHECK(effect.needs[4].names.front() == real_path("out"));
}

TEST_CASE("needs of a container: an image is known in full and in short, with and without its tag") {
  CHECK(container::need_of_image("busybox").names ==
        Names{"busybox", "busybox", "docker.io/library/busybox:latest", "docker.io/library/busybox"});
  const Need jax = container::need_of_image("ghcr.io/nvidia/jax:jax-2024-03-01");
  CHECK(jax.names ==
        Names{"ghcr.io/nvidia/jax:jax-2024-03-01", "ghcr.io/nvidia/jax:jax-2024-03-01", "ghcr.io/nvidia/jax"});
  CHECK(knows(container::need_of_image("127.0.0.1:5000/a/b:1"), "127.0.0.1:5000/a/b"));
  const std::string digest = "@sha256:" + std::string(64, 'a');
  CHECK(knows(container::need_of_image("a/b" + digest), "docker.io/a/b" + digest));
}

TEST_CASE("needs of a container: mounts, the host's network and output") {
  container::Spec spec;
  spec.image = "busybox";
  spec.mounts = {{"/data", "/data", true}, {"/scratch", "/scratch", false}};
  spec.network = "host";
  spec.out_file = "/x/out";
  const auto needs = container::needs_of(spec);
  REQUIRE(needs.size() == 5);
  CHECK_FALSE(needs[1].changes);
  CHECK(needs[1].free_inside);
  CHECK(needs[2].changes);
  CHECK(needs[3].to_the_letter);
  CHECK(needs[4].names == Names{"/x/out"});
}

TEST_CASE("needs of a container: rights over the machine are only the user's to give") {
  container::Spec spec;
  spec.image = "busybox";
  spec.ipc = "host";
  spec.devices = {"/dev/fuse"};
  spec.cap_add = {"SYS_ADMIN"};
  const auto needs = container::needs_of(spec);
  REQUIRE(needs.size() == 4);
  CHECK(needs[1].names == Names{"ipc=host"});
  CHECK(needs[2].names == Names{"device=/dev/fuse"});
  CHECK(needs[3].names == Names{"cap-add=SYS_ADMIN"});
  for (std::size_t i = 1; i < needs.size(); ++i) CHECK((needs[i].only_user && needs[i].to_the_letter));
  spec.ipc = "private";
  CHECK(container::needs_of(spec).size() == 3);
}

TEST_CASE("needs of the CUDA compiler: options that name files, and those that do not") {
  const auto count = [](const Names& options) { return cuda::needs_to_compile(options).size(); };
  CHECK(count({}) == 1);
  CHECK(count({"--gpu-architecture=sm_80", "-std=c++17", "-DN=../x", "--use_fast_math", "-lineinfo"}) == 1);
  CHECK(count({"--create-pch=x", "--time=x", "-Ix", "--include-path=x", "--pre-include", "x"}) == 6);
  CHECK_FALSE(cuda::needs_to_compile({"-Ix"}).at(1).changes);
}

TEST_CASE("needs of git: addresses that git would not simply speak to are refused") {
  for (const char* url :
       {"-x", "--upload-pack=x", "ext::sh -c x", "fd::3", "foo+bar::x", "https://h/a/../b", "https://h/%2e%2E/b",
        "https://h/a/..", "git@h:../b", "https://h/a\\..\\b", "https://h/\nb", ""})
    CHECK(is_usage(url));
  for (const char* url : {"https://github.com/jax-ml/jax", "git@github.com:jax-ml/jax.git", "ssh://h:22/x", "../beside",
                          "/src/xla", "https://h/a..b", "C::x/y"})
    CHECK(is_usage(url) == (std::string(url) == "C::x/y"));
  CHECK(git::need_of_url("https://h/x").names == Names{"https://h/x"});
  CHECK(git::need_of_url("file:///src/../srv/xla").names == Names{"/srv/xla"});
  CHECK(git::need_of_url("../beside").names == Names{real_path("../beside")});
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
