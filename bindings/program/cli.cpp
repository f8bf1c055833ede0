#include "bindings/program/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>

#include "bindings/nouns/library.h"
#include "bindings/program/ask.h"
#include "bindings/program/boxed.h"
#include "bindings/program/doctor.h"
#include "bindings/program/foreground.h"
#include "bindings/program/gc.h"
#include "bindings/program/outside.h"
#include "bindings/program/prompt.h"
#include "bindings/program/reader.h"
#include "bindings/program/recover.h"
#include "bindings/program/stop_signals.h"
#include "bindings/program/trust.h"
#include "bindings/runtime/embedded.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/stuck_calls.h"
#include "bindings/runtime/vm.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/notice.h"
#include "engine/base/stops.h"
#include "engine/base/text.h"
#include "engine/box/landlock.h"
#include "engine/terminal/console.h"
#include "engine/terminal/wrap.h"

namespace reg {
namespace {

struct CommandLine {
  std::string code;       // -e
  bool has_code = false;  // it may be empty
  std::string stdlib_folder;
  std::string audit_file;
  std::string stubs_folder;
  std::optional<std::string> topic;  // of `help TOPIC`, if it is neither a script nor a subcommand
  PermissionOptions permissions;
  bool dry_run = false;
  bool quiet = false;
  bool version = false;
  std::size_t memory = lua::Settings{}.memory;
  std::int64_t instructions = lua::Settings{}.instructions;
  std::optional<std::size_t> block;  // of a Markdown file with several
  std::string script;                // a file, the name of a shipped strategy, "-", or a subcommand
  std::vector<std::string> rest;     // the script's arguments
  std::vector<std::string> words;    // all of it
};

void print_error(const Error& error) {
  terminal::Console& console = terminal::console();
  if (console.lost_reader()) return;
  std::fflush(stdout);
  console.write_err(std::string("regengine: ") + error.what() + "\n");
  if (!error.hint().empty()) console.write_err("  " + error.hint() + "\n");
  if (const auto* script = dynamic_cast<const lua::ScriptError*>(&error); script != nullptr)
    if (!script->traceback().empty()) console.write_err(script->traceback() + "\n");
}

int exit_code(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
    case ErrorKind::not_found:  // a named path, revision or image that does not exist
      return 2;
    case ErrorKind::cancelled:
      return 128 + SIGINT;
    default:
      return 1;
  }
}

// Whether the same command may get further later: the network, the machine, a disk or the test failed.
bool may_go_on(const Error& error) {
  return error.kind() == ErrorKind::network || error.kind() == ErrorKind::paused || error.kind() == ErrorKind::io;
}

// The words of the command that goes on with finished work: the same one would measure afresh with some options, and
// `ab` without one.
std::vector<std::string> continuing(const CommandLine& line) {
  std::vector<std::string> words;
  for (const std::string& word : line.words)
    if (word != "--fresh" && word != "--no-resume") words.push_back(word);
  const bool is_ab = line.script == "ab" || line.script == "ab.lua";
  if (is_ab && std::find(words.begin(), words.end(), "--resume") == words.end()) words.emplace_back("--resume");
  return words;
}

bool is_subcommand(const CommandLine& line) {
  return !line.has_code && has_word("doctor gc recover trust", line.script);
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const auto& word) { return has_word("--help -h", word); });
}

// `regengine help TOPIC`: of a strategy or a subcommand its --help, of anything else what `help` says at the prompt.
void take_topic(CommandLine& line) {
  const std::string topic = line.rest[0];
  const std::vector<std::string> shipped = shipped_scripts();
  const bool is_script = std::any_of(shipped.begin(), shipped.end(),
                                     [&](const std::string& name) { return name == topic || name == topic + ".lua"; });
  line.script = topic;
  line.rest = {"--help"};
  if (is_script || is_subcommand(line)) return;
  line.script.clear();
  line.topic = topic;
}

