#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>

#include "bindings/program/program.h"
#include "bindings/runtime/source.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/terminal/console.h"

namespace reg {

bool is_subcommand(const CommandLine& line) {
  return !line.has_code &&
         (has_word("doctor gc recover trust", line.script) || (is_boxed() && line.script == kReadSource));
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const auto& word) { return has_word("--help -h", word); });
}

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

bool takes_arguments(const std::string& script) {
  static const std::regex arguments(R"([\s(,{=]\.\.\.)");
  return std::regex_search(script, arguments);
}

namespace {

// `regengine help TOPIC`: of a strategy or a subcommand its --help, of anything else what `help` says at the prompt.
void take_topic(CommandLine& line) {
  const std::string topic = line.rest[0];
  line.script = topic;
  line.rest = {"--help"};
  if (is_subcommand(line)) return;
  for (const char* suffix : {"", ".lua"})
    if (!find_embedded("scripts/" + topic + suffix).empty()) return;
  line.script.clear();
  line.topic = topic;
}

// Each shipped script and the first sentence of its head, for a terminal of 80 columns.
std::string shipped_lines() {
  constexpr std::size_t kLeft = 15, kWidth = 80;
  std::string text;
  for (const std::string& name : shipped_scripts()) {
    const std::string head = join(head_of(find_embedded("scripts/" + name)), " ");
    text += terminal::wrapped(fmt::format("  {:<{}}{}\n", name.substr(0, name.rfind(".lua")), kLeft - 2,
                                          head.substr(0, std::min(head.find(". "), head.find(": ")))),
                              kWidth);
  }
  return text;
}

void describe(CLI::App& app, CommandLine& line) {
  app.set_help_flag("-h,--help", "print this help");
  app.add_option("-e,--execute", line.code, "run this Lua code");
  app.add_option("--stdlib", line.settings.stdlib_folder,
                 "use the standard library in this folder, not the built-in one")
      ->type_name("DIR");
  app.add_option("--audit", line.audit_file, "append one line of JSON to this file for each outside effect")
      ->type_name("FILE");
  app.add_option("--block", line.block, "run the Nth lua block of a Markdown file that has several")->type_name("N");
  app.add_option("--stubs", line.stubs_folder, "write stubs of reg for editors into this folder")->type_name("DIR");
  app.add_flag("--trust", line.trust, "trust the script as your own: it may do everything");
  app.add_option("--allow", line.allow,
                 "permit an untrusted script what the pattern matches, such as process=make; may be repeated")
      ->type_name("KIND=PATTERN")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", line.settings.dry_run, "print what would run, but change nothing");
  app.add_flag("-q,--quiet", line.settings.quiet, "hide progress");
  app.add_option("--memory", line.settings.memory, "memory limit of the script, such as 8G (default 2G)")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""));
  app.add_option("--instructions", line.settings.instructions,
                 "limit of Lua instructions between two outside effects (default 50000000000, some minutes)")
      ->type_name("N");
  app.set_version_flag(
      "-V,--version",
      "regengine " + version() + " (Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE ")",
      "print the version");
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
         script.find("short = \"" + name + "\"") != script.npos ||
         std::regex_search(
             script, std::regex(R"((^|\W))" + name + R"(["'\]]{0,2}\s{0,9}=\s{0,9}\{)"));  // name = {, ["name"] = {
}

// To the engine belong all words up to and including the script's name, or up to the first non-option after -e, and its
// options behind those but for the ones that the script takes itself. The rest belongs to the script.
void sort_words(const CLI::App& app, int argc, char** argv, std::vector<std::string>& engine,
                std::vector<std::string>& rest) {
  bool code = false, behind = false;
  std::optional<std::string> script;  // read only if it decides anything
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    if (!behind && (word == "-" || !word.starts_with('-'))) {
      behind = true;
      (code ? rest : engine).push_back(word);
      continue;
    }
    const bool of_script =
        behind && (!name.starts_with('-') || has_word("-h --help -e --execute --block -V --version", name));
    const CLI::Option* option = of_script ? nullptr : app.get_option_no_throw(name);
    if (behind && option != nullptr && !script) script = script_text(engine.back());
    if (behind && (option == nullptr || takes(*script, name))) {
      rest.push_back(word);
      continue;
    }
    code = code || word.starts_with("-e") || word.starts_with("--execute");
    const auto at = engine.insert(behind ? engine.begin() : engine.end(), word);
    if (option != nullptr && option->get_items_expected_max() > 0 && name == word && i + 1 < argc)
      engine.insert(at + 1, argv[++i]);
  }
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, CommandLine& line) {
  CLI::App app("Finds the nightly build, the hour and the commit that made a program slower", "regengine");
  app.formatter(std::make_shared<Layout>());
  describe(app, line);
  std::vector<std::string> engine;
  sort_words(app, argc, argv, engine, line.rest);
  try {
    app.parse(std::vector<std::string>(engine.rbegin(), engine.rend()));
    if (line.settings.memory < std::size_t{1} << 24) throw CLI::ValidationError("--memory", "must be at least 16M");
    if (line.settings.instructions < 1'000'000)
      throw CLI::ValidationError("--instructions", "must be at least 1000000");
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
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
  return std::nullopt;
}

}  // namespace reg
