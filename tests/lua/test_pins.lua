-- The pins that files of well-known projects have: of commits and versions of their dependencies.

local test = require "harness"
local text = reg.private "lib/pins/text"

local A <const>, B <const> = "76da730179313b3bebad6dea6861768421b7358c", "0b0c1f4e2d6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c"
local SHA256 <const> = ("e3b0c44298fc1c14"):rep(4)

-- The pins as "name value line url bazel", "-" where it is not known; a checksum is a "!" at the end.
local function shown(pins)
  local list = {}
  for i, pin in ipairs(pins) do
    list[i] = string.format("%s %s %d %s %s%s", pin.name, pin.value or pin.old .. ".." .. pin.new, pin.line,
      pin.url or "-", pin.bazel or "-", pin.checksum and " !" or "")
  end
  return list
end

local function pins(path, content) return shown(text.pins(path, content)) end

local XLA_IN_JAX <const> = [[
# buildifier: disable=module-docstring
load("//third_party:repo.bzl", "tf_http_archive", "tf_mirror_urls")

# a) update XLA_COMMIT to the new git commit hash, as XLA_COMMIT = "0000000000000000000000000000000000000000"
XLA_COMMIT = "]] .. A .. [["
XLA_SHA256 = "]] .. SHA256 .. [["

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
]]