int run_subcommand(const CommandLine& line, Loop& loop, Guard& guard) {
  if (is_boxed()) guard.set_policy(boxed_policy(loop, guard, permissions_of_command(line.script)));
  if (line.script == "trust") return run_trust(line.rest);
  if (line.script == "gc") return run_gc(line.rest, loop, guard);
  if (line.script == "doctor" && line.rest.size() == 1)
    return is_boxed() || box::landlock_version() == 0
               ? check_store(line.rest[0])
               : look_in_box(guard, {line.words[0], "doctor", line.rest[0]}, line.rest);
  if (!line.rest.empty())
    throw Error(ErrorKind::usage, line.script + " takes no arguments: '" + line.rest.back() + "'");
  return line.script == "doctor" ? run_doctor(loop) : run_recover(guard);
}

// The options of a shared script decide what it does, and a page that shows the script may not show them.
void print_reported_options(const Source& source) {
  terminal::console().write_err(fmt::format("{}:{}: reported with {}\n", source.name.substr(1), source.first_line,
                                            shell_words(source.reported_args)));
}

// What the script found before it failed is not lost.
void answer_finished(lua::Vm& vm) {
  try {
    lua::push_program(vm.state(), "failed");
    vm.run(0);
  } catch (const std::exception&) {
    // The failure that led here says more.
  }
}

// Runs the function on the stack as the main task. Returns the exit code, which the function may return.
int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments) {
  const StopSignals signals(loop, [&vm](int) { vm.interrupt(); });
  lua_State* L = vm.state();
  luaL_checkstack(L, static_cast<int>(arguments.size()), "arguments");
  for (const std::string& argument : arguments) lua::push(L, argument);
  try {
    const int count = vm.run(static_cast<int>(arguments.size()));
    return count > 0 && lua_isinteger(L, -count) != 0 ? static_cast<int>(lua_tointeger(L, -count)) : 0;
  } catch (const lua::ScriptExit& end) {
    return end.code;
  } catch (const Error&) {
    answer_finished(vm);
    throw;
  }
}

// The first file of somebody else that a shipped script loads as code.
struct Joined {
  std::string file, text;
};

std::unique_ptr<Permissions> permissions_of(const CommandLine& line, const Source& source,
                                            const lua::Settings& settings, bool reads) {
  PermissionOptions options = line.permissions;
  if (reads && source.title == "open.lua") options.allow.emplace_back("unboxed=xdg-open");  // of the output alone
  if (reads && source.title == "aggregate.lua") options.allow.emplace_back("process=gnuplot");
  auto permissions =
      permissions_for_script({source.name.substr(1), source.name.starts_with('@') && !reads ? line.script : "",
                              source.text, settings.script_args.empty() ? source.reported_args : settings.script_args,
                              !source.reported_args.empty() || reads},
                             options);
  if (!reads || !permissions) return permissions;
  for (const std::string& path : named_to_read(line.rest))
    for (const EffectKind kind : {EffectKind::files, EffectKind::git}) permissions->grant(kind, path, false);
  for (const std::string& output : outputs_of(source, line.rest)) permissions->grant(EffectKind::files, output, true);
  return permissions;
}

// The lines of a script's head comment.
std::vector<std::string> head_of(std::string_view script) {
  std::vector<std::string> head;
  for (const std::string_view line : lines(script)) {
    if (line.starts_with("--"))
      head.emplace_back(trim(line.substr(std::min(line.find_first_not_of('-'), line.size()))));
    else if (!head.empty() || !line.starts_with("#!"))
      break;
  }
  return head;
}

// Whether a script reads its arguments as `...`.
bool takes_arguments(const std::string& script) { return std::regex_search(script, std::regex(R"([\s(,{=]\.\.\.)")); }

// Hears what a script declares, and lets it look at files alone.
class Listener : public Policy {
 public:
  explicit Listener(Permissions& told) : told_(told) {}
  std::string permit(const Effect& effect, bool) override {
    if (effect.kind == EffectKind::files && !effect.changes) return told_.permit(effect, false);
    throw Error(ErrorKind::permission, effect.what);
  }
  void declare(EffectKind kind, const std::string& pattern) override { told_.declare(kind, pattern); }
  std::string untrusted_script() const override { return "unknown"; }

 private:
  Permissions& told_;
};

std::string_view options_of(std::string_view script) {
  const auto begin = script.find("reg.options {");
  return begin == script.npos ? "" : script.substr(begin, script.find("\n}", begin) - begin);
}

