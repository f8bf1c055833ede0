#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/error.h"

namespace reg::nvtx {

/// What a mark or the start of a range says. `text` is read during the call alone, and ends at its first NUL byte.
struct Event {
  const char* text = "";
  std::uint32_t category = 0;  ///< 0 = none; else one of Domain::category
  std::optional<std::uint32_t> argb = {};
  std::variant<std::monostate, std::int64_t, double> payload = {};
};

/// NVTX itself, as the CUDA Toolkit's headers have it (tool.cpp), or nothing at all where those were not there when
/// the engine was built (no_tool.cpp). Domains and their categories are domain.h's; the handles here are NVTX's own,
/// and null is its default domain. Called only where attach() said ok.
namespace tool {

/// Looks for a tool, the one time NVTX does: it loads the library that NVTX_INJECTION64_PATH names.
Presence attach();

void* create_domain(const char* name);
void name_category(void* domain, std::uint32_t category, const char* name);
void mark(void* domain, const Event& event);
std::uint64_t start(void* domain, const Event& event);
void end(void* domain, std::uint64_t range);
void push(void* domain, const Event& event);
void pop(void* domain);

}  // namespace tool
}  // namespace reg::nvtx
