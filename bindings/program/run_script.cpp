#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/program/program.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/box/box.h"
#include "engine/broker/broker.h"
#include "engine/store/open.h"
#include "engine/terminal/console.h"

namespace reg {

// What one box hands over of a script: it does not say whether that is shipped.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Module, text, first_line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Source, name, text, first_line, title, reported, seed, modules, files)

std::vector<std::string> values_of(const std::vector<std::string>& arguments, std::string name,
                                   const std::string& letter) {
  name = "--" + name;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
    if (word == name || (word == letter && !letter.empty()))
      values.push_back(i + 1 < arguments.size() ? arguments[++i] : "");
    else if (word.starts_with(name + "="))
      values.push_back(word.substr(name.size() + 1));
    else if (!letter.empty() && word.starts_with(letter))
      values.push_back(arguments[i].substr(letter.size() + (word[letter.size()] == '=' ? 1 : 0)));
  }
  return values;
}

namespace {

// What somebody else's folder may have as a link by a name that the user did not type.
std::string within(const std::string& folder, const std::string& name, const std::string& option) {
  std::string path = real_path(folder + "/" + name);
  if (!lies_in(path, real_path(folder)))
    throw Error(ErrorKind::usage, name + " is a link to " + one_line(path) + ", outside this folder",
                "Remove the link, or name the file with " + option + ".");
  return path;
}

// The files of a store, if it is one.
void add_store(std::vector<std::string>& paths, const std::string& store) {
  for (const char* part : {"", "-wal", "-shm", ".lock", ".out"}) paths.push_back(store + part);
}

// Whether it is a shipped script that reads what somebody else may have made and writes nothing but files: it runs in
// the box if there is one.
bool only_reads(const Source& source) {
  return source.shipped && box::landlock_version() > 0 &&
         has_word("aggregate.lua analyze.lua compare.lua list.lua open.lua report.lua share.lua show.lua",
                  source.title);
}

// Whether it is a shipped script that runs what a store says: it reads the store in the box, before anything else.
bool looks_first(const Source& source) {
  return source.shipped && box::landlock_version() > 0 && source.title == "why.lua";
}

// The files that a script of only_reads() writes. Throws usage where one that its arguments do not name is a link out
// of its folder.
std::vector<std::string> outputs_of(const Source& source, const std::vector<std::string>& arguments) {
  const auto last = [&](const char* name, const char* letter = "") {
    const std::vector<std::string> values = values_of(arguments, name, letter);
    return values.empty() ? "" : values.back();
  };
  const bool analyzes = source.title == "analyze.lua";
  const std::string named = source.title == "compare.lua" ? last("csv")
                            : analyzes                    ? last("database")
                                                          : last("output", "-o");
  std::vector<std::string> outputs;
  if (!named.empty()) outputs.push_back(real_path(named));
  if (named.empty() && has_word("open.lua report.lua", source.title))
    outputs.push_back(within(".", "report.html", "--output FILE"));
  if (!analyzes) return outputs;
  const std::string given = last("output-dirname"), folder = given.empty() ? "output" : given;
  for (const char* name : {"metric_report.csv", "metric_report.jsonl"})
    outputs.push_back(within(folder, name, "--output-dirname DIR"));
  if (named.empty()) outputs.push_back(within(folder, "database.csv", "--database FILE"));
  return outputs;
}

// What its arguments name to be read. Any word may be a file, folder or store: they are the user's own.
std::vector<std::string> named_to_read(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  add_store(paths, real_path(store::default_path()));
  for (const std::string& word : arguments) {
    if (word.empty()) continue;
    const auto first = word.find('='), last = word.rfind('=');
    add_store(paths, real_path(word));
    if (first != std::string::npos) add_store(paths, real_path(word.substr(first + 1)));
    if (last != first) add_store(paths, real_path(word.substr(last + 1)));
  }
  return paths;
}

// Reads the script of a command line with find_source(). What is not known to be plain Lua may be Markdown of somebody
// else: that is read in the box, if one can be made. Returns the exit code where the box ended without it.
std::optional<int> read_source(Guard& guard, CommandLine& line) {
  lua::Settings& settings = line.settings;
  std::error_code unseen;
  const bool is_lua =
      line.script != "-" && (line.script.ends_with(".lua") || !std::filesystem::is_regular_file(line.script, unseen));
  if (is_lua || is_boxed() || box::landlock_version() == 0) {
    settings.source = find_source(line.script, line.block, settings.args);
    return std::nullopt;
  }
  const broker::Json asked{{"script", line.script}, {"block", line.block}, {"rest", settings.args}};
  bool found = false;
  const auto take = [&](std::string_view bytes) {
    const broker::Json told = broker::unpack(std::string(bytes));
    told.at("source").get_to(settings.source);
    told.at("rest").get_to(settings.args);
    found = true;
  };
  const int code = look_in_box(guard, {line.words[0], kReadSource, asked.dump()}, {line.script}, take);
  if (line.script == "-") ::lseek(STDIN_FILENO, 0, SEEK_SET);
  return found ? std::nullopt : std::optional(code);
}

// Makes standard input a file that can be read again.
void keep_standard_input() {
  const Fd kept(::memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!kept) throw system_error("memfd_create", errno);
  std::array<char, 65536> part{};
  for (ssize_t size = 0; (size = ::read(STDIN_FILENO, part.data(), part.size())) > 0;)
    write_all(kept.get(), {part.data(), static_cast<std::size_t>(size)}, "the script");
  // Each boxed process has it open: none may change what the next one reads.
  ::fcntl(kept.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  ::dup2(kept.get(), STDIN_FILENO);
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
}

// What the script found before it failed is not lost.
void answer_finished(lua::Vm& vm, const Error& error) {
  try {
    lua::push_program(vm.state(), "failed");
    lua::push(vm.state(), std::string(to_string(error.kind())));
    vm.run(1);
  } catch (const std::exception&) {
    // The failure that led here says more.
  }
}

Invocation invocation_of(const CommandLine& line, bool reads) {
  const Source& source = line.settings.source;
  Invocation invocation{line, source.name.starts_with('@') ? line.script : "-"};
  invocation.may_ask = !reads && !line.settings.dry_run && can_ask();
  invocation.reads_only = reads;
  if (reads) invocation.read = named_to_read(line.rest);
  if (reads) invocation.outputs = outputs_of(source, line.rest);
  if (!line.settings.stdlib_folder.empty()) invocation.read.push_back(line.settings.stdlib_folder);
  return invocation;
}

std::unique_ptr<Permissions> permissions_of(const Invocation& invocation) {
  const bool reads = invocation.reads_only;
  const CommandLine& line = invocation.line;
  const Source& source = line.settings.source;
  CommandLine allowed = line;
  if (reads && source.title == "aggregate.lua") allowed.allow.emplace_back("process=gnuplot");
  if (reads && source.title == "open.lua") allowed.allow.emplace_back("unboxed=xdg-open");  // of the output alone
  // A shipped script is harmless as long as the user chooses what it runs, and nobody else its options.
  const bool shipped = is_shipped(source.text) && source.reported.empty() && !reads;
  auto permissions = permissions_for_script(
      allowed, {source.name.substr(1), "", sha256(source.text), line.settings.arguments(), shipped},
      source.name.starts_with('@') && !reads ? line.script : "");
  if (!reads || !permissions) return permissions;
  for (const std::string& path : invocation.read)
    for (const EffectKind kind : {EffectKind::files, EffectKind::git}) permissions->grant(kind, path, false);
  for (const std::string& output : invocation.outputs) permissions->grant(EffectKind::files, output, true);
  return permissions;
}

int run_here(const CommandLine& line, Loop& loop, Guard& guard) {
  const Source& source = line.settings.source;
  // The options of a shared script decide what it does, and a page that shows the script may not show them.
  if (!source.reported.empty() && !line.settings.quiet)
    terminal::console().write_err(fmt::format("{}:{}: reported with {}\n", source.name.substr(1), source.first_line,
                                              shell_words(source.reported)));
  lua::Vm vm(loop, guard, line.settings, lua::open_reg);
  if (is_boxed()) lua::end_stuck_calls();
  lua::load_chunk(vm.state(), source.text, source.shipped ? "=scripts/" + source.title : source.name,
                  source.first_line);
  // A script without options gets its arguments as `...`.
  return run_main(loop, vm, line.settings.arguments());
}

// Runs a shipped script in this process, as long as it loads nothing but the user's own files. Nothing that it does
// before it loads another changes anything: it is begun anew then, in the box.
int run_shipped(const CommandLine& line, Loop& loop, Guard& guard, std::unique_ptr<Permissions> permissions) {
  std::string joined, its_text;  // the first file of somebody else that it loads as code
  permissions->before_foreign_joins([&](const std::string& file, std::string_view text) {
    joined = file;
    its_text = text;
    throw Error(ErrorKind::permission, file + " is not trusted");
  });
  guard.set_policy(std::move(permissions));
  try {
    return run_here(line, loop, guard);
  } catch (const Error&) {
    if (joined.empty()) throw;
  }
  Invocation invocation = invocation_of(line, false);
  auto all = permissions_of(invocation);
  all->join(joined, its_text, false);
  invocation.read.push_back(real_path(joined));
  if (const auto code = run_boxed(loop, guard, *all, invocation)) return *code;
  guard.set_policy(std::move(all));
  return run_here(line, loop, guard);
}

// Runs the script in the box first, which hands over what it found in the store, or ends there.
int look(CommandLine& line, Guard& guard) {
  Loop loop;
  Invocation invocation = invocation_of(line, true);
  const auto permissions = permissions_of(invocation);
  invocation.outputs.emplace_back();
  invocation.take = [&line](std::string_view text) { line.settings.handed = text; };
  return run_boxed(loop, guard, *permissions, invocation).value_or(1);
}

}  // namespace

int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments) {
  stop_on_signals(loop, [&vm](int) { vm.tasks().cancel_all(); });
  lua_State* L = vm.state();
  luaL_checkstack(L, static_cast<int>(arguments.size()), "arguments");
  for (const std::string& argument : arguments) lua::push(L, argument);
  try {
    const int count = vm.run(static_cast<int>(arguments.size()));
    return count > 0 && lua_isinteger(L, -count) != 0 ? static_cast<int>(lua_tointeger(L, -count)) : 0;
  } catch (const lua::ScriptExit& end) {
    return end.code;
  } catch (const Error& error) {
    answer_finished(vm, error);
    throw;
  }
}

