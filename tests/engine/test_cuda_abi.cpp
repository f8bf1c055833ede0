#include <cstddef>
#include <type_traits>

#include "engine/cuda/abi.h"
#include "tests/support/unit.h"

extern "C" {
#include "inject/records.h"
}

// What engine/cuda/abi.h and inject/records.h declare by hand, held against the toolkit's headers where they are.

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>) && __has_include(<cublas_v2.h>)

#include <cublas_v2.h>
#include <cuda.h>
#include <cudaProfiler.h>
#include <nvrtc.h>

// C++ has another one of that name beside the C one: this is the type of the C one, and the cast is what finds it.
cublasStatus_t c_cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                              const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                              cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
using GemmEx = decltype(c_cublasGemmEx);
static_assert(std::is_same_v<decltype(static_cast<GemmEx*>(&::cublasGemmEx)), GemmEx*>);
#define cublasGemmEx c_cublasGemmEx

namespace {

namespace abi = reg::cuda::abi;

// Enums are ints here, handles opaque pointers: what counts for a call is size, and whether it is a pointer.
template <class Ours, class Theirs>
constexpr bool alike = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <class Ours, class Theirs>
struct Same : std::false_type {};

template <class... Ours, class Result, class... Theirs>
struct Same<int(Ours...), Result(Theirs...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(Ours) == sizeof...(Theirs))
      return sizeof(Result) == sizeof(int) && (alike<Ours, Theirs> && ...);
    else
      return false;
  }
  static constexpr bool value = compare();
};

#define REGENGINE_HOLD(name, ...) static_assert(Same<int(__VA_ARGS__), decltype(::name)>::value, #name);
REGENGINE_CUDA_DRIVER(REGENGINE_HOLD)
REGENGINE_CUDA_DRIVER_OPTIONAL(REGENGINE_HOLD)
REGENGINE_NVRTC(REGENGINE_HOLD)
REGENGINE_CUBLAS(REGENGINE_HOLD)
#undef REGENGINE_HOLD

static_assert(sizeof(abi::Uuid) == sizeof(CUuuid));
static_assert(sizeof(abi::DevicePtr) == sizeof(CUdeviceptr) && sizeof(abi::Device) == sizeof(CUdevice));

