#include "engine/results/regex.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "engine/base/error.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace reg {
namespace {

constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::uint32_t kMaxDepth = 100'000;
constexpr std::uint32_t kMaxHeap = 64 << 10;  // KiB
constexpr std::size_t kLongest = 100'000;     // bytes of an expression

template <auto f>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    f(pointer);
  }
};
using Code = std::unique_ptr<pcre2_code, Free<pcre2_code_free>>;
using Data = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;
using Context = std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>>;

std::string error_text(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

bool regex_found(const std::string& expression, std::string_view text) {
  if (expression.size() > kLongest)
    throw Error(ErrorKind::usage, fmt::format("a regular expression of {} bytes", expression.size()),
                fmt::format("Use at most {}.", kLongest));
  int error = 0;
  PCRE2_SIZE at = 0;
  const Code code(pcre2_compile(bytes(expression), expression.size(), PCRE2_CASELESS, &error, &at, nullptr));
  if (!code)
    throw Error(ErrorKind::usage,
                fmt::format("not a valid regular expression: '{}': {} at byte {}", expression, error_text(error), at));
  const Data data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
  const Context context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMaxSteps);
  pcre2_set_depth_limit(context.get(), kMaxDepth);
  pcre2_set_heap_limit(context.get(), kMaxHeap);
  const int found = pcre2_match(code.get(), bytes(text), text.size(), 0, 0, data.get(), context.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  throw Error(ErrorKind::usage, fmt::format("cannot match the regular expression '{}' with a string of {} bytes: {}",
                                            expression, text.size(), error_text(found)));
}

}  // namespace reg
