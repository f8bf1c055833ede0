#include "tests/support/catch.h"

// The declarations of the injection library, which are made by hand, against the headers of the CUDA Toolkit: every
// version of a record that it has, old ones too.

extern "C" {
#include "inject/records.h"
}

#if __has_include(<cupti_activity.h>)
#define HAVE_CUPTI 1
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>

#include <cstddef>

namespace {

#define HOLDS(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)

template <class Kernel>
constexpr bool kernel_holds() {
  return offsetof(Kernel, start) == RG_KERNEL_START && offsetof(Kernel, end) == RG_KERNEL_END &&
         offsetof(Kernel, deviceId) == RG_KERNEL_DEVICE && offsetof(Kernel, correlationId) == RG_KERNEL_CORRELATION &&
         offsetof(Kernel, name) == RG_KERNEL_NAME;
}
static_assert(kernel_holds<CUpti_ActivityKernel3>() && kernel_holds<CUpti_ActivityKernel4>() &&
              kernel_holds<CUpti_ActivityKernel5>() && kernel_holds<CUpti_ActivityKernel6>() &&
              kernel_holds<CUpti_ActivityKernel7>() && kernel_holds<CUpti_ActivityKernel8>() &&
              kernel_holds<CUpti_ActivityKernel9>());

template <class Memcpy>
constexpr bool memcpy_holds() {
  return offsetof(Memcpy, copyKind) == RG_MEMCPY_KIND && offsetof(Memcpy, bytes) == RG_MEMCPY_BYTES &&
         offsetof(Memcpy, start) == RG_MEMCPY_START && offsetof(Memcpy, end) == RG_MEMCPY_END &&
         offsetof(Memcpy, deviceId) == RG_MEMCPY_DEVICE;
}
static_assert(memcpy_holds<CUpti_ActivityMemcpy>() && memcpy_holds<CUpti_ActivityMemcpy3>() &&
              memcpy_holds<CUpti_ActivityMemcpy4>() && memcpy_holds<CUpti_ActivityMemcpy5>() &&
              memcpy_holds<CUpti_ActivityMemcpyPtoP>() && memcpy_holds<CUpti_ActivityMemcpyPtoP2>() &&
              memcpy_holds<CUpti_ActivityMemcpyPtoP3>() && memcpy_holds<CUpti_ActivityMemcpyPtoP4>());

template <class Memset>
constexpr bool memset_holds() {
  return offsetof(Memset, bytes) == RG_MEMSET_BYTES && offsetof(Memset, start) == RG_MEMSET_START &&
         offsetof(Memset, end) == RG_MEMSET_END && offsetof(Memset, deviceId) == RG_MEMSET_DEVICE;
}
static_assert(memset_holds<CUpti_ActivityMemset>() && memset_holds<CUpti_ActivityMemset2>() &&
              memset_holds<CUpti_ActivityMemset3>() && memset_holds<CUpti_ActivityMemset4>());

template <class Memory>
constexpr bool memory_holds() {
  return offsetof(Memory, memoryOperationType) == RG_MEMORY_OPERATION &&
         offsetof(Memory, memoryKind) == RG_MEMORY_KIND && offsetof(Memory, address) == RG_MEMORY_ADDRESS &&
         offsetof(Memory, bytes) == RG_MEMORY_BYTES;
}
static_assert(memory_holds<CUpti_ActivityMemory2>() && memory_holds<CUpti_ActivityMemory3>());

HOLDS(CUpti_ActivityExternalCorrelation, externalKind, RG_EXTERNAL_KIND);
HOLDS(CUpti_ActivityExternalCorrelation, externalId, RG_EXTERNAL_ID);
HOLDS(CUpti_ActivityExternalCorrelation, correlationId, RG_EXTERNAL_CORRELATED);

constexpr bool same(long theirs, long ours) { return theirs == ours; }
static_assert(same(CUPTI_ACTIVITY_KIND_MEMCPY, RG_MEMCPY) && same(CUPTI_ACTIVITY_KIND_MEMSET, RG_MEMSET) &&
              same(CUPTI_ACTIVITY_KIND_DRIVER, RG_DRIVER) && same(CUPTI_ACTIVITY_KIND_RUNTIME, RG_RUNTIME) &&
              same(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, RG_CONCURRENT_KERNEL) &&
              same(CUPTI_ACTIVITY_KIND_MEMCPY2, RG_MEMCPY_PEER) &&
              same(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, RG_EXTERNAL_CORRELATION) &&
              same(CUPTI_ACTIVITY_KIND_MEMORY2, RG_MEMORY2));
static_assert(same(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, RG_ALLOCATION) &&
              same(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, RG_RELEASE) &&
              same(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, RG_DEVICE_MEMORY) &&
              same(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, RG_CUSTOM2));
static_assert(same(CUPTI_SUCCESS, RG_SUCCESS) &&
              same(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, RG_MULTIPLE_SUBSCRIBERS));

// The newest of each, where the toolkit is new enough to have it.
#if CUPTI_API_VERSION >= 130000
static_assert(kernel_holds<CUpti_ActivityKernel10>() && memcpy_holds<CUpti_ActivityMemcpy6>() &&
              memory_holds<CUpti_ActivityMemory4>());
static_assert(same(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, RG_PER_THREAD_BUFFER));
HOLDS(CUpti_ActivityGraphTrace2, correlationId, RG_GRAPH_CORRELATION);
HOLDS(CUpti_ActivityGraphTrace2, start, RG_GRAPH_START);
HOLDS(CUpti_ActivityGraphTrace2, end, RG_GRAPH_END);
HOLDS(CUpti_ActivityGraphTrace2, deviceId, RG_GRAPH_DEVICE);
static_assert(same(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, RG_GRAPH_TRACE));
HOLDS(CUpti_SubscriberParams, subscriberName, offsetof(rg_params, name));
HOLDS(CUpti_SubscriberParams, oldSubscriberName, offsetof(rg_params, holder));
HOLDS(CUpti_SubscriberParams, oldSubscriberSize, offsetof(rg_params, holder_size));
static_assert(same(CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN, RG_HOLDER));
#endif
#if CUPTI_API_VERSION >= 130200
#if CUPTI_API_VERSION >= 130300
static_assert(same(CUPTI_ACTIVITY_ATTR_ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE, RG_GRAPH_LEVEL));
#endif
HOLDS(CUpti_SubscriberParams, allowMultipleSubscribers, offsetof(rg_params, several));
static_assert(sizeof(CUpti_SubscriberParams) == sizeof(rg_params));
#elif CUPTI_API_VERSION >= 130000
static_assert(sizeof(CUpti_SubscriberParams) == offsetof(rg_params, several));
#endif

}  // namespace
#endif

TEST_CASE("the records of CUPTI are where the injection library reads them") {
#ifdef HAVE_CUPTI
  SUCCEED("checked while this was compiled, against CUPTI " << CUPTI_API_VERSION);
#else
  WARN("SKIPPED: the CUDA Toolkit's cupti_activity.h is not here to compare with");
#endif
}
