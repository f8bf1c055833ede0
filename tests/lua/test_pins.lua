-- The pins that files of well-known projects have, of commits and versions of their dependencies: what reg.bisect says
-- of a commit that bumps all of them.

local test = require "harness"
local real_git = require "real_git"

local A <const>, B <const> = "76da730179313b3bebad6dea6861768421b7358c", "0b0c1f4e2d6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c"
local SHA256 <const> = ("e3b0c44298fc1c14"):rep(4)
local MD5 <const> = ("d41d8cd98f00b204"):rep(2)
-- What the old commit has in their places, and in those of numbers that are not pins.
local OLD <const> = { [A] = ("1a"):rep(20), [B] = ("2b"):rep(20), [A:sub(1, 12)] = ("1a"):rep(6),
  ["0.31.0"] = "0.30.0", ["20240116.2"] = "20230802.0", ["2.1.0"] = "2.0.0", ["0.4.30"] = "0.4.29",
  ["v2.4.0"] = "v2.3.0", ["3.0.0"] = "2.3.1", [SHA256] = SHA256:reverse(), [MD5] = MD5:reverse(),
  [("0"):rep(40)] = ("1"):rep(40), ["0.0.1"] = "0.0.0", ["0.4.36"] = "0.4.35", ["12.4.1"] = "12.4.0",
  ["20240301120000"] = "20240201120000", ["4466554400ab"] = "4a66554400ab" }

-- Files of the new commit, with the pins in each: name, value, line, URL and Bazel's option, "-" where it is not known,
-- and "!" where an archive's checksum would not fit another text. %A, %B and %S stand for the values above.
local FILES <const> = {
  ["third_party/xla/workspace.bzl"] = { [[
load("//third_party:repo.bzl", "tf_http_archive", "tf_mirror_urls")
# a) update XLA_COMMIT to the new git commit hash, as XLA_COMMIT = "0000000000000000000000000000000000000000"
XLA_COMMIT = "%A"
XLA_SHA256 = "%S"
def repo():
    tf_http_archive(
        name = "xla",
        sha256 = XLA_SHA256,
        strip_prefix = "xla-{commit}".format(commit = XLA_COMMIT),
        urls = tf_mirror_urls("https://github.com/openxla/xla/archive/{commit}.tar.gz".format(commit = XLA_COMMIT)),
    )
    # local_repository(
    #    name = "xla",
    #    path = "/path/to/xla",
    #    )
]], "xla %A 3 https://github.com/openxla/xla --override_repository=xla !" },
  ["third_party/llvm/workspace.bzl"] = { [[
def repo(name):
    """Imports LLVM."""
    LLVM_COMMIT = "%A"
    tf_http_archive(
        name = name,
        sha256 = "%S",
        strip_prefix = "llvm-project-{commit}".format(commit = LLVM_COMMIT),
        urls = [
            "https://storage.googleapis.com/mirror.tensorflow.org/github.com/llvm/llvm-project/archive/{c}.zip".format(
                c = LLVM_COMMIT),
            "https://github.com/llvm/llvm-project/archive/{commit}.tar.gz".format(commit = LLVM_COMMIT),
        ],
    )
]], "llvm %A 3 https://github.com/llvm/llvm-project - !" },
  -- archives by their address, repositories by their commit
  WORKSPACE = { [[
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
http_archive(
    name = "com_google_absl",
    sha256 = "%S",
    strip_prefix = "abseil-cpp-%A",
    urls = ["https://github.com/abseil/abseil-cpp/archive/%A.tar.gz"],
)
git_repository(
    name = "highway",
    commit = "%B",
    remote = "https://github.com/google/highway.git",
)
http_archive(
    name = "rules_python",
    sha256 = "%S",
    strip_prefix = "rules_python-0.31.0",
    url = "https://github.com/bazelbuild/rules_python/archive/refs/tags/0.31.0.tar.gz",
)
]], "com_google_absl %A 5 https://github.com/abseil/abseil-cpp --override_repository=com_google_absl !",
    "highway %B 10 https://github.com/google/highway --override_repository=highway",
    "rules_python 0.31.0 17 https://github.com/bazelbuild/rules_python --override_repository=rules_python !" },
  -- overrides and versions of modules
  ["MODULE.bazel"] = { [[
module(name = "jax", version = "0.4.36")
bazel_dep(name = "abseil-cpp", version = "20240116.2")
bazel_dep(name = "rules_xla")
git_override(
    module_name = "rules_xla",
    commit = "%A",  # from today
    remote = "https://github.com/openxla/rules_xla",
)
archive_override(
    module_name = "rules_cc",
    integrity = "sha256-abc",
    strip_prefix = "rules_cc-%B",
    urls = ["https://github.com/bazelbuild/rules_cc/archive/%B.zip"],
)
]], "abseil-cpp 20240116.2 2 - --override_module=abseil-cpp",
    "rules_xla %A 6 https://github.com/openxla/rules_xla --override_module=rules_xla",
    "rules_cc %B 12 https://github.com/bazelbuild/rules_cc --override_module=rules_cc !" },
  ["build/requirements_lock_3_12.txt"] = { [[
# This file is generated: numpy==0.0.1
numpy==2.1.0 \
    --hash=sha256:%S
jax[cuda12]==0.4.30 ; python_version >= "3.10"
Triton @ git+https://github.com/triton-lang/triton.git@%A
git+https://github.com/pytorch/xla@v2.4.0#egg=torch_xla
scipy>=1.9
]], "numpy 2.1.0 2 - -", "jax 0.4.30 4 - -", "triton %A 5 https://github.com/triton-lang/triton.git -",
    "torch_xla v2.4.0 6 https://github.com/pytorch/xla -" },
  ["ci/Dockerfile"] = { [[
FROM nvcr.io/nvidia/cuda:12.4.1@sha256:%S
ARG XLA_COMMIT=%A
ENV FLAX_REF="%B"
ARG TRITON_VERSION=3.0.0
ARG BASE=ubuntu
]], "xla %A 2 - -", "flax %B 3 - -", "triton 3.0.0 4 - -" },
  ["cmake/deps.cmake"] = { [[
FetchContent_Declare(
  googletest
  GIT_REPOSITORY https://github.com/google/googletest.git
  GIT_TAG        %A # release
)
]], "googletest %A 4 https://github.com/google/googletest -" },
  ["deps.yaml"] = { "xla:\n  url: https://github.com/openxla/xla\n  commit: " .. A:sub(1, 12) .. "\n",
    "xla " .. A:sub(1, 12) .. " 3 https://github.com/openxla/xla -" },
  ["deps.json"] = { '{ "triton_commit": "%A",\n  "built": "20240301120000" }\n', "triton %A 1 - -" },
  ["build.sh"] = { "git -C jax checkout main\nexport XLA_REV=%A\nMD5=" .. MD5
    .. "\nID=550e8400-e29b-41d4-a716-4466554400ab\n", "xla %A 2 - -" },
  -- files that hold nothing but a commit
  [".ci/docker/ci_commit_pins/triton.txt"] = { "%A\n", "triton %A 1 - -" },
  XLA_COMMIT = { "%A", "xla %A 1 - -" },
  ["third_party/xla/commit"] = { "%A", "xla %A 1 - -" },
  ["notes.txt"] = { "no commit here, only 3.0.0 words and %S\n" },
}

