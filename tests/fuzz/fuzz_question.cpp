#include <algorithm>

#include "engine/base/text.h"
#include "engine/guard/question.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

// The first byte of each line says the kind, the rest is a pattern, a module or an option of a foreign script.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Patterns permits;
  std::vector<std::string> words;
  ForeignScript script{"a.lua", "/w/a.lua", "", {}, false};
  const std::string_view all = fuzz::text(data, size);
  for (const std::string_view line : split(all, '\n')) {
    if (line.empty()) continue;
    const auto kind = static_cast<unsigned char>(line.front()) % (effect_kind_names().size() + 2);
    const std::string rest(line.substr(1));
    if (kind < effect_kind_names().size())
      fuzz::refusable([&] { permits.add(static_cast<EffectKind>(kind), rest); });
    else if (kind == effect_kind_names().size())
      words.push_back(rest);
    else
      script.options.push_back(rest);
  }
  script.name = words.empty() ? "a.lua" : words.front();
  const Question question = question_about(script, words, permits, "/w");
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F; };
  std::size_t patterns = 0;
  for (const auto& [kind, of_kind] : permits.all()) patterns += of_kind.size();
  fuzz::promised((question.all.empty() ? question.lines : question.all).size() == patterns);
  bool safe = false;
  for (const Question::Line& line : question.lines) {
    fuzz::promised(std::all_of(line.text.begin(), line.text.end(), is_plain) && line.text.size() < 600);
    fuzz::promised(!(safe && line.danger));  // the dangerous come first
    safe = safe || !line.danger;
  }
  const auto dangers = [](const std::vector<Question::Line>& lines) {
    return std::count_if(lines.begin(), lines.end(), [](const Question::Line& line) { return line.danger; });
  };
  fuzz::promised(question.all.empty() || dangers(question.all) == dangers(question.lines));  // none is folded
  // Nothing of a script's words is a control character or begins a line.
  const std::string text = question.text();
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t sandbox = question.tail.starts_with("In the sandbox") ? 2 : 0;
  const std::size_t outside = name_repository_outside(permits) ? 1 : 0;
  fuzz::promised(breaks == 1 + question.lines.size() + sandbox + outside + (words.empty() ? 0 : 1) +
                               (script.options.empty() ? 0 : 1));
  fuzz::promised(printable(text) == text && text.find('\t') == std::string::npos);
  return 0;
}