// The shipped script that has the same options, and declares the same with them; "" if there is none.
std::string declares_like(Loop& loop, const CommandLine& line, const Source& source, const lua::Settings& settings,
                          const Permissions& asked) {
  for (const std::string& name : shipped_scripts()) {
    const std::string_view text = find_embedded("scripts/" + name), options = options_of(text);
    if (options.empty() || options != options_of(source.text)) continue;
    const auto told = permissions_of(line, source, settings, false);
    Guard guard(std::make_unique<Listener>(*told));
    try {
      lua::Vm vm(loop, guard, settings, lua::open_reg);
      vm.load(text, "=scripts/" + name);
      vm.run(0);
    } catch (const std::exception&) {
      // It ends with the first effect. What it needs was declared before.
    }
    if (told->declared().all() == asked.declared().all()) return name;
  }
  return {};
}

Invocation invocation_of(const CommandLine& line, const Source& source, bool reads, Loop& loop,
                         const lua::Settings& settings) {
  Invocation invocation{line.words,
                        line.rest,
                        source.name.starts_with('@') ? line.script : "-",
                        reads ? named_to_read(line.rest) : std::vector<std::string>{},
                        !reads && !line.dry_run && can_ask(),
                        [&](const Permissions& asked) { return declares_like(loop, line, source, settings, asked); },
                        line.audit_file,
                        reads,
                        reads ? outputs_of(source, line.rest) : std::vector<std::string>{},
                        line.memory,
                        {}};
  if (!line.stdlib_folder.empty()) invocation.read.push_back(line.stdlib_folder);
  return invocation;
}

int run_here(Loop& loop, Guard& guard, const Source& source, lua::Settings settings) {
  if (!source.reported_args.empty() && !settings.quiet) print_reported_options(source);
  lua::Vm vm(loop, guard, std::move(settings), lua::open_reg);
  if (is_boxed()) lua::end_stuck_calls();
  vm.load(source.text, source.shipped ? "=scripts/" + source.title : source.name, source.first_line);
  // A script without options gets its arguments as `...`.
  return run_main(loop, vm, vm.settings().script_args.empty() ? source.reported_args : vm.settings().script_args);
}

// Runs a shipped script in this process, as long as it loads nothing but the user's own files. Nothing that it does
// before it loads another changes anything: it is begun anew then, in the box.
int run_shipped(const CommandLine& line, Loop& loop, Guard& guard, const Source& source, const lua::Settings& settings,
                std::unique_ptr<Permissions> permissions) {
  std::optional<Joined> joined;
  permissions->before_foreign_joins([&](const std::string& file, std::string_view text) {
    joined = Joined{file, std::string(text)};
    throw Error(ErrorKind::permission, file + " is not trusted");
  });
  guard.set_policy(std::move(permissions));
  try {
    return run_here(loop, guard, source, settings);
  } catch (const Error&) {
    if (!joined) throw;
  }
  auto all = permissions_of(line, source, settings, false);
  all->join(joined->file, joined->text, false);
  Invocation invocation = invocation_of(line, source, false, loop, settings);
  invocation.read.push_back(real_path(joined->file));
  if (const auto code = run_boxed(loop, guard, *all, invocation)) return *code;
  guard.set_policy(std::move(all));
  return run_here(loop, guard, source, settings);
}

// Runs the script in the box first, which hands over what it found in the store, or ends there.
int look(const CommandLine& line, Guard& guard, const Source& source, const lua::Settings& settings) {
  Loop loop;
  Invocation invocation = invocation_of(line, source, true, loop, settings);
  invocation.outputs.emplace_back();
  invocation.take = [](std::string_view text) { lua::handed_over() = text; };
  return run_boxed(loop, guard, *permissions_of(line, source, settings, true), invocation).value_or(1);
}