test("workspace.bzl of jax pins xla, of XLA tsl and llvm", function()
  test.equal(pins("third_party/xla/workspace.bzl", XLA_IN_JAX),
    { "xla " .. A .. " 5 https://github.com/openxla/xla --override_repository=xla !" })
  test.equal(pins("third_party/tsl/workspace.bzl", [[
"""TSL is a library."""

load("//third_party:repo.bzl", "tf_http_archive", "tf_mirror_urls")

def repo():
    TSL_COMMIT = "]] .. A .. [["
    TSL_SHA256 = "]] .. SHA256 .. [["

    tf_http_archive(
        name = "tsl",
        sha256 = TSL_SHA256,
        strip_prefix = "tsl-{commit}".format(commit = TSL_COMMIT),
        urls = tf_mirror_urls("https://github.com/google/tsl/archive/{commit}.tar.gz".format(commit = TSL_COMMIT)),
    )
]]), { "tsl " .. A .. " 6 https://github.com/google/tsl --override_repository=tsl !" })
  local llvm = text.pins("third_party/llvm/workspace.bzl", [[
def repo(name):
    """Imports LLVM."""
    LLVM_COMMIT = "]] .. A .. [["
    LLVM_SHA256 = "]] .. SHA256 .. [["

    tf_http_archive(
        name = name,
        sha256 = LLVM_SHA256,
        strip_prefix = "llvm-project-{commit}".format(commit = LLVM_COMMIT),
        urls = [
            "https://storage.googleapis.com/mirror.tensorflow.org/github.com/llvm/llvm-project/archive/{c}.zip".format(
                c = LLVM_COMMIT),
            "https://github.com/llvm/llvm-project/archive/{commit}.tar.gz".format(commit = LLVM_COMMIT),
        ],
    )
]])
  test.equal(shown(llvm), { "llvm " .. A .. " 3 https://github.com/llvm/llvm-project - !" })
  test.equal(llvm[1].aliases[#llvm[1].aliases], "llvm-project")
end)

test("WORKSPACE: archives by their address, repositories by their commit", function()
  test.equal(pins("WORKSPACE", [[
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
http_archive(
    name = "com_google_absl",
    sha256 = "]] .. SHA256 .. [[",
    strip_prefix = "abseil-cpp-]] .. A .. [[",
    urls = ["https://github.com/abseil/abseil-cpp/archive/]] .. A .. [[.tar.gz"],
)
git_repository(
    name = "highway",
    commit = "]] .. B .. [[",
    remote = "https://github.com/google/highway.git",
)
http_archive(
    name = "rules_python",
    sha256 = "]] .. SHA256 .. [[",
    strip_prefix = "rules_python-0.31.0",
    url = "https://github.com/bazelbuild/rules_python/archive/refs/tags/0.31.0.tar.gz",
)
]]), {
    "com_google_absl " .. A .. " 5 https://github.com/abseil/abseil-cpp --override_repository=com_google_absl !",
    "highway " .. B .. " 10 https://github.com/google/highway --override_repository=highway",
    "rules_python 0.31.0 17 https://github.com/bazelbuild/rules_python --override_repository=rules_python !",
  })
end)

test("MODULE.bazel: overrides and versions of modules", function()
  test.equal(pins("MODULE.bazel", [[
module(name = "jax", version = "0.4.36")
bazel_dep(name = "abseil-cpp", version = "20240116.2")
bazel_dep(name = "rules_xla")
git_override(
    module_name = "rules_xla",
    commit = "]] .. A .. [[",  # from today
    remote = "https://github.com/openxla/rules_xla",
)
archive_override(
    module_name = "rules_cc",
    integrity = "sha256-abc",
    strip_prefix = "rules_cc-]] .. B .. [[",
    urls = ["https://github.com/bazelbuild/rules_cc/archive/]] .. B .. [[.zip"],
)
]]), {
    "abseil-cpp 20240116.2 2 - --override_module=abseil-cpp",
    "rules_xla " .. A .. " 6 https://github.com/openxla/rules_xla --override_module=rules_xla",
    "rules_cc " .. B .. " 12 https://github.com/bazelbuild/rules_cc --override_module=rules_cc !",
  })
end)

test("requirements.txt: versions and commits", function()
  test.equal(pins("build/requirements_lock_3_12.txt", [[
# This file is generated: numpy==0.0.1
numpy==2.1.0 \
    --hash=sha256:]] .. SHA256 .. [[

jax[cuda12]==0.4.30 ; python_version >= "3.10"
Triton @ git+https://github.com/triton-lang/triton.git@]] .. A .. [[

git+https://github.com/pytorch/xla@v2.4.0#egg=torch_xla
scipy>=1.9
]]), {
    "numpy 2.1.0 2 - -", "jax 0.4.30 4 - -", "triton " .. A .. " 5 https://github.com/triton-lang/triton.git -",
    "torch_xla v2.4.0 6 https://github.com/pytorch/xla -",
  })
end)

test("a Dockerfile, CMake, YAML, JSON and a shell script", function()
  test.equal(pins("ci/Dockerfile", [[
FROM nvcr.io/nvidia/cuda:12.4.1@sha256:]] .. SHA256 .. [[

ARG XLA_COMMIT=]] .. A .. [[

ENV FLAX_REF="]] .. B .. [["
ARG TRITON_VERSION=3.0.0
ARG BASE=ubuntu
]]), { "xla " .. A .. " 2 - -", "flax " .. B .. " 3 - -", "triton 3.0.0 4 - -" })
  test.equal(pins("cmake/deps.cmake", [[
FetchContent_Declare(
  googletest
  GIT_REPOSITORY https://github.com/google/googletest.git
  GIT_TAG        ]] .. A .. [[ # release
)
]]), { "googletest " .. A .. " 4 https://github.com/google/googletest -" })
  test.equal(pins("deps.yaml", "xla:\n  url: https://github.com/openxla/xla\n  commit: " .. A:sub(1, 12) .. "\n"),
    { "xla " .. A:sub(1, 12) .. " 3 https://github.com/openxla/xla -" })
  test.equal(pins("deps.json", '{ "triton_commit": "' .. A .. '",\n  "built": "20240301120000" }\n'),
    { "triton " .. A .. " 1 - -" })
  test.equal(pins("build.sh", "git -C jax checkout main\nexport XLA_REV=" .. A .. "\nMD5=" .. ("d41d8cd98f00b204"):rep(2)
    .. "\nID=550e8400-e29b-41d4-a716-446655440000\n"), { "xla " .. A .. " 2 - -" })
end)

test("a file that holds nothing but a commit is called after what it pins", function()
  test.equal(pins(".ci/docker/ci_commit_pins/triton.txt", A .. "\n"), { "triton " .. A .. " 1 - -" })
  test.equal(pins("XLA_COMMIT", A), { "xla " .. A .. " 1 - -" })
  test.equal(pins("third_party/xla/commit", A), { "xla " .. A .. " 1 - -" })
  test.equal(pins("notes.txt", "no commit here\n"), {})
end)

test("only what differs has changed, whatever else did", function()
  local newer = XLA_IN_JAX:gsub(A, B):gsub(SHA256, SHA256:reverse()):gsub("# local_repository%(", "# was:\n%0")
  test.equal(shown(text.changed("third_party/xla/workspace.bzl", XLA_IN_JAX, newer)),
    { "xla " .. A .. ".." .. B .. " 5 https://github.com/openxla/xla --override_repository=xla !" })
  test.equal(text.changed("WORKSPACE", XLA_IN_JAX, XLA_IN_JAX .. "\n# end\n"), {})
  test.equal(shown(text.changed("requirements.txt", "a==1.0\nb==2.0\n", "b==2.1\nc==1.0\n")), { "b 2.0..2.1 1 - -" })
end)

return test.finish()
