#include "engine/guard/words.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace reg {
namespace {

using namespace std::string_view_literals;

// Programs that run what they are told to: to permit one of these is to permit all.
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

std::string program_in_words(const std::string& pattern) {
  const std::string_view name = std::string_view(pattern).substr(pattern.rfind('/') + 1);
  if (pattern == "*") return "run any command, with all your rights";
  if (pattern.ends_with('='))
    return "set the variable " + pattern.substr(0, pattern.size() - 1) +
           " for commands, which can make them run others";
  if (holds(kRunAsRoot, name)) return "run " + pattern + ": with it, do anything on this machine, as root";
  if (holds(kRunAnything, name)) return "run any command, with all your rights (through " + pattern + ")";
  return "run the program " + pattern + ", with all your rights";
}

std::string image_in_words(const std::string& pattern) {
  if (pattern == "network=host") return "let its containers use this machine's own network";
  return "fetch and run containers of " + (pattern == "*" ? "any image" : pattern) +
         " (root inside; they may change files below this folder)";
}

std::string repository_in_words(const std::string& pattern) {
  if (pattern == "*")
    return "clone and fetch from anywhere, and switch worktrees of the repositories below this folder";
  if (pattern == "submodules") return "fetch submodules from wherever a repository says";
  const bool remote = pattern.find("://") != std::string::npos || pattern.find('@') != std::string::npos;
  return remote ? "clone and fetch " + pattern : "read " + pattern + " and switch worktrees of it between commits";
}

std::string files_in_words(const std::string& pattern) {
  constexpr std::string_view read_only = ":ro";
  if (pattern.ends_with(read_only)) return "read " + pattern.substr(0, pattern.size() - read_only.size());
  return pattern == "*" ? "write any file below this folder" : "read, write and remove " + pattern;
}

std::string gpu_in_words(const std::string& pattern) {
  if (pattern == "lock") return "change the clocks of the GPUs while it runs";
  if (pattern == "run") return "compile CUDA and run it on the GPUs";
  return pattern == "*" ? "run work on the GPUs and change their clocks" : "use the GPUs: " + pattern;
}

std::string machine_in_words(const std::string& pattern) {
  return "change this machine's settings while it runs: " + (pattern == "*" ? "any it can" : pattern);
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
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;  // not within a character
  return line.substr(0, end) + " ...";
}

std::string in_words(EffectKind kind, const std::string& pattern) {
  const std::string shown = one_line(pattern);
  switch (kind) {
    case EffectKind::process:
      return program_in_words(shown);
    case EffectKind::container:
      return image_in_words(shown);
    case EffectKind::git:
      return repository_in_words(shown);
    case EffectKind::files:
      return files_in_words(shown);
    case EffectKind::gpu:
      return gpu_in_words(shown);
    case EffectKind::machine:
      break;
  }
  return machine_in_words(shown);
}

std::string in_words(const Need& need, const std::string& workspace) {
  const std::string name = path_for_patterns(need.names.front(), workspace);
  return in_words(need.kind, need.kind == EffectKind::files && !need.changes ? name + ":ro" : name);
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
