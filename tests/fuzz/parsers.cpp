// A fuzzer for each parser that reads foreign bytes, all in one program: $PARSER says which one, see run. Foreign bytes
// may be refused by an Error and by nothing else, and what a parser promises of its result is looked at with
// `promised`.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <lua.hpp>
#include <map>
#include <memory>

#include "bindings/runtime/json.h"
#include "engine/arrays/npy.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/container/settings.h"
#include "engine/guard/permissions.h"
#include "engine/markdown/blocks.h"
#include "engine/process/run.h"
#include "engine/results/run.h"
#include "engine/store/runs.h"

using namespace reg;

namespace {

void promised(bool holds) {
  if (!holds) std::abort();
}

template <class Parse>
void refusable(Parse parse) {
  try {
    parse();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): that is one of the two good ends
  }
}

// A file in memory with these bytes, for parsers that read files.
std::string file_of(std::string_view bytes) {
  static const int fd = memfd_create("fuzz", 0);
  promised(fd >= 0 && ftruncate(fd, 0) == 0);
  promised(pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(fd);
}

// One for all inputs: what one left there may not trip the next.
const std::string& folder() {
  static const std::string made = [] {
    char name[] = "/tmp/fuzz_XXXXXX";
    promised(mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  return made;
}

}  // namespace

namespace parser {

void elf(std::string_view text) {
  const std::string id = process::build_id_of(file_of(text));
  promised(id.size() <= 128 && id.find_first_not_of("0123456789abcdef") == std::string::npos);
}

void image(std::string_view text) {
  const container::ImageName name = container::check_image(std::string(text));
  promised(!text.empty() && text.front() != '-' && text.find('\0') == std::string_view::npos);
  promised(!name.registry.empty() && !name.repository.empty());
  promised(!name.tag.empty() || !name.digest.empty());
}

// What was read can be written, and reads as the same.
int there_and_back(lua_State* L) {
  std::size_t size = 0;
  const char* data = lua_tolstring(L, 1, &size);
  try {
    lua::push_json(L, {data, size});
  } catch (const Error&) {
    return 0;
  }
  const std::string once = lua::to_json(L, -1);
  lua::push_json(L, once);
  promised(lua::to_json(L, -1) == once);
  return 0;
}

void json(std::string_view text) {
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), lua_close);
  lua_State* L = state.get();
  lua_pushcfunction(L, there_and_back);
  lua_pushlstring(L, text.data(), text.size());
  promised(lua_pcall(L, 1, 0, 0) == LUA_OK);
}

void markdown(std::string_view text) {
  const auto line_count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2 +
                          static_cast<std::size_t>(std::count(text.begin(), text.end(), '\r'));
  for (const markdown::Block& block : markdown::blocks(text)) {
    promised(block.line >= 1 && block.line <= line_count);
    promised(block.text.empty() || block.text.back() == '\n');
    markdown::language(block);
  }
}

void npy(std::string_view text) {
  arrays::Npy array(file_of(text));
  promised(array.count() <= text.size());
  std::vector<arrays::Number> numbers(array.count());
  array.read(0, numbers.size(), numbers.data());
}

// The first byte of each line says the kind, the rest is a pattern, a module or an option of a foreign script.
void question(std::string_view all) {
  Patterns permits;
  std::vector<std::string> words;
  ForeignScript script{"a.lua", "/w/a.lua", "", {}, false};
  for (const std::string_view line : split(all, '\n')) {
    if (line.empty()) continue;
    const auto kind = static_cast<unsigned char>(line.front()) % (effect_kind_names().size() + 2);
    const std::string rest(line.substr(1));
    if (kind < effect_kind_names().size())
      refusable([&] { permits.add(static_cast<EffectKind>(kind), rest); });
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
  promised(question.lines.size() == patterns);
  bool safe = false;
  for (const Question::Line& line : question.lines) {
    promised(std::all_of(line.text.begin(), line.text.end(), is_plain) && line.text.size() < 600);
    promised(!(safe && line.danger));  // the dangerous come first
    safe = safe || !line.danger;
  }
  const std::string text = question.text(true), shown = question.text();
  for (const Question::Line& line : question.lines)
    promised(!line.danger || shown.find("  ! " + line.text + "\n") != shown.npos);  // none is folded
  // Nothing of a script's words is a control character or begins a line.
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t sandbox = question.tail.starts_with("In the sandbox") ? 2 : 0;
  const std::size_t outside = ("\n" + question.tail).find("\nRepositories outside") != text.npos ? 1 : 0;
  promised(breaks ==
           1 + question.lines.size() + sandbox + outside + (words.empty() ? 0 : 1) + (script.options.empty() ? 0 : 1));
  promised(printable(text) == text && text.find('\t') == std::string::npos);
}

void records(std::string_view text) {
  const std::string path = file_of(text);
  const results::Lines lines = results::file_lines(path);
  std::size_t runs = 0;
  for (results::Run run; results::next_run(lines, run);) promised(++runs <= run.line);
}

// The expression is the first line, the text the rest.
void regex(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  results::regex_found(std::string(text.substr(0, end)), text.substr(std::min(end + 1, text.size())));
}

// The bytes are a store by somebody else, with the header that lets it be opened at all.
void store(std::string_view text) {
  const std::string path = folder() + "/foreign.db";
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + ending);
  std::string bytes(text);
  if (bytes.size() < 100) return;
  bytes.replace(0, 16, "SQLite format 3", 16);
  bytes.replace(68, 4, "RGNG");
  write_file(path, bytes);
  refusable([&] {
    const auto opened = store::Store::try_open(path, store::Access::read);
    refusable([&] { opened->each_trial({}, [](const store::Trial&) {}); });
    for (const char* table : {"results", "runs", "measurements"})  // all of a few thousand rows
      refusable([&] {
        store::Statement rows(opened->reader().handle(), std::string("SELECT * FROM ") + table + " LIMIT 5000");
        while (rows.step())
          for (int column = 0; column < rows.columns(); ++column) static_cast<void>(rows.text(column));
      });
  });
  refusable([&] { store::export_runs(path, folder() + "/runs.jsonl"); });
}

void time(std::string_view text) {
  if (const auto time = parse_time(text)) promised(parse_time(format_time(*time)) == time);
  if (const auto seconds = parse_duration(text)) {
    promised(std::isfinite(*seconds) && *seconds >= 0);
    format_duration(*seconds);
  }
}

}  // namespace parser

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Parser = void (*)(std::string_view);
  static const std::map<std::string, Parser> by_refusal{
      {"elf", parser::elf},         {"image", parser::image}, {"markdown", parser::markdown}, {"npy", parser::npy},
      {"records", parser::records}, {"regex", parser::regex}, {"time", parser::time}};
  static const std::map<std::string, Parser> never_refuse{
      {"json", parser::json}, {"question", parser::question}, {"store", parser::store}};
  static const std::string name = std::getenv("PARSER");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto found = never_refuse.find(name); found != never_refuse.end())
    found->second(text);
  else
    refusable([&] { by_refusal.at(name)(text); });
  return 0;
}
