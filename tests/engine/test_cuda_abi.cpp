#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include "engine/cuda/abi.h"
#include "engine/cuda/timing_kernels.h"
#include "tests/support/catch.h"

// What engine/cuda/abi.h declares by hand, held against the toolkit's headers where they are; and the timing kernels
// against its assembler.

namespace fs = std::filesystem;

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
static_assert(abi::kStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(abi::kStreamCaptureLast == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);

static_assert(abi::kClockRate_kHz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(abi::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(abi::kL2CacheBytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(abi::kCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(abi::kCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

static_assert(abi::kStreamNonBlocking == CU_STREAM_NON_BLOCKING && abi::kEventDefault == CU_EVENT_DEFAULT);
static_assert(abi::kEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
              abi::kHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(abi::kMaxDynamicSharedBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(abi::kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);

static_assert(abi::kNvrtcCompilation == NVRTC_ERROR_COMPILATION &&
              abi::kNvrtcInvalidOption == NVRTC_ERROR_INVALID_OPTION);

static_assert(abi::kOpN == CUBLAS_OP_N && abi::kR32F == CUDA_R_32F && abi::kR16F == CUDA_R_16F &&
              abi::kR16BF == CUDA_R_16BF);
static_assert(abi::kCompute32F == CUBLAS_COMPUTE_32F && abi::kCompute32FFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(abi::kGemmDefault == CUBLAS_GEMM_DEFAULT);
static_assert(MAJOR_VERSION == 0 && MINOR_VERSION == 1 && PATCH_LEVEL == 2);  // cublasGetProperty's

}  // namespace

TEST_CASE("cuda: the declarations agree with the toolkit's headers") { SUCCEED("they do, or this would not compile"); }

#else

TEST_CASE("cuda: the declarations agree with the toolkit's headers") {
  WARN("SKIPPED: no cuda.h where this was built; nothing holds engine/cuda/abi.h against it");
}

#endif

TEST_CASE("cuda: the timing kernels assemble for every GPU that the toolkit knows") {
  const std::string ptxas = "/usr/local/cuda/bin/ptxas";
  if (!fs::exists(ptxas)) {
    WARN("SKIPPED: no " << ptxas << "; nothing assembles engine/cuda/timing_kernels.h");
    return;
  }
  const fs::path source = fs::temp_directory_path() / ("regengine_timing_" + std::to_string(getpid()) + ".ptx");
  std::ofstream(source) << reg::cuda::kTimingKernels;
  for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    INFO(arch);
    const std::string command = ptxas + " -arch=" + arch + " -Werror -o /dev/null " + source.string() + " 2>&1";
    CHECK(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c): a fixed program
  }
  fs::remove(source);
}
