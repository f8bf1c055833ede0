#include "engine/nvtx/nvtx.h"

#include <cstdlib>
#include <map>

#ifdef REGENGINE_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace reg::nvtx {
namespace {

#ifdef REGENGINE_HAS_NVTX

constexpr std::size_t kLongest = 200;

nvtxDomainHandle_t domain() {
  static const auto made = nvtxDomainCreateA("regengine");
  return made;
}

// The tool is told a category's name at its first use.
std::uint32_t number_of(const std::string& category) {
  static std::map<std::string, std::uint32_t> numbers;
  if (category.empty()) return 0;
  const auto [found, made] = numbers.emplace(category, static_cast<std::uint32_t>(numbers.size() + 1));
  if (made) nvtxDomainNameCategoryA(domain(), found->second, category.c_str());
  return found->second;
}

// NVTX has no question for this; what it has found are the functions that a tool put in.
Presence attach() {
  nvtxInitialize(nullptr);
  if (NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxDomainRangeStartEx_impl_fnptr != nullptr) return {true, "", ""};
  const char* named = std::getenv("NVTX_INJECTION64_PATH");
  return {false,
          std::string("no tool listens to NVTX: ") +
              (named == nullptr ? "NVTX_INJECTION64_PATH is not set" : std::string(named) + " did not attach"),
          "Run regengine under one, nsys profile --trace=nvtx,cuda regengine ..., or unset NVTX_INJECTION64_PATH."};
}

std::uint64_t start(const std::string& category, std::string text) {
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = number_of(category);
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = text.c_str();
  return nvtxDomainRangeStartEx(domain(), &event);
}

void end(std::uint64_t range) { nvtxDomainRangeEnd(domain(), range); }

#else

Presence attach() {
  return {false, "this regengine was built without NVTX",
          "build it where the CUDA Toolkit is, whose headers hold NVTX (nvtx3/nvToolsExt.h)"};
}
std::uint64_t start(const std::string&, const std::string&) { return 0; }
void end(std::uint64_t) {}

#endif

}  // namespace

const Presence& status() {
  static const Presence found = attach();
  return found;
}

Range::Range(const std::string& category, std::string text) {
  if (status().ok) id_ = start(category, std::move(text));
}

Range::~Range() {
  if (id_) end(*id_);
}

}  // namespace reg::nvtx