int run_script(CommandLine& line, Loop& loop, Guard& guard) {
  Source& source = line.settings.source;
  if (line.has_code) {
    source.name = "=-e";
    source.text = line.code;
    guard.set_policy(policy_for_typed(line));
    return run_here(line, loop, guard);
  }
  if (line.script == "-" && !is_boxed()) keep_standard_input();
  if (const auto code = read_source(guard, line)) return *code;
  if (asks_for_help(line.rest) && source.text.find("reg.options") == source.text.npos &&
      !takes_arguments(source.text)) {
    const std::vector<std::string> head = head_of(source.text);
    terminal::console().write_out((head.empty() ? line.script : join(head, "\n") + "\n\nIt") + " takes no options.\n");
    return 0;
  }
  if (looks_first(source) && !is_boxed() && !line.trust) {
    const int code = look(line, guard);
    if (!line.settings.handed) return code;
  }
  const bool reads = is_boxed() ? only_reads_here() : only_reads(source);
  const Invocation invocation = invocation_of(line, reads);
  auto permissions = permissions_of(invocation);
  if (is_boxed() && permissions) {
    guard.set_policy(boxed_policy(loop, guard, std::move(*permissions)));
  } else if (permissions && permissions->untrusted_script().empty()) {
    return run_shipped(line, loop, guard, std::move(permissions));
  } else if (permissions) {
    if (const auto code = run_boxed(loop, guard, *permissions, invocation)) return *code;
    guard.set_policy(std::move(permissions));
  }
  return run_here(line, loop, guard);
}

int hand_over_source(Guard& guard, const std::string& asked) {
  const auto json = broker::Json::parse(asked);
  std::vector<std::string> rest = json.at("rest");
  const Source source = find_source(json.at("script"), json.at("block").get<std::optional<std::size_t>>(), rest);
  return guard.policy().writes("", broker::pack({{"source", source}, {"rest", rest}})) ? 0 : 1;
}

std::unique_ptr<Permissions> permissions_of_command(const std::string& name) {
  return permissions_for_script({}, {name, "", sha256(name), {}, false}, "");
}

int look_in_box(Guard& guard, const std::vector<std::string>& words, const std::vector<std::string>& read,
                std::function<void(std::string_view)> take) {
  Loop loop;
  CommandLine line;
  line.words = words;
  Invocation invocation{line, "-", named_to_read(read)};
  if (take) invocation.outputs.emplace_back();
  invocation.take = std::move(take);
  return run_boxed(loop, guard, *permissions_of_command(words.at(1)), invocation).value_or(1);
}

}  // namespace reg
