#pragma once

#include <string>
#include <string_view>

#include "engine/guard/policy.h"

namespace reg {

/// The policy for code that the user types, at the prompt or with -e: it may do everything, but load no untrusted file.
/// Functions and metamethods from such a file could run behind everything typed later.
class Typed : public Policy {
 public:
  std::string permit(const Effect&, bool) override { return "its user"; }

  /// Throws Error(permission) unless the file is the user's own.
  void join(const std::string& file, std::string_view text, bool own) override;
};

}  // namespace reg
