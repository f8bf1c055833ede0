#include "bindings/program/gc.h"

#include <fmt/format.h>

#include <filesystem>

#include "bindings/program/ask.h"
#include "bindings/program/boxed.h"
#include "bindings/program/garbage.h"
#include "engine/base/error.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

std::string size_words(std::uint64_t bytes) {
  constexpr std::uint64_t step = 1000;
  if (bytes < step) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (size < step) break;
    size /= step;
    unit = next;
  }
  return fmt::format("{:.3g} {}", size, unit);
}

bool told_to_remove(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  if (words.size() == 1 && words[0] == "--remove") return true;
  throw Error(ErrorKind::usage, "gc: unknown argument '" + words[words[0] == "--remove" ? 1 : 0] + "'",
              "usage: regengine gc [--remove]");
}

int remove_all(const std::vector<Garbage>& garbage) {
  int code = 0;
  for (const Garbage& one : garbage) {
    try {
      if (one.remove()) terminal::console().write_out(fmt::format("removed  {}\n", one.name));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      terminal::console().write_out(fmt::format("not removed  {}: {}\n", one.name, error.what()));
      code = 1;
    }
  }
  return code;
}

}  // namespace

int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard) {
  const bool told = told_to_remove(words);
  const std::string workspace = std::filesystem::canonical(".");
  if (is_boxed()) return guard.policy().writes("", read_for_garbage(workspace)) ? 0 : 1;
  const Found found = find_garbage(loop, guard, workspace);
  terminal::Console& console = terminal::console();
  std::uint64_t bytes = 0;
  for (const Garbage& one : found.garbage) {
    console.write_out(fmt::format("{:<8}  {:>7}  {}  ({})\n", one.kind, size_words(one.bytes), one.name, one.why));
    bytes += one.bytes;
  }
  for (const std::string& line : found.kept) console.write_out("kept      " + line + "\n");
  if (found.garbage.empty()) {
    console.write_out("nothing to remove\n");
    return 0;
  }
  const std::string sum = fmt::format("{} to remove, {}", found.garbage.size(), size_words(bytes));
  if (told) return remove_all(found.garbage);
  Question question;
  question.head = sum;
  question.asked = "Remove them?";
  const auto answer = ask_at_terminal(question);
  if (answer && *answer != Answer::no) return remove_all(found.garbage);
  if (!answer) console.write_out(sum + ". Run regengine gc --remove to remove them.\n");
  return 0;
}

}  // namespace reg
