#include "engine/guard/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/text.h"
#include "engine/guard/describe.h"

namespace reg {
namespace {

constexpr std::size_t kFoldFrom = 6;  // lines of one kind
constexpr std::size_t kShown = 3;     // of these, where they are folded

bool is_outside(EffectKind kind, const std::string& pattern) {
  return kind == EffectKind::files && pattern.starts_with('/');
}

// The lines of one kind, in the order in which they are to be read.
std::vector<Question::Line> lines_of(EffectKind kind, std::vector<std::string> patterns, bool sandboxed) {
  std::stable_partition(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return is_outside(kind, pattern); });
  std::stable_partition(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return is_dangerous(kind, pattern); });
  std::vector<Question::Line> lines;
  lines.reserve(patterns.size());
  for (const std::string& pattern : patterns)
    lines.push_back({describe(kind, pattern, sandboxed), is_dangerous(kind, pattern)});
  return lines;
}

// What is dangerous is never folded.
std::vector<Question::Line> folded(EffectKind kind, const std::vector<Question::Line>& lines) {
  const auto dangers = static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const Question::Line& line) { return line.danger; }));
  if (lines.size() < dangers + kFoldFrom) return lines;
  std::vector<Question::Line> shown(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(dangers + kShown));
  shown.push_back({fmt::format("... and {} more of {}", lines.size() - shown.size(), to_string(kind))});
  return shown;
}

std::string list_of(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 8;
  if (words.size() > kMost) return fmt::format("{} files, see the script", words.size());
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + one_line(in_ascii(word));
  return list;
}

// What is true of every program in the sandbox.
void add_sandbox(Question& question, const Sandbox& sandbox, const std::string& workspace) {
  if (!sandbox.why_not.empty()) {
    question.tail += "Programs run outside a sandbox: " + sandbox.why_not + ".\n";
    return;
  }
  std::vector<std::string> warnings;
  for (const std::string& door : sandbox.doors) warnings.push_back("programs in the sandbox can " + one_line(door));
  if (!sandbox.home.empty() && lies_in(sandbox.home, workspace))
    warnings.emplace_back("programs in the sandbox can read and change your home, which lies in this folder");
  for (const std::string& warning : warnings)
    for (auto* lines : {&question.lines, &question.all}) lines->push_back({warning, true});
  question.tail +=
      "In the sandbox, programs can change this folder and use the network and the GPUs.\n"
      "They cannot read your other files.\n";
}

bool runs_in_sandbox(const Patterns& permits) {
  const auto programs = permits.all().find(EffectKind::process);
  return programs != permits.all().end() &&
         !std::all_of(programs->second.begin(), programs->second.end(), names_variable);
}

bool runs_programs(const Patterns& permits) {
  return permits.all().contains(EffectKind::unboxed) || permits.all().contains(EffectKind::container) ||
         runs_in_sandbox(permits);
}

bool is_read_only(const std::string& pattern) { return pattern.ends_with(":ro"); }

bool writes_here(const Patterns& permits) {
  const auto files = permits.all().find(EffectKind::files);
  return files != permits.all().end() && !std::all_of(files->second.begin(), files->second.end(), is_read_only);
}

// What the script, or a program of it, could change and then have run without a question.
void add_trusted(Question& question, const Patterns& permits, const std::string& workspace,
                 const std::vector<std::string>& trusted) {
  std::vector<std::string> names;
  for (const std::string& path : trusted) {
    const bool here = lies_in(workspace, path), below = lies_in(path, workspace);
    if (here ? runs_programs(permits) || writes_here(permits)
             : below && (runs_programs(permits) || permits.cover(writes(path), workspace)))
      names.push_back(here ? "any script" : path_for_patterns(path, workspace));
  }
  if (names.empty()) return;
  for (auto* lines : {&question.lines, &question.all})
    lines->push_back({"change scripts in this folder that you trust, which do anything: " + list_of(names), true});
}

}  // namespace

std::string Question::text() const {
  std::string text = head + "\n";
  for (const Line& line : lines) text += (line.danger ? "  ! " : "  - ") + line.text + "\n";
  return text + tail;
}

Question question_about(const ForeignScript& script, const std::vector<std::string>& modules, const Patterns& permits,
                        const std::string& workspace, const Sandbox& sandbox, const std::vector<std::string>& trusted) {
  Question question;
  question.head =
      fmt::format("{} is not trusted yet. In the folder {} it asks for permission to:", one_line(in_ascii(script.name)),
                  one_line(workspace));
  for (const auto& [kind, patterns] : permits.all()) {
    const std::vector<Question::Line> lines = lines_of(kind, patterns, sandbox.why_not.empty()),
                                      few = folded(kind, lines);
    std::copy(few.begin(), few.end(), std::back_inserter(question.lines));
    std::copy(lines.begin(), lines.end(), std::back_inserter(question.all));
  }
  const bool folded_some = question.all.size() != question.lines.size();
  add_trusted(question, permits, workspace, trusted);
  if (runs_in_sandbox(permits)) add_sandbox(question, sandbox, workspace);
  if (name_repository_outside(permits))
    question.tail +=
        "Repositories outside this folder are only read: worktrees and what it fetches stay in this folder.\n";
  const auto is_danger = [](const Question::Line& line) { return line.danger; };
  std::stable_partition(question.lines.begin(), question.lines.end(), is_danger);
  std::stable_partition(question.all.begin(), question.all.end(), is_danger);
  if (!folded_some) question.all.clear();
  if (!script.like.empty())
    question.tail += fmt::format("{}, which comes with regengine, needs the same with these options.\n", script.like);
  if (!modules.empty()) question.tail += "It loads " + list_of(modules) + ".\n";
  if (!script.options.empty()) question.tail += "Its options: " + one_line(shell_words(script.options)) + "\n";
  return question;
}

}  // namespace reg