static_assert(abi::kSuccess == CUDA_SUCCESS && abi::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(abi::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && abi::kNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(abi::kStubLibrary == CUDA_ERROR_STUB_LIBRARY && abi::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(abi::kInvalidContext == CUDA_ERROR_INVALID_CONTEXT && abi::kInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(abi::kInvalidDevice == CUDA_ERROR_INVALID_DEVICE && abi::kInvalidImage == CUDA_ERROR_INVALID_IMAGE);
static_assert(abi::kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU && abi::kInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(abi::kUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(abi::kJitCompilerNotFound == CUDA_ERROR_JIT_COMPILER_NOT_FOUND && abi::kNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(abi::kNotReady == CUDA_ERROR_NOT_READY && abi::kNotPermitted == CUDA_ERROR_NOT_PERMITTED);
static_assert(abi::kLaunchOutOfResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
static_assert(abi::kSystemNotReady == CUDA_ERROR_SYSTEM_NOT_READY);
static_assert(abi::kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);

static_assert(abi::kClockRate_kHz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(abi::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(abi::kL2CacheBytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(abi::kCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(abi::kCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

static_assert(abi::kStreamNonBlocking == CU_STREAM_NON_BLOCKING && abi::kEventDefault == CU_EVENT_DEFAULT);
static_assert(abi::kEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
              abi::kHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(abi::kMaxDynamicSharedBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);

static_assert(abi::kNvrtcCompilation == NVRTC_ERROR_COMPILATION &&
              abi::kNvrtcInvalidOption == NVRTC_ERROR_INVALID_OPTION);

static_assert(abi::kOpN == CUBLAS_OP_N && abi::kR32F == CUDA_R_32F && abi::kR16F == CUDA_R_16F &&
              abi::kR16BF == CUDA_R_16BF);
static_assert(abi::kCompute32F == CUBLAS_COMPUTE_32F && abi::kCompute32FFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(abi::kGemmDefault == CUBLAS_GEMM_DEFAULT);
static_assert(MAJOR_VERSION == 0 && MINOR_VERSION == 1 && PATCH_LEVEL == 2);  // cublasGetProperty's

}  // namespace

#endif

#if __has_include(<cupti_activity.h>)

#include <cupti.h>
#include <cupti_activity_deprecated.h>

namespace {

// Every version of a record that CUPTI has, old ones too.
#define HOLDS(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)

template <class... Kernel>
constexpr bool kernel_holds = ((offsetof(Kernel, start) == RG_KERNEL_START && offsetof(Kernel, end) == RG_KERNEL_END &&
                                offsetof(Kernel, deviceId) == RG_KERNEL_DEVICE &&
                                offsetof(Kernel, correlationId) == RG_KERNEL_CORRELATION &&
                                offsetof(Kernel, name) == RG_KERNEL_NAME) &&
                               ...);
static_assert(kernel_holds<CUpti_ActivityKernel3, CUpti_ActivityKernel4, CUpti_ActivityKernel5, CUpti_ActivityKernel6,
                           CUpti_ActivityKernel7, CUpti_ActivityKernel8, CUpti_ActivityKernel9>);

template <class... Memcpy>
constexpr bool memcpy_holds = ((offsetof(Memcpy, copyKind) == RG_MEMCPY_KIND &&
                                offsetof(Memcpy, bytes) == RG_MEMCPY_BYTES &&
                                offsetof(Memcpy, start) == RG_MEMCPY_START && offsetof(Memcpy, end) == RG_MEMCPY_END &&
                                offsetof(Memcpy, deviceId) == RG_MEMCPY_DEVICE) &&
                               ...);
static_assert(memcpy_holds<CUpti_ActivityMemcpy, CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy4, CUpti_ActivityMemcpy5,
                           CUpti_ActivityMemcpyPtoP, CUpti_ActivityMemcpyPtoP2, CUpti_ActivityMemcpyPtoP3,
                           CUpti_ActivityMemcpyPtoP4>);

template <class... Memset>
constexpr bool memset_holds = ((offsetof(Memset, bytes) == RG_MEMSET_BYTES &&
                                offsetof(Memset, start) == RG_MEMSET_START && offsetof(Memset, end) == RG_MEMSET_END &&
                                offsetof(Memset, deviceId) == RG_MEMSET_DEVICE) &&
                               ...);
static_assert(memset_holds<CUpti_ActivityMemset, CUpti_ActivityMemset2, CUpti_ActivityMemset3, CUpti_ActivityMemset4>);

template <class... Memory>
constexpr bool memory_holds = ((offsetof(Memory, memoryOperationType) == RG_MEMORY_OPERATION &&
                                offsetof(Memory, memoryKind) == RG_MEMORY_KIND &&
                                offsetof(Memory, address) == RG_MEMORY_ADDRESS &&
                                offsetof(Memory, bytes) == RG_MEMORY_BYTES) &&
                               ...);
static_assert(memory_holds<CUpti_ActivityMemory2, CUpti_ActivityMemory3>);

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
static_assert(kernel_holds<CUpti_ActivityKernel10> && memcpy_holds<CUpti_ActivityMemcpy6> &&
              memory_holds<CUpti_ActivityMemory4>);
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

TEST_CASE("cuda: the declarations agree with the toolkit's headers, or this would not have compiled") {
#ifndef CUDA_VERSION
  WARN("SKIPPED: no cuda.h where this was built; nothing holds engine/cuda/abi.h against it");
#endif
#ifndef CUPTI_API_VERSION
  WARN("SKIPPED: the CUDA Toolkit's cupti_activity.h is not here to compare with");
#endif
}
