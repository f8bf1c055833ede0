#include "bindings/runtime/source.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/permissions.h"
#include "engine/markdown/blocks.h"

namespace reg {
namespace {

using markdown::Block;

constexpr std::size_t kMaxExcerpt = 60;

// A lua block, and what reg.share wrote after its fence.
struct Script {
  Block block;
  markdown::Reported reported;
};

struct Document {
  std::vector<Script> scripts;
  std::map<std::string, Module> modules;
  std::map<std::string, std::size_t> files;
};

bool is_markdown_name(const std::string& path) {
  const std::string extension = in_small_letters(std::filesystem::path(path).extension().string());
  return extension == ".md" || extension == ".markdown";
}

bool is_lua(const Block& block) { return markdown::language(block) == "lua"; }

// Has a lua block and is not valid Lua itself; a Lua script with a syntax error has no such block.
bool is_markdown_text(const std::string& text) {
  const auto found = markdown::blocks(text);
  return std::any_of(found.begin(), found.end(), is_lua) && !lua::compiles(text);
}

// The title of a block in another language; anything may follow its fence.
std::string title_of(const Block& block) {
  std::string title;
  try_to([&] { title = markdown::read_info(block.info).title; });
  return title;
}

Document read_document(const std::string& text, const std::string& shown) {
  Document document;
  for (Block& block : markdown::blocks(text)) {
    if (!is_lua(block)) {
      if (auto title = title_of(block); !title.empty()) document.files[std::move(title)] = block.line;
      continue;
    }
    try {
      auto reported = markdown::read_info(block.info);
      if (reported.module.empty())
        document.scripts.push_back({std::move(block), std::move(reported)});
      else
        document.modules[reported.module] = {std::move(block.text), block.line};
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}:{}: {}", shown, block.line - 1, error.what()), error.hint());
    }
  }
  return document;
}

// An excerpt that identifies a block: its first line that is neither empty nor a shebang.
std::string first_line_of(const Block& block) {
  for (const auto line : lines(block.text)) {
    const std::string_view words = trim(line);
    if (words.empty() || words.starts_with("#!")) continue;
    return std::string(words.size() > kMaxExcerpt ? words.substr(0, kMaxExcerpt - 3) : words) +
           (words.size() > kMaxExcerpt ? "..." : "");
  }
  return "(empty)";
}

std::string list_of(const std::vector<Script>& scripts) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < scripts.size(); ++i)
    shown.push_back(fmt::format("{} (line {}{}): {}", i + 1, scripts[i].block.line,
                                (scripts[i].reported.title.empty() ? "" : ", ") + scripts[i].reported.title,
                                first_line_of(scripts[i].block)));
  return join(shown, "; ");
}

// A reply that quotes a post repeats its blocks.
bool all_the_same(const std::vector<Script>& scripts) {
  return std::all_of(scripts.begin(), scripts.end(), [&](const Script& script) {
    return script.block.text == scripts.front().block.text && script.block.info == scripts.front().block.info;
  });
}

// Removes a leading "--block N" or "--block=N" from the arguments and returns N.
std::optional<std::size_t> take_block(std::vector<std::string>& arguments) {
  if (arguments.empty() || !arguments.front().starts_with("--block")) return std::nullopt;
  const std::string first = arguments.front();
  const bool apart = first == "--block";
  if (!apart && !first.starts_with("--block=")) return std::nullopt;
  const std::string value = !apart ? first.substr(8) : arguments.size() > 1 ? arguments[1] : "";
  const auto number = whole_number<std::size_t>(value);
  if (!number) throw Error(ErrorKind::usage, "--block: not a valid number: '" + value + "'");
  arguments.erase(arguments.begin(), arguments.begin() + (apart ? 2 : 1));
  return number;
}

Source source_of(const std::string& name, const std::string& text, std::optional<std::size_t> wanted,
                 std::vector<std::string>& rest) {
  const std::string shown = name.substr(1);
  Document document = read_document(text, shown);
  const std::size_t count = document.scripts.size();
  if (count == 0)
    throw Error(ErrorKind::usage, shown + " has no fenced lua block", "Put ```lua on the line before the script.");
  if (!wanted && count > 1) wanted = take_block(rest);
  if (!wanted && count > 1 && !all_the_same(document.scripts))
    throw Error(ErrorKind::usage, fmt::format("{} has {} lua blocks: {}", shown, count, list_of(document.scripts)),
                "Select one: regengine " + shell_words({shown == "stdin" ? "-" : shown}) + " --block N");
  const std::size_t number = wanted.value_or(1);
  if (number < 1 || number > count)
    throw Error(ErrorKind::usage,
                fmt::format("{} has no lua block {}; it has {}: {}", shown, number, count, list_of(document.scripts)));
  Script& script = document.scripts[number - 1];
  return {name,
          std::move(script.block.text),
          script.block.line,
          std::move(script.reported.title),
          std::move(script.reported.options),
          script.reported.seed,
          std::move(document.modules),
          std::move(document.files)};
}

constexpr std::string_view kRedacted = "<redacted>";  // what reg.share writes in place of a private path

// reg.options asks for redacted options by name; this check is for scripts that read their arguments themselves.
void check_arguments(const Source& source, const std::vector<std::string>& own) {
  const auto is_redacted = [](const std::string& word) { return word.find(kRedacted) != std::string::npos; };
  const auto& reported = source.reported;
  if (!own.empty() || source.text.find("reg.options") != std::string::npos) return;
  if (std::none_of(reported.begin(), reported.end(), is_redacted)) return;
  std::vector<std::string> words = reported;
  for (std::string& word : words)
    if (is_redacted(word)) word = word.substr(0, word.find(kRedacted)) + "PATH";
  const std::string shown = source.name == "=stdin" ? "-" : source.name.substr(1);
  throw Error(ErrorKind::usage, shown + ": redacted when it was shared: " + shell_words(words),
              "Pass it again: regengine " + shell_words({shown}) + " " + shell_words(words));
}

