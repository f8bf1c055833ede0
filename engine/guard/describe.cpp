#include "engine/guard/describe.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace reg {
namespace {

using namespace std::string_view_literals;

// Programs that run other programs: permitting one of these permits everything.
constexpr std::array kRunAnything{"sh"sv,      "bash"sv,  "dash"sv,    "zsh"sv,     "env"sv,     "python"sv,
                                  "python3"sv, "perl"sv,  "ruby"sv,    "lua"sv,     "node"sv,    "make"sv,
                                  "cmake"sv,   "ninja"sv, "bazel"sv,   "xargs"sv,   "find"sv,    "awk"sv,
                                  "git"sv,     "ssh"sv,   "gdb"sv,     "nsys"sv,    "ncu"sv,     "time"sv,
                                  "timeout"sv, "nice"sv,  "taskset"sv, "numactl"sv, "gnuplot"sv, "regengine"sv};
constexpr std::array kRunAsRoot{"docker"sv, "podman"sv, "sudo"sv, "su"sv, "doas"sv};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string describe_program(const std::string& pattern) {
  const std::string_view name = std::string_view(pattern).substr(pattern.rfind('/') + 1);
  if (pattern == "*") return "run any command with all your rights";
  if (pattern.ends_with('='))
    return "set the environment variable " + pattern.substr(0, pattern.size() - 1) +
           " for commands, which can make them run other programs";
  if (holds(kRunAsRoot, name)) return "run " + pattern + ", which can do anything on this machine as root";
  if (holds(kRunAnything, name)) return "run any command with all your rights (through " + pattern + ")";
  return "run the program " + pattern + " with all your rights";
}

std::string describe_image(const std::string& pattern) {
  if (pattern == "network=host") return "let its containers use the host network";
  return "pull and run containers of " + (pattern == "*" ? "any image" : pattern) +
         " (as root inside; they can change files below this folder)";
}

std::string describe_repository(const std::string& pattern) {
  if (pattern == "*") return "clone and fetch any repository, and check out commits in the worktrees below this folder";
  if (pattern == "submodules") return "fetch submodules from any URL that a repository names";
  const bool remote = pattern.find("://") != std::string::npos || pattern.find('@') != std::string::npos;
  return remote ? "clone and fetch " + pattern : "read " + pattern + " and check out its commits in worktrees";
}

std::string describe_files(const std::string& pattern) {
  constexpr std::string_view read_only = ":ro";
  if (pattern.ends_with(read_only)) return "read " + pattern.substr(0, pattern.size() - read_only.size());
  return pattern == "*" ? "write any file below this folder" : "read, write and delete " + pattern;
}

std::string describe_gpu(const std::string& pattern) {
  if (pattern == "lock") return "change the GPU clocks while it runs";
  if (pattern == "run") return "compile CUDA code and run it on the GPUs";
  return pattern == "*" ? "run code on the GPUs and change their clocks" : "use the GPUs: " + pattern;
}

std::string describe_machine(const std::string& pattern) {
  return pattern == "*" ? "change any setting of this machine while it runs"
                        : "change this machine's settings while it runs: " + pattern;
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 300;
  std::string line;
  for (const char c : printable(text)) {
    if (c == '\n' || c == '\t')
      line += c == '\n' ? "\\n" : "\\t";
    else
      line += c;
  }
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;  // do not split a character
  return line.substr(0, end) + " ...";
}

std::string describe(EffectKind kind, const std::string& pattern) {
  const std::string shown = one_line(pattern);
  switch (kind) {
    case EffectKind::process:
      return describe_program(shown);
    case EffectKind::container:
      return describe_image(shown);
    case EffectKind::git:
      return describe_repository(shown);
    case EffectKind::files:
      return describe_files(shown);
    case EffectKind::gpu:
      return describe_gpu(shown);
    case EffectKind::machine:
      break;
  }
  return describe_machine(shown);
}

std::string describe(const Need& need, const std::string& workspace) {
  const std::string name = path_for_patterns(need.names.front(), workspace);
  return describe(need.kind, need.kind == EffectKind::files && !need.changes ? name + ":ro" : name);
}

std::string as_allowed(const Need& need, const std::string& workspace) {
  std::string name = path_for_patterns(need.names.front(), workspace);
  if (need.kind == EffectKind::process && name != need.names.front()) name = "./" + name;
  return std::string(to_string(need.kind)) + "=" + name +
         (need.kind == EffectKind::files && !need.changes ? ":ro" : "");
}

std::string as_options(const Patterns& patterns) {
  std::vector<std::string> words;
  for (const auto& [kind, of_kind] : patterns.all())
    for (const std::string& pattern : of_kind) {
      words.emplace_back("--allow");
      words.push_back(std::string(to_string(kind)) + "=" + pattern);
    }
  return shell_words(words);
}

}  // namespace reg
