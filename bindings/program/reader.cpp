#include "bindings/program/reader.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "bindings/program/trust.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/box/box.h"
#include "engine/broker/wire.h"
#include "engine/guard/question.h"
#include "engine/store/open.h"

// What one box hands over of a script: it does not say whether that is shipped.
namespace reg::lua {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Module, text, first_line)
}
namespace reg {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Source, name, text, first_line, title, reported_args, seed, modules, files)
}

namespace reg {
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

}  // namespace

std::vector<std::string> values_of(const std::vector<std::string>& arguments, std::string name,
                                   const std::string& letter) {
  name = "--" + name;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
    const bool by_letter = !letter.empty() && word.starts_with(letter);
    if (word == name || (by_letter && word == letter))
      values.push_back(i + 1 < arguments.size() ? arguments[++i] : "");
    else if (word.starts_with(name + "="))
      values.push_back(word.substr(name.size() + 1));
    else if (by_letter)
      values.push_back(arguments[i].substr(letter.size() + (arguments[i][letter.size()] == '=' ? 1 : 0)));
  }
  return values;
}

bool only_reads(const Source& source) {
  return source.shipped && box::landlock_version() > 0 &&
         has_word("aggregate.lua analyze.lua compare.lua list.lua open.lua report.lua share.lua show.lua",
                  source.title);
}

bool looks_first(const Source& source) {
  return source.shipped && box::landlock_version() > 0 && source.title == "why.lua";
}

std::vector<std::string> outputs_of(const Source& source, const std::vector<std::string>& arguments) {
  const bool writes_page = has_word("open.lua report.lua", source.title);
  const auto last = [&](const char* name, const char* letter) {
    const std::vector<std::string> values = values_of(arguments, name, letter);
    return values.empty() ? "" : values.back();
  };
  const std::string named = source.title == "compare.lua"   ? last("csv", "")
                            : source.title == "analyze.lua" ? last("database", "")
                                                            : last("output", "-o");
  std::vector<std::string> outputs;
  if (!named.empty()) outputs.push_back(real_path(named));
  if (named.empty() && writes_page) outputs.push_back(within(".", "report.html", "--output FILE"));
  if (source.title != "analyze.lua") return outputs;
  const std::string given = last("output-dirname", ""), folder = given.empty() ? "output" : given;
  for (const char* name : {"metric_report.csv", "metric_report.jsonl"})
    outputs.push_back(within(folder, name, "--output-dirname DIR"));
  if (named.empty()) outputs.push_back(within(folder, "database.csv", "--database FILE"));
  return outputs;
}

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

std::optional<Source> read_source(Guard& guard, const CommandLine& line, std::vector<std::string>& rest, int& code) {
  std::error_code unseen;
  const bool is_lua =
      line.script != "-" && (line.script.ends_with(".lua") || !std::filesystem::is_regular_file(line.script, unseen));
  if (is_lua || is_boxed() || box::landlock_version() == 0) return find_source(line.script, line.block, rest);
  const broker::Json asked{{"script", line.script}, {"block", line.block}, {"rest", rest}};
  std::optional<Source> source;
  code = look_in_box(guard, {line.words[0], kReadSource, asked.dump()}, {line.script}, [&](std::string_view bytes) {
    const broker::Json told = broker::unpack(std::string(bytes));
    source = told.at("source").get<Source>();
    rest = told.at("rest");
  });
  if (line.script == "-") ::lseek(STDIN_FILENO, 0, SEEK_SET);
  return source;
}

int hand_over_source(Guard& guard, const std::string& asked) {
  const auto json = broker::Json::parse(asked);
  std::vector<std::string> rest = json.at("rest");
  const Source source = find_source(json.at("script"), json.at("block").get<std::optional<std::size_t>>(), rest);
  return guard.policy().writes("", broker::pack({{"source", source}, {"rest", rest}})) ? 0 : 1;
}

std::unique_ptr<Permissions> permissions_of_command(const std::string& name) {
  return permissions_for_script({name, "", name, {}, true}, {});
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