// The names of the shipped scripts, with ".lua" if `script` has it.
std::vector<std::string> names_like(const std::string& script) {
  std::vector<std::string> names = shipped_scripts();
  if (!script.ends_with(".lua"))
    for (std::string& name : names) name.resize(name.size() - 4);
  return names;
}

// Whether it is the bare name of a strategy. A file of that name is "./bisect".
bool is_strategy(const std::string& script) { return !find_embedded("scripts/" + script + ".lua").empty(); }

}  // namespace

std::vector<std::string> shipped_scripts() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEmbeddedCount; ++i)
    if (kEmbedded[i].name.starts_with("scripts/")) names.emplace_back(kEmbedded[i].name.substr(8));
  return names;
}

Source find_source(const std::string& script, std::optional<std::size_t> block, std::vector<std::string>& rest) {
  Source source;
  bool markdown = false;
  if (script == "-") {
    source = {"=stdin", {std::istreambuf_iterator<char>(std::cin), {}}};
    markdown = is_markdown_text(source.text);
  } else if (const auto text = is_strategy(script) ? std::nullopt : read_file_if_there(script)) {
    source = {"@" + script, *text};
    markdown = is_markdown_name(script) || (!script.ends_with(".lua") && is_markdown_text(source.text));
  }
  if (markdown) {
    source = source_of(source.name, source.text, block, rest);
    check_arguments(source, rest);
    return source;
  }
  if (block)
    throw Error(ErrorKind::usage, "--block: not a Markdown file: '" + script + "'",
                "Use it to select one of several lua blocks in a .md file.");
  if (!source.name.empty()) return source;
  for (const std::string& name : {script, script + ".lua"})
    if (const auto text = find_embedded("scripts/" + name); !text.empty()) {
      source = {"@" + name, std::string(text), 1, name};
      source.shipped = true;
      return source;
    }
  if (std::filesystem::exists(script)) read_file(script);  // throws the reason why it cannot be read
  throw Error(ErrorKind::usage, "no such script: '" + script + "'" + did_you_mean(script, names_like(script)),
              "Pass a Lua file, a Markdown file with a lua block, or a shipped strategy: " +
                  join(shipped_scripts(), ", ") + ".");
}

bool is_shipped(std::string_view text) {
  return std::any_of(kEmbedded, kEmbedded + kEmbeddedCount, [&](const Embedded& file) {
    return (file.name.starts_with("scripts/") || file.name.starts_with("examples/")) && file.text == text;
  });
}

void join_script(Policy& policy, const std::string& file, std::string_view text) {
  const TrustStore store = user_trust_store();
  const std::string path = real_path(file);
  const auto decision = store.find({path, sha256(text), "", {}, {}, {}});
  policy.join(file, text, is_shipped(text) || (decision && decision->everything) || !store.trusted_path(path).empty());
}

std::string_view find_embedded(std::string_view name) {
  const Embedded* end = kEmbedded + kEmbeddedCount;
  const Embedded* found = std::find_if(kEmbedded, end, [&](const Embedded& file) { return file.name == name; });
  return found == end ? std::string_view{} : found->text;
}

}  // namespace reg

namespace reg::lua {
namespace {

std::filesystem::path folder_of(const std::string& script) {
  const auto folder = std::filesystem::path(script).parent_path();
  return folder.empty() ? "." : folder;
}

// A link may lead to a file that is not a module: its text would come out as globals, or in a syntax error.
void admit_module(lua_State* L, const std::string& folder, const std::string& relative) {
  const std::filesystem::path path = std::filesystem::path(real_path(folder)) / relative;
  if (real_path(path.string()) != path)
    admit(L, {EffectKind::files, "load " + relative, {reads(path.string())}, false});
}

}  // namespace

int require_module(lua_State* L) {
  const std::string name = check_string(L, 1, "the module's name");
  const bool plain = !name.empty() && name.find("..") == std::string::npos && name.front() != '.' &&
                     name.back() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                     });
  if (!plain)
    throw misuse(L, "not a valid module name: '" + name + "'", "Use letters, digits, '_', '-', and dots for folders.");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;

  std::string relative = name;
  std::replace(relative.begin(), relative.end(), '.', '/');
  Settings& settings = Vm::of(L).settings();
  const std::map<std::string, Module>& shared_modules = settings.source.modules;
  const std::filesystem::path folder = folder_of(settings.script);
  std::string path = (folder / (relative + ".lua")).string();
  if (!shared_modules.contains(name)) admit_module(L, folder.string(), relative + ".lua");
  Module module;
  if (const auto shared = shared_modules.find(name); shared != shared_modules.end()) {
    module = shared->second;
    path = settings.script == "-" ? "stdin" : settings.script;
  } else if (auto text = read_file_if_there(path)) {
    module.text = std::move(*text);
  } else {
    throw Error(ErrorKind::not_found, "require: no such file: " + path,
                "Put the Lua file next to the script. The standard library is reg.*, without require.");
  }
  join_script(Vm::of(L).guard().policy(), path, module.text);
  settings.required.emplace_back(name, module.text);
  load_chunk(L, module.text, "@" + path, module.first_line);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) push(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name.c_str());
  return 1;
}

}  // namespace reg::lua
