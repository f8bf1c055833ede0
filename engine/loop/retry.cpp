#include "engine/loop/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "engine/base/text.h"
#include "engine/base/time.h"

namespace reg {
namespace {

constexpr double longest_wait_s = 30;

double retried_for_s = 0;
double told_until = 0;  // a wait that was told of is under way: those beside it need no line of their own

}  // namespace

double retry_network_for(double seconds) { return std::exchange(retried_for_s, seconds); }

double Backoff::wait_after(const Error& failure) {
  const double at = seconds_now();
  if (attempts_ == 0) first_failure_ = at;
  const double wait_s = std::min(longest_wait_s, std::ldexp(1, std::min(attempts_++, 10)));
  const double left_s = std::min(retried_for_s, most_s_) - (at - first_failure_);
  if (left_s <= 0 && attempts_ == 1) throw failure;
  if (left_s <= 0)
    throw Error(
        ErrorKind::network,
        fmt::format("{} (tried {} times in {})", failure.what(), attempts_, format_duration(at - first_failure_)),
        failure.hint());
  const double next_s = std::min(wait_s, left_s);
  if (at >= told_until) {
    told_until = at + next_s;
    notify(fmt::format("{}; trying again in {:.3g} s", joined_lines(failure.what()), next_s));
  }
  return next_s;
}

bool says_network_failed(std::string_view message) {
  // The last of them: an HTTP server's number beside a word for it.
  static const std::regex signs(
      "connection refused|connection reset|connection timed out|operation timed out|connection closed by|i/o timeout|"
      "timeout exceeded|handshake timeout|timeout awaiting|deadline exceeded|network is unreachable|no route to host|"
      "broken pipe|unexpected eof|unexpected disconnect|: eof|temporary failure in name resolution|server misbehaving|"
      "too many requests|toomanyrequests|internal server error|bad gateway|service unavailable|gateway time|"
      "gnutls_handshake\\(\\) failed|stream error|(status: |status code:? |returned error: )(429|50[0-4])");
  return std::regex_search(in_small_letters(message), signs);
}

}  // namespace reg