int run_script(CommandLine& line, Loop& loop, Guard& guard, lua::Settings settings) {
  Source source;
  if (line.script == "-" && !is_boxed()) keep_standard_input();
  if (!line.has_code) {
    source = find_source(line.script, line.block, settings.script_args);
  } else {
    source.name = "=-e";
    source.text = line.code;
  }
  settings.script_text = source.text;
  settings.script_title = source.title;
  settings.reported_args = source.reported_args;
  settings.modules = std::move(source.modules);
  settings.files = std::move(source.files);
  settings.seed = source.seed;
  if (line.has_code) {
    guard.set_policy(policy_for_typed(line.permissions));
    return run_here(loop, guard, source, std::move(settings));
  }
  if (asks_for_help(line.rest) && source.text.find("reg.options") == source.text.npos &&
      !takes_arguments(source.text)) {
    const std::vector<std::string> head = head_of(source.text);
    terminal::console().write_out((head.empty() ? line.script : join(head, "\n") + "\n\nIt") + " takes no options.\n");
    return 0;
  }
  if (looks_first(source) && !is_boxed() && !line.permissions.trust) {
    const int code = look(line, guard, source, settings);
    if (!lua::handed_over()) return code;
  }
  const bool reads = is_boxed() ? only_reads_here() : only_reads(source);
  auto permissions = permissions_of(line, source, settings, reads);
  if (is_boxed() && permissions) {
    guard.set_policy(boxed_policy(loop, guard, std::move(permissions)));
  } else if (permissions && permissions->untrusted_script().empty()) {
    return run_shipped(line, loop, guard, source, settings, std::move(permissions));
  } else if (permissions) {
    if (const auto code = run_boxed(loop, guard, *permissions, invocation_of(line, source, reads, loop, settings)))
      return *code;
    guard.set_policy(std::move(permissions));
  }
  return run_here(loop, guard, source, std::move(settings));
}

int print_topic(const CommandLine& line, Loop& loop, Guard& guard, lua::Settings settings) {
  lua::Vm vm(loop, guard, std::move(settings), lua::open_reg);
  lua::push_program(vm.state(), "topic");
  return run_main(loop, vm, {*line.topic});
}

// The target folder is the workspace of the code that writes the stubs.
int write_stubs(const CommandLine& line, Loop& loop, Guard& guard, lua::Settings settings) {
  const std::string folder = std::filesystem::weakly_canonical(std::filesystem::absolute(line.stubs_folder));
  if (guard.admit({EffectKind::files, "create the folder " + folder, {}})) make_folders(folder);
  settings.workspace = folder;
  lua::Vm vm(loop, guard, std::move(settings), lua::open_reg);
  lua::push_program(vm.state(), "stubs");
  return run_main(loop, vm, {line.stubs_folder});
}

// The first sentence of a script's head comment.
std::string first_sentence(std::string_view script) {
  const std::string head = join(head_of(script), " ");
  return head.substr(0, std::min(head.find(". "), head.find(": ")));
}

// Each shipped script and what it does, for a terminal of 80 columns.
std::string shipped_lines() {
  constexpr std::size_t kLeft = 15;
  constexpr std::size_t kWidth = 80;
  std::string text;
  for (const std::string& name : shipped_scripts()) {
    const std::string line = fmt::format("  {:<{}}{}\n", name.substr(0, name.rfind(".lua")), kLeft - 2,
                                         first_sentence(find_embedded("scripts/" + name)));
    text += terminal::wrapped(line, kWidth);
  }
  return text;
}

template <class Number>
CLI::Validator at_least(Number least, const std::string& shown) {
  const auto check = [=](const std::string& text) {
    Number value{};
    return CLI::detail::lexical_cast(text, value) && value >= least ? ""
                                                                    : "must be at least " + shown + ": '" + text + "'";
  };
  return CLI::Validator(check, "");
}

