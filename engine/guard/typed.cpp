#include "engine/guard/typed.h"

namespace reg {

std::string Typed::permit(const Effect& effect, bool may_ask) {
  std::string by = "its user";
  for (const auto& policy : loaded_) by = policy->permit(effect, may_ask);
  return by;
}

void Typed::declare(EffectKind kind, const std::string& pattern) {
  for (const auto& policy : loaded_) policy->declare(kind, pattern);
}

void Typed::join(const std::string& file, std::string_view text, bool own) {
  if (own || !texts_.insert(file + '\0' + std::string(text)).second) return;
  loaded_.push_back(policy_of_file_(file, text));
  for (const Granted& one : granted_) loaded_.back()->grant(one.kind, one.name, one.to_write);
}

void Typed::grant(EffectKind kind, const std::string& name, bool to_write) {
  granted_.push_back({kind, name, to_write});
  for (const auto& policy : loaded_) policy->grant(kind, name, to_write);
}

std::optional<Bounds> Typed::bounds(const Effect& effect) const {
  std::optional<Bounds> all;
  for (const auto& policy : loaded_)
    if (const auto one = policy->bounds(effect)) all = all ? in_both(*all, *one) : *one;
  return all;
}

}  // namespace reg
