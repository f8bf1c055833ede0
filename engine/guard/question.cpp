#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/guard/permissions.h"

namespace reg {
namespace {

// Programs that run other programs: permitting one of these permits everything.
constexpr std::string_view kRunAnything =
    "sh busybox php tclsh rsync tar sed vim vi emacs watch parallel systemd-run setsid nohup strace perf pip "
    "pip3 npm cargo go ld.so unshare chroot bash dash zsh env python python3 perl ruby lua node make cmake ninja "
    "bazel xargs find awk git ssh gdb nsys ncu time timeout nice taskset numactl gnuplot regengine ksh fish tcsh "
    "gawk mawk java R Rscript julia gcc cc g++ c++ clang clang++ nvcc ld flock script install cp mv ln tee dd "
    "curl wget scp socat nsenter bwrap sqlite3 ctest mpirun mpiexec srun sbatch valgrind stdbuf ionice chrt";
constexpr std::string_view kRunElsewhere = "ssh sbatch srun";
constexpr std::string_view kRunAsRoot = "docker podman sudo su doas";

std::string safe(const std::string& pattern) { return one_line(in_ascii(pattern)); }

// The first of the programs that the pattern covers, in PATH or by its path; "" if it covers none.
std::string_view covered(std::string_view programs, std::string_view pattern) {
  const std::string_view name = pattern.substr(pattern.rfind('/') + 1);
  for (const std::string_view program : split(programs, ' ')) {
    // python3.12, lua5.4
    const bool version =
        name.starts_with(program) && name.find_first_not_of("0123456789.-", program.size()) == std::string_view::npos;
    if (version || matches(pattern, program) || matches(name, program)) return program;
  }
  return {};
}

bool runs_others(std::string_view pattern) {
  return !covered(kRunAnything, pattern).empty() || !covered(kRunAsRoot, pattern).empty();
}

// What is written there is run or obeyed by other programs of the user.
bool writes_beyond(std::string_view pattern) {
  return !pattern.ends_with(kReadOnly) &&
         (pattern.starts_with('/') || pattern.starts_with('.') || pattern.find("/.") != std::string_view::npos);
}

std::string describe_program(EffectKind kind, const std::string& pattern, bool sandboxed) {
  const std::string shown = safe(pattern);
  const bool boxed = sandboxed && kind == EffectKind::process;
  const std::string how = boxed ? " in the sandbox" : " with all your rights";
  if (kind == EffectKind::process && names_variable(pattern)) {
    const std::string name = shown.substr(0, shown.size() - 1);
    return "set the variable " + name + " of its commands" +
           (makes_programs_load(pattern) ? ", which can make them run any other command" : "");
  }
  if (pattern == "*") return "run any command" + how;
  if (!boxed && pattern.find('*') == std::string::npos && !covered(kRunAsRoot, pattern).empty())
    return "run " + shown + ", which can do anything on this machine as root";
  const std::string where = boxed || covered(kRunElsewhere, pattern).empty() ? "" : ", here and on other machines";
  if (runs_others(pattern)) return "run any command" + how + where + " (through " + shown + ")";
  return "run the program " + shown + how;
}

std::string describe_image(const std::string& pattern) {
  const bool any = pattern.find('*') < pattern.find_first_of("/:");
  return "pull and run containers of " + (any ? "any image that matches " : std::string()) + safe(pattern) +
         " (as root inside; they can change files below this folder)";
}

std::string describe_repository(const std::string& pattern) {
  const std::string shown = safe(pattern);
  if (matches(pattern, "https://host.example/x") || matches(pattern, "git@host.example:x"))
    return "clone and fetch any repository (" + shown + "), and check out commits in the worktrees below this folder";
  const bool remote = pattern.find("://") != std::string::npos || pattern.find('@') != std::string::npos ||
                      pattern.find_first_of("*:") < pattern.find('/');
  return remote ? "clone and fetch " + shown : "read " + shown + " and check out its commits in worktrees";
}

std::string list_of(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 8;
  if (words.size() > kMost) return fmt::format("{} files, see the script", words.size());
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + one_line(in_ascii(word));
  return list;
}

// Whether `is` holds for some pattern of the kind.
template <class Is>
bool some(const Patterns& patterns, EffectKind kind, Is is) {
  const auto found = patterns.all().find(kind);
  return found != patterns.all().end() && std::any_of(found->second.begin(), found->second.end(), is);
}

// What is true of every program in the sandbox.
void add_sandbox(Question& question, const SandboxSupport& sandbox, const std::string& workspace) {
  if (!sandbox.why_not.empty()) {
    question.tail += "Programs run outside a sandbox: " + sandbox.why_not + ".\n";
    return;
  }
  for (const std::string& door : sandbox.doors)
    question.lines.push_back({"programs in the sandbox can " + one_line(door), true});
  if (!sandbox.home.empty() && lies_in(sandbox.home, workspace))
    question.lines.push_back(
        {"programs in the sandbox can read and change your home, which lies in this folder", true});
  question.tail +=
      "In the sandbox, programs can change this folder and use the network and the GPUs.\n"
      "They cannot read your other files.\n";
}

bool runs_in_sandbox(const Patterns& permits) {
  return some(permits, EffectKind::process, std::not_fn(names_variable));
}

// What the script, or a program of it, could change and then have run without a question.
void add_trusted(Question& question, const Patterns& permits, const std::string& workspace,
                 const std::vector<std::string>& trusted) {
  const bool runs = permits.all().contains(EffectKind::unboxed) || permits.all().contains(EffectKind::container) ||
                    runs_in_sandbox(permits);
  const bool writes_here = some(permits, EffectKind::files, [](const auto& one) { return !one.ends_with(kReadOnly); });
  std::vector<std::string> names;
  for (const std::string& path : trusted) {
    const bool here = lies_in(workspace, path), below = lies_in(path, workspace);
    if (here ? runs || writes_here : below && (runs || permits.cover(writes(path), workspace)))
      names.push_back(here ? "any script" : path_for_patterns(path, workspace));
  }
  if (!names.empty())
    question.lines.push_back(
        {"change scripts in this folder that you trust, which do anything: " + list_of(names), true});
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 300;
  std::string line;
  for (const char c : printable(text)) line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;  // do not split a character
  return line.substr(0, end) + " ...";
}

std::string describe(EffectKind kind, const std::string& pattern, bool sandboxed) {
  static const std::map<std::pair<EffectKind, std::string_view>, const char*> own_words{
      {{EffectKind::container, "network=host"}, "let its containers use the host network"},
      {{EffectKind::git, "submodules"}, "fetch submodules from any URL that a repository names"},
      {{EffectKind::files, "*"}, "write any file below this folder"},
      {{EffectKind::gpu, "lock"}, "change the GPU clocks while it runs"},
      {{EffectKind::gpu, "run"}, "compile CUDA code and run it on the GPUs"},
      {{EffectKind::gpu, "*"}, "run code on the GPUs and change their clocks"},
      {{EffectKind::machine, "*"}, "change any setting of this machine while it runs"},
  };
  if (const auto found = own_words.find({kind, pattern}); found != own_words.end()) return found->second;
  if (names_programs(kind)) return describe_program(kind, pattern, sandboxed);
  if (kind == EffectKind::container) return describe_image(pattern);
  if (kind == EffectKind::git) return describe_repository(pattern);
  const std::string shown = safe(pattern);
  if (kind == EffectKind::gpu) return "use the GPUs: " + shown;
  if (kind == EffectKind::machine) return "change this machine's settings while it runs: " + shown;
  return shown.ends_with(kReadOnly) ? "read " + shown.substr(0, shown.size() - kReadOnly.size())
                                    : "read, write and delete " + shown;
}

bool is_dangerous(EffectKind kind, const std::string& pattern) {
  if (kind == EffectKind::files) return writes_beyond(pattern);
  if (kind != EffectKind::process) return kind == EffectKind::unboxed;
  if (names_variable(pattern)) return makes_programs_load(pattern);
  return runs_others(pattern) || pattern.find('/') != std::string::npos;  // by its path it may be the stranger's own
}

bool permit_any_command(const Patterns& patterns) {
  const auto is = [](const std::string& pattern) { return !names_variable(pattern) && runs_others(pattern); };
  return some(patterns, EffectKind::process, is) || some(patterns, EffectKind::unboxed, is);
}

std::string as_allowed(const Need& need, const std::string& workspace) {
  std::string name = path_for_patterns(need.names.front(), workspace);
  if (names_programs(need.kind) && name != need.names.front()) name = "./" + name;
  return std::string(to_string(need.kind)) + "=" + name +
         (need.kind == EffectKind::files && !need.changes ? ":ro" : "");
}

std::string as_declared(const Need& need, const std::string& workspace) {
  const std::string allowed = one_line(as_allowed(need, workspace));
  const auto at = allowed.find('=');
  std::string quoted;
  for (const char c : allowed.substr(at + 1)) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return "reg.needs { " + allowed.substr(0, at) + " = \"" + quoted + "\" }";
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

std::string Question::text(bool all, std::string_view danger, std::string_view plain) const {
  constexpr std::ptrdiff_t kFoldFrom = 6, kShown = 3;  // lines of one kind
  std::string text = head + "\n";
  for (auto at = lines.begin(), end = at; at != lines.end(); at = end) {
    end = std::find_if(at, lines.end(),
                       [&](const Line& line) { return line.kind != at->kind || line.danger != at->danger; });
    const std::ptrdiff_t folded = all || at->danger || end - at < kFoldFrom ? 0 : end - at - kShown;
    for (auto line = at; line != end - folded; ++line)
      text += line->danger ? fmt::format("{}  ! {}{}\n", danger, line->text, plain) : "  - " + line->text + "\n";
    if (folded > 0) text += fmt::format("  - ... and {} more of {}\n", folded, at->kind);
  }
  return text + tail;
}

Question question_about(const ForeignScript& script, const std::vector<std::string>& modules, const Patterns& permits,
                        const std::string& workspace, const SandboxSupport& sandbox,
                        const std::vector<std::string>& trusted) {
  Question question;
  question.head =
      fmt::format("{} is not trusted yet. In the folder {} it asks for permission to:", one_line(in_ascii(script.name)),
                  one_line(workspace));
  for (const auto& [kind, of_kind] : permits.all()) {
    std::vector<std::string> patterns = of_kind;
    if (kind == EffectKind::files)  // what is outside comes first
      std::stable_partition(patterns.begin(), patterns.end(), [](const std::string& pattern) {
        return pattern.starts_with('/') && pattern.ends_with(kReadOnly);
      });
    for (const std::string& pattern : patterns)
      question.lines.push_back(
          {describe(kind, pattern, sandbox.why_not.empty()), is_dangerous(kind, pattern), to_string(kind)});
  }
  add_trusted(question, permits, workspace, trusted);
  if (runs_in_sandbox(permits)) add_sandbox(question, sandbox, workspace);
  if (some(permits, EffectKind::git, [](const std::string& one) { return one.starts_with('/'); }))
    question.tail +=
        "Repositories outside this folder are only read: worktrees and what it fetches stay in this folder.\n";
  std::stable_partition(question.lines.begin(), question.lines.end(), [](const auto& line) { return line.danger; });
  if (!modules.empty()) question.tail += "It loads " + list_of(modules) + ".\n";
  if (!script.options.empty()) question.tail += "Its options: " + one_line(shell_words(script.options)) + "\n";
  return question;
}

}  // namespace reg
