#include "engine/broker/audited.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostTold = 10000;  // most effects of an engine are its own, and are never asked for
constexpr std::size_t kLongest = std::size_t{1} << 16;

std::string name_of(const Effect& effect) { return std::string(to_string(effect.kind)) + " " + effect.what; }

}  // namespace

std::string Audited::permit(const Effect& effect, bool may_ask) {
  std::string by;
  try {
    by = policy_.permit(effect, may_ask);
  } catch (const Error&) {
    audit_(effect, "refused", "");
    throw;
  }
  const auto told = told_.find(name_of(effect));
  if (told != told_.end())
    told_.erase(told);
  else
    audit_(effect, "run", by);
  return by;
}

void Audited::tell(const Json& line) {
  const auto verdict = line.at("verdict").get<std::string>(), by = line.at("by").get<std::string>();
  const auto kind = effect_kind(line.at("kind").get<std::string>());
  if (!kind || !has_word("run recorded refused", verdict)) throw Error(ErrorKind::usage, "not a line of the audit log");
  const Effect effect{*kind, line.at("what").get<std::string>().substr(0, kLongest), {}};
  audit_(effect, verdict, by.empty() ? by : "claimed: " + by.substr(0, kLongest));
  if (told_.size() >= kMostTold) told_.clear();  // from now on some are written twice
  if (verdict == "run") told_.insert(name_of(effect));
}

std::string Answered::permit(const Effect& effect, bool) {
  Effect rest = effect;
  std::erase_if(rest.needs, [&](const Need& need) {
    return need.kind == EffectKind::files && files_.contains(need.names.front());
  });
  return policy_.permit(rest, false);
}

Json as_line(const Effect& effect, std::string_view verdict, std::string_view by) {
  return {{"kind", to_string(effect.kind)}, {"what", effect.what}, {"verdict", verdict}, {"by", by}};
}

}  // namespace reg::broker
