#include "bindings/program/reader.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/box/landlock.h"

namespace reg {
namespace {

// The values of an option among a script's arguments, the last one last.
std::vector<std::string> values_of(const std::vector<std::string>& arguments, const std::string& name) {
  const std::string whole = "--" + name, letter = "-" + name.substr(0, 1);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if ((word == whole || word == letter) && i + 1 < arguments.size())
      values.push_back(arguments[++i]);
    else if (word.starts_with(whole + "="))
      values.push_back(word.substr(whole.size() + 1));
    else if (word.starts_with(letter))
      values.push_back(word.substr(letter.size()));
  }
  return values;
}

}  // namespace

bool only_reads(const Source& source) {
  return source.shipped && box::landlock_version() > 0 &&
         has_word("list.lua open.lua report.lua share.lua show.lua", source.title);
}

std::string output_of(const Source& source, const std::vector<std::string>& arguments) {
  const auto named = values_of(arguments, "output");
  if (named.empty() && source.title != "report.lua" && source.title != "open.lua") return {};
  return real_path(named.empty() ? "report.html" : named.back());
}

std::vector<std::string> named_to_read(const std::vector<std::string>& arguments) {
  const auto stores = values_of(arguments, "store");
  const std::string store = real_path(stores.empty() ? "regengine.db" : stores.back());
  std::vector<std::string> paths;
  for (const char* part : {"", "-wal", "-shm", ".lock", ".out"}) paths.push_back(store + part);
  for (const std::string& repo : values_of(arguments, "repo"))
    paths.push_back(real_path(repo.substr(repo.find('=') + 1)));
  return paths;
}

}  // namespace reg