void describe(CLI::App& app, CommandLine& line) {
  app.set_help_flag("-h,--help", "print this help");
  app.add_option("-e,--execute", line.code, "run this Lua code");
  app.add_option("--stdlib", line.stdlib_folder, "use the standard library in this folder, not the built-in one")
      ->type_name("DIR");
  app.add_option("--audit", line.audit_file, "append one line of JSON to this file for each outside effect")
      ->type_name("FILE");
  app.add_option("--block", line.block, "run the Nth lua block of a Markdown file that has several")->type_name("N");
  app.add_option("--stubs", line.stubs_folder, "write stubs of reg for editors and luacheck into this folder")
      ->type_name("DIR");
  app.add_flag("--trust", line.permissions.trust, "trust the script as your own: it may do everything");
  app.add_option("--allow", line.permissions.allow,
                 "permit an untrusted script what the pattern matches, such as process=make; may be repeated")
      ->type_name("KIND=PATTERN")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", line.dry_run, "print what would run, but change nothing");
  app.add_flag("-q,--quiet", line.quiet, "hide progress");
  app.add_option("--memory", line.memory, "memory limit of the script, such as 8G (default 2G)")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(at_least(std::size_t{1} << 24, "16M"));
  app.add_option("--instructions", line.instructions,
                 "limit of Lua instructions between two outside effects (default 50000000000, some minutes)")
      ->type_name("N")
      ->check(at_least(std::int64_t{1'000'000}, "1000000"));
  app.add_flag("-V,--version", line.version, "print the version");
  app.add_option("script", line.script)->group("");
  app.footer(
      "  regengine nightly --image 'ghcr.io/nvidia/jax:jax-{date}' --from '14d ago' --to yesterday --test test.sh\n"
      "  regengine bisect --repo . --good v1 --bad main --build make --test ./bench --metric 'speed: {number}'\n"
      "  regengine ab './old' './new'\n"
      "  regengine                        the prompt\n\n"
      "Strategies, each with its own --help:\n" +
      shipped_lines() +
      "\nOther commands:\n"
      "  FILE.lua, FILE.md    runs a Lua script, or a Markdown file with a script in a lua block; - for standard "
      "input\n"
      "  doctor               shows what this machine has, what is missing and what that is needed for\n"
      "  doctor STORE         checks a store for damage\n"
      "  gc [--remove]        shows or removes worktrees, outputs and pulled images that nothing needs\n"
      "  help TOPIC           shows the help of a strategy, or of a function such as container.run\n"
      "  recover              restores the settings that a killed engine had changed\n"
      "  trust [PATH...]      trusts your files and folders: their scripts may do everything; --forget PATH undoes "
      "it\n");
}

// Examples and commands first, options last.
class Layout : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
    return app->get_description() + "\n\n" + app->get_footer() + make_groups(app, mode) +
           "Exit codes: 0 answered, 1 failure, 2 usage error, 3 inconclusive, 4 a regression with "
           "--fail-on-regression,\n"
           "130 stopped by Ctrl-C.\n";
  }
};

// The text of a script that is a file or shipped; "" for any other.
std::string script_text(const std::string& script) {
  std::error_code unseen;
  if (std::filesystem::is_regular_file(script, unseen)) return read_file_if_there(script).value_or("");
  const std::string_view text = find_embedded("scripts/" + script);
  return std::string(text.empty() ? find_embedded("scripts/" + script + ".lua") : text);
}

// Whether a script takes this option itself: one that it declares, or one that reg.options gives to several. A script
// that only gets its arguments as `...` may take any.
bool takes(const std::string& script, const std::string& option) {
  if (script.find("reg.options") == script.npos) return takes_arguments(script);
  const std::string name = option.substr(option.find_first_not_of('-'));
  return has_word("--quiet --dry-run", option) ||
         (option == "--memory" && script.find("\"container\"") != script.npos) ||
         std::regex_search(script,
                           std::regex(R"re(short\s*=\s*")re" + name + R"re("|\b)re" + name + R"re(\W*=\s*\{)re"));
}

// Moves the engine's options that are behind a script to `engine`, but for those that the script takes itself.
void take_options(const CLI::App& app, const std::string& script, std::vector<std::string>& engine,
                  std::vector<std::string>& rest) {
  std::vector<std::string> kept;
  for (auto word = rest.begin(); word != rest.end(); ++word) {
    const std::string name = word->substr(0, word->find('='));
    const CLI::Option* option = name.starts_with('-') && !has_word("-h --help -e --execute --block -V --version", name)
                                    ? app.get_option_no_throw(name)
                                    : nullptr;
    if (option == nullptr || takes(script, name)) {
      kept.push_back(*word);
      continue;
    }
    engine.insert(engine.begin(), *word);
    if (option->get_items_expected_max() > 0 && name == *word && word + 1 != rest.end())
      engine.insert(engine.begin() + 1, *++word);
  }
  rest = std::move(kept);
}

