#include "engine/guard/policy.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/time.h"

namespace reg {
namespace {

class AllowAll : public Policy {
 public:
  Verdict decide(const Effect&) override { return Verdict::run; }
};

class DryRun : public Policy {
 public:
  Verdict decide(const Effect& effect) override { return effect.changes ? Verdict::record : Verdict::run; }
};

}  // namespace

const char* to_string(EffectKind kind) {
  switch (kind) {
    case EffectKind::process:
      return "process";
    case EffectKind::container:
      return "container";
    case EffectKind::git:
      return "git";
    case EffectKind::files:
      return "files";
    case EffectKind::network:
      return "network";
    case EffectKind::gpu:
      break;
  }
  return "gpu";
}

std::unique_ptr<Policy> allow_all() { return std::make_unique<AllowAll>(); }

std::unique_ptr<Policy> dry_run() { return std::make_unique<DryRun>(); }

bool Guard::admit(const Effect& effect) {
  Verdict verdict = Verdict::run;
  try {
    verdict = policy_->decide(effect);
  } catch (const Error&) {
    write_audit(effect, "refused");
    throw;
  }
  write_audit(effect, verdict == Verdict::run ? "run" : "recorded");
  if (verdict == Verdict::record) recorded_.push_back(effect);
  return verdict == Verdict::run;
}

void Guard::write_audit(const Effect& effect, std::string_view verdict) {
  if (audit_path_.empty()) return;
  const nlohmann::ordered_json line = {
      {"time", format_time(now())}, {"verdict", verdict}, {"kind", to_string(effect.kind)}, {"what", effect.what}};
  append_file(audit_path_, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace reg
