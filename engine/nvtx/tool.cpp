#include "engine/nvtx/tool.h"

#include <cstdlib>

#ifdef REGENGINE_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace reg::nvtx::tool {

#ifdef REGENGINE_HAS_NVTX

namespace {

nvtxDomainHandle_t handle(void* domain) { return static_cast<nvtxDomainHandle_t>(domain); }

nvtxEventAttributes_t attributes(const Event& event) {
  nvtxEventAttributes_t out{};
  out.version = NVTX_VERSION;
  out.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  out.category = event.category;
  if (event.argb) {
    out.colorType = NVTX_COLOR_ARGB;
    out.color = *event.argb;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&event.payload)) {
    out.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    out.payload.llValue = *whole;
  } else if (const auto* number = std::get_if<double>(&event.payload)) {
    out.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    out.payload.dValue = *number;
  }
  out.messageType = NVTX_MESSAGE_TYPE_ASCII;
  out.message.ascii = event.text;
  return out;
}

// NVTX has no question for this; what it has found are the functions that a tool put in, and one may want few of them.
bool somebody_listens() {
  const auto& functions = NVTX_VERSIONED_IDENTIFIER(nvtxGlobals);
  return functions.nvtxDomainMarkEx_impl_fnptr != nullptr || functions.nvtxDomainRangeStartEx_impl_fnptr != nullptr ||
         functions.nvtxDomainRangePushEx_impl_fnptr != nullptr;
}

}  // namespace

Presence attach() {
  const char* named = std::getenv("NVTX_INJECTION64_PATH");
  nvtxInitialize(nullptr);
  if (somebody_listens()) return {true, "", ""};
  if (named == nullptr)
    return {false, "no tool listens to NVTX: NVTX_INJECTION64_PATH is not set",
            "run regengine under one: nsys profile --trace=nvtx,cuda regengine ..."};
  return {false, "no tool listens to NVTX: " + std::string(named) + ", named by NVTX_INJECTION64_PATH, did not attach",
          "is it an NVTX injection library of this machine's kind? unset the variable if no tool is wanted"};
}

void* create_domain(const char* name) { return nvtxDomainCreateA(name); }

void name_category(void* domain, std::uint32_t category, const char* name) {
  nvtxDomainNameCategoryA(handle(domain), category, name);
}

void mark(void* domain, const Event& event) {
  const auto what = attributes(event);
  nvtxDomainMarkEx(handle(domain), &what);
}

std::uint64_t start(void* domain, const Event& event) {
  const auto what = attributes(event);
  return nvtxDomainRangeStartEx(handle(domain), &what);
}

void end(void* domain, std::uint64_t range) { nvtxDomainRangeEnd(handle(domain), range); }

void push(void* domain, const Event& event) {
  const auto what = attributes(event);
  nvtxDomainRangePushEx(handle(domain), &what);
}

void pop(void* domain) { nvtxDomainRangePop(handle(domain)); }

#else

Presence attach() {
  return {false, "this regengine was built without NVTX",
          "build it where the CUDA Toolkit is, whose headers hold NVTX (nvtx3/nvToolsExt.h)"};
}

void* create_domain(const char*) { return nullptr; }
void name_category(void*, std::uint32_t, const char*) {}
void mark(void*, const Event&) {}
std::uint64_t start(void*, const Event&) { return 0; }
void end(void*, std::uint64_t) {}
void push(void*, const Event&) {}
void pop(void*) {}

#endif

}  // namespace reg::nvtx::tool
