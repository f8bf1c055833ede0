#pragma once

#include <string_view>

namespace reg {

/// Whether a variable of this name, with or without "=" after it, makes programs load or run others: LD_PRELOAD, PATH.
/// No list of these is complete.
bool makes_programs_load(std::string_view name);

/// Whether the name says that the value is a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, PGPASSWORD.
bool names_secret(std::string_view name);

}  // namespace reg