// The number of arguments that belong to the engine: all up to and including the script's name, or up to the first
// non-option after -e. The rest belongs to the script.
int count_engine_arguments(const CLI::App& app, int argc, char** argv) {
  bool code = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-" || !word.starts_with('-')) return code ? i : i + 1;
    code = code || word.starts_with("-e") || word.starts_with("--execute");
    const CLI::Option* option = app.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_max() > 0) ++i;  // its value
  }
  return argc;
}

}  // namespace

int run_program(int argc, char** argv) {
  enter_box_if_told(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // the write that is too much for `ulimit -f` fails, and says so
  count_stops();
  show_notices([](const std::string& line) { terminal::console().write_err(line + "\n"); });
  if (argc == 3 && std::string_view(argv[1]) == "--guardian") return run_guardian(argv[2]);
  CommandLine line;
  CLI::App app("Finds the nightly build, the hour and the commit that made a program slower", "regengine");
  app.formatter(std::make_shared<Layout>());
  describe(app, line);
  const int own = count_engine_arguments(app, argc, argv);
  std::vector<std::string> engine(argv + 1, argv + own);
  line.rest.assign(argv + own, argv + argc);
  if (!engine.empty()) take_options(app, script_text(engine.back()), engine, line.rest);
  try {
    app.parse(std::vector<std::string>(engine.rbegin(), engine.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << "regengine: " << printable(error.what()) << "\n  Run regengine --help for the valid options.\n";
    return 2;
  }
  line.has_code = app.count("--execute") > 0;
  line.words.assign(argv, argv + argc);
  const bool asks = !line.has_code && line.script == "help";
  const bool names_topic = asks && !line.rest.empty();
  if (names_topic) take_topic(line);
  if ((asks && !names_topic) || (is_subcommand(line) && asks_for_help(line.rest))) {
    std::cout << app.help();
    return 0;
  }
  if (line.version) {
    std::cout << "regengine " << version()
              << " (Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE ")\n";
    return 0;
  }
  try {
    Loop loop;
    Guard guard(allow_all());
    if (line.dry_run) guard.start_dry_run();
    if (!line.audit_file.empty() && !is_boxed()) guard.audit_to(line.audit_file);
    lua::Settings settings;
    settings.stdlib_folder = line.stdlib_folder;
    settings.script_name = !line.has_code ? line.script : "";
    settings.script_args = line.rest;
    settings.workspace = std::filesystem::canonical(".");
    settings.quiet = line.quiet;
    settings.dry_run = line.dry_run;
    settings.memory = line.memory;
    settings.instructions = line.instructions;
    if (!line.stubs_folder.empty()) return write_stubs(line, loop, guard, std::move(settings));
    if (line.topic) return print_topic(line, loop, guard, std::move(settings));
    if (is_subcommand(line)) return run_subcommand(line, loop, guard);
    const bool nothing_named = !line.has_code && line.script.empty();
    if (nothing_named && isatty(STDIN_FILENO) != 0) {
      guard.set_policy(policy_for_typed(line.permissions));
      if (!line.permissions.trust)
        settings.run_apart = [words = line.words](const std::string& file) {
          std::vector<std::string> all = words;
          all.push_back(file);
          return run_in_foreground(std::move(all));
        };
      return lua::run_prompt(loop, guard, std::move(settings));
    }
    if (nothing_named) line.script = "-";
    return run_script(line, loop, guard, std::move(settings));
  } catch (const Error& error) {
    const std::vector<std::string> words = continuing(line);
    const std::string what =
        words == line.words ? "Run the same command to continue:" : "Run this command to continue:";
    if (error.kind() == ErrorKind::cancelled)
      print_error(Error(ErrorKind::cancelled, "stopped; finished work is kept. " + what, shell_words(words)));
    else if (may_go_on(error))
      print_error(Error(error.kind(), error.what(),
                        (!error.hint().empty() ? error.hint() + " " : "") + "Finished work is kept. " + what + " " +
                            shell_words(words)));
    else
      print_error(error);
    return exit_code(error);
  } catch (const std::exception& error) {
    print_error(as_error(error));
    return 1;
  }
}

}  // namespace reg
