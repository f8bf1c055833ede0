#include "engine/container/registry.h"

#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/container/answers.h"
#include "engine/loop/retry.h"

namespace reg::container {
namespace {

// skopeo writes log lines, time="..." level=fatal msg="...": their message alone.
std::string without_log_form(std::string_view text) {
  constexpr std::string_view start = " msg=\"";
  std::string out;
  for (auto line : lines(text)) {
    const auto at = line.starts_with("time=") ? line.find(start) : std::string_view::npos;
    if (at != std::string_view::npos) line = line.substr(at + start.size(), line.size() - at - start.size() - 1);
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] != '\\' || i + 1 == line.size() || line[i + 1] != '"') out += line[i];
    out += '\n';
  }
  return out;
}

}  // namespace

Error registry_failure(const std::string& program, const std::string& doing, const process::Outcome& outcome) {
  const std::string message = without_log_form(outcome.err) + outcome.out;
  Error known = failure(program, doing, message);
  const std::string what = known.what();
  if (outcome.stalled)
    return {ErrorKind::network, what + " (no progress for " + format_duration(outcome.wall_s) + "; stopped)"};
  if (outcome.timed_out) return {ErrorKind::network, what + " (no answer; stopped)"};
  if (says_incomplete(message)) return {ErrorKind::not_found, what};
  // What `failure` has advice on does not pass by itself.
  const bool passes = known.kind() == ErrorKind::unavailable && known.hint().empty() && says_network_failed(message);
  if (passes) return {ErrorKind::network, what};
  return known;
}

}  // namespace reg::container
