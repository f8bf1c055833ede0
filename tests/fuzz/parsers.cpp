// The parsers whose fuzzer is a few lines, each by its name; CMakeLists.txt makes a program of each, with PARSER.

#include <algorithm>
#include <cmath>

#include "engine/arrays/npy.h"
#include "engine/base/time.h"
#include "engine/container/image.h"
#include "engine/markdown/blocks.h"
#include "engine/process/loaded.h"
#include "engine/results/run.h"
#include "engine/store/jsonl.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

namespace parser {

void elf(std::string_view text) {
  const std::string id = process::build_id_of(fuzz::file_of(text));
  fuzz::promised(id.size() <= 128 && id.find_first_not_of("0123456789abcdef") == std::string::npos);
}

void image(std::string_view text) {
  const container::ImageName name = container::check_image(std::string(text));
  fuzz::promised(!text.empty() && text.front() != '-' && text.find('\0') == std::string_view::npos);
  fuzz::promised(!name.registry.empty() && !name.repository.empty());
  fuzz::promised(!name.tag.empty() || !name.digest.empty());
}

// One store for all inputs: what one left there may not trip the next.
void import(std::string_view text) {
  static const std::string folder = [] {
    char name[] = "/tmp/fuzz_import_XXXXXX";
    fuzz::promised(mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  static const std::shared_ptr<store::Store> store = store::Store::try_open(folder + "/store.db");
  store::Import(fuzz::file_of(text)).into(*store);
}

void markdown(std::string_view text) {
  const auto line_count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2 +
                          static_cast<std::size_t>(std::count(text.begin(), text.end(), '\r'));
  for (const markdown::Block& block : markdown::blocks(text)) {
    fuzz::promised(block.line >= 1 && block.line <= line_count);
    fuzz::promised(block.text.empty() || block.text.back() == '\n');
    markdown::language(block);
  }
}

void npy(std::string_view text) {
  arrays::Npy array(fuzz::file_of(text));
  fuzz::promised(array.count() <= text.size());
  std::vector<arrays::Number> numbers(array.count());
  array.read(0, numbers.size(), numbers.data());
}

void records(std::string_view text) {
  const std::string path = fuzz::file_of(text);
  results::FileLines lines(path);
  std::size_t runs = 0;
  for (results::Run run; results::next_run(lines, run);) ++runs;
  fuzz::promised(runs <= lines.number());
}

// The expression is the first line, the text the rest.
void regex(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  results::regex_found(std::string(text.substr(0, end)), text.substr(std::min(end + 1, text.size())));
}

void time(std::string_view text) {
  if (const auto time = parse_time(text)) fuzz::promised(parse_time(format_time(*time)) == time);
  if (const auto seconds = parse_duration(text)) {
    fuzz::promised(std::isfinite(*seconds) && *seconds >= 0);
    format_duration(*seconds);
  }
}

}  // namespace parser

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] { parser::PARSER(fuzz::text(data, size)); });
  return 0;
}
