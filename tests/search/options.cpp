#include "tests/search/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <thread>

#include "engine/base/error.h"

namespace reg::score {
namespace {

int number(const std::string& option, const std::string& text, int least) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end || value < least)
    throw Error(ErrorKind::usage, fmt::format("{} wants a whole number from {}, not '{}'", option, least, text));
  return value;
}

}  // namespace

const char* const kHelp =
    R"(search_score: plays the search against simulated histories and prints, for each kind of history, the runs
it took and how often all of it was right.

  --goals        what the search is made for, the default
  --untold       ordinary machines, and a question that names no smallest effect
  --door         a few releases, loaded machines, two named ends
  --cells TEXT   only the kinds with TEXT in their names
  --traces N     histories of each kind (100)                --seed S     other ones (dev-1)
  --parallel K   places in a round (1)                       --threads N  histories at a time (all cores)
  --plant        plays each history without a change again, with a step of the resolution claimed for it
  --rivals       git bisect beside it, on the same draws
  --trace T      only history number T of each kind          --show       its requests one by one
  --check        fails where the goals are missed by far
  --decision     only times how long one decision takes

Columns: histories; runs on average, the 95th percentile, the most; rounds; the part of the histories in which every
change was named at its exact place and no other, with its 95 % interval; false changes a history; part left
unresolved; part called "no change"; changes said with p >= .95: how many were true; of the changes at their exact place, how many have a 95 %
interval that holds their size; the resolution claimed, in parts of the noise; part of the
histories for which that claim is false; of the steps that --plant added, those that a reported change covers.
)";

Options parse_options(int argc, char** argv) {
  Options options;
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool goals = false;
  const std::map<std::string, bool*> flags{
      {"--goals", &goals},           {"--rivals", &options.rivals},     {"--show", &options.show},
      {"--check", &options.check},   {"--decision", &options.decision}, {"--help", &options.help},
      {"--untold", &options.untold}, {"--plant", &options.plant},       {"--door", &options.door},
  };
  const std::map<std::string, std::pair<int*, int>> numbers{
      {"--traces", {&options.traces, 1}},
      {"--parallel", {&options.parallel, 1}},
      {"--threads", {&options.threads, 1}},
      {"--trace", {&options.trace, 0}},
  };
  const std::map<std::string, std::string*> texts{{"--seed", &options.seed}, {"--cells", &options.cells}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (const auto flag = flags.find(word); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    const auto wanted = numbers.find(word);
    const auto text = texts.find(word);
    if (wanted == numbers.end() && text == texts.end())
      throw Error(ErrorKind::usage, fmt::format("unknown option '{}'; --help names them", word));
    if (i + 1 == argc) throw Error(ErrorKind::usage, fmt::format("{} wants a value", word));
    ++i;
    if (text != texts.end())
      *text->second = argv[i];
    else
      *wanted->second.first = number(word, argv[i], wanted->second.second);
  }
  if (goals + options.untold + options.door > 1)
    throw Error(ErrorKind::usage, "--goals, --untold or --door, one of them");
  if (options.show && options.trace < 0)
    throw Error(ErrorKind::usage, "--show wants the number of a history: --trace T");
  if (options.check && (options.untold || options.door || options.trace >= 0))
    throw Error(ErrorKind::usage, "--check is of the goals, and of many histories: without --trace");
  return options;
}

}  // namespace reg::score