local function filled(text) return (text:gsub("%%([ABS])", { A = A, B = B, S = SHA256 })) end

-- The text before the bump, which also has another package.
local function older(text)
  return (text:gsub("%x+", OLD):gsub("%f[%w]v?%d+[%d.]*%d", OLD):gsub("scipy>=", "gone==1.0\nscipy>="))
end

test("a commit that bumps pins of all kinds", function()
  real_git.new_repo "repo"
  local commits = {}
  for i, edit in ipairs { older, function(text) return text end } do
    for path, file in pairs(FILES) do
      reg.fs.mkdir("repo/" .. (path:match "^(.*)/" or "."))
      reg.fs.write("repo/" .. path, edit(filled(file[1])))
    end
    commits[i] = real_git.commit("repo", "count", tostring(i), 1709287200 + i)
  end
  local repo = reg.git.open "repo"
  for i, id in ipairs(commits) do commits[i] = repo:resolve(id) end
  local series = reg.bisect(commits, { into = "pins.db", repo = repo,
    measure = function(commit) return commit.id == commits[1].id and 1 or 2 end })
  local found = {}
  for _, pin in ipairs(series.changes[1].pins) do
    found[pin.path] = found[pin.path] or {}
    test.equal(pin.old, OLD[pin.new], pin.name)
    if pin.name == "llvm" then test.equal(pin.aliases[#pin.aliases], "llvm-project") end
    table.insert(found[pin.path], string.format("%s %s %d %s %s%s", pin.name, pin.new, pin.line, pin.url or "-",
      pin.bazel or "-", pin.checksum and " !" or ""))
  end
  for path, file in pairs(FILES) do
    test.equal(table.concat(found[path] or {}, "\n"), filled(table.concat(file, "\n", 2)), path)
  end
end)

return test.finish()
