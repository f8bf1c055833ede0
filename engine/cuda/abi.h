#pragma once

#include <cstddef>

/// What is used of the CUDA driver, NVRTC and cuBLAS, declared by hand, so that the engine builds where no toolkit is.
/// Status codes and enums are ints here. Where the toolkit's headers are, tests/engine/test_cuda_abi.cpp holds every
/// line of this against them. X(symbol, parameter types): each function returns a status.
namespace reg::cuda::abi {

using Device = int;
using DevicePtr = unsigned long long;
using Handle = struct Opaque*;  ///< a context, module, function, stream, event, program: whatever has no inside

struct Uuid {
  char bytes[16];
};

#define REGENGINE_CUDA_DRIVER(X)                                                                                    \
  X(cuInit, unsigned)                                                                                               \
  X(cuDriverGetVersion, int*)                                                                                       \
  X(cuGetErrorName, int, const char**)                                                                              \
  X(cuGetErrorString, int, const char**)                                                                            \
  X(cuDeviceGetCount, int*)                                                                                         \
  X(cuDeviceGet, abi::Device*, int)                                                                                 \
  X(cuDeviceGetName, char*, int, abi::Device)                                                                       \
  X(cuDeviceGetUuid, abi::Uuid*, abi::Device)                                                                       \
  X(cuDeviceGetPCIBusId, char*, int, abi::Device)                                                                   \
  X(cuDeviceGetAttribute, int*, int, abi::Device)                                                                   \
  X(cuDeviceTotalMem_v2, std::size_t*, abi::Device)                                                                 \
  X(cuDevicePrimaryCtxRetain, abi::Handle*, abi::Device)                                                            \
  X(cuDevicePrimaryCtxRelease_v2, abi::Device)                                                                      \
  X(cuCtxSetCurrent, abi::Handle)                                                                                   \
  X(cuCtxSynchronize)                                                                                               \
  X(cuMemAlloc_v2, abi::DevicePtr*, std::size_t)                                                                    \
  X(cuMemFree_v2, abi::DevicePtr)                                                                                   \
  X(cuMemHostAlloc, void**, std::size_t, unsigned)                                                                  \
  X(cuMemHostGetDevicePointer_v2, abi::DevicePtr*, void*, unsigned)                                                 \
  X(cuMemFreeHost, void*)                                                                                           \
  X(cuMemcpyHtoDAsync_v2, abi::DevicePtr, const void*, std::size_t, abi::Handle)                                    \
  X(cuMemcpyDtoHAsync_v2, void*, abi::DevicePtr, std::size_t, abi::Handle)                                          \
  X(cuMemcpyDtoDAsync_v2, abi::DevicePtr, abi::DevicePtr, std::size_t, abi::Handle)                                 \
  X(cuMemsetD8Async, abi::DevicePtr, unsigned char, std::size_t, abi::Handle)                                       \
  X(cuStreamCreate, abi::Handle*, unsigned)                                                                         \
  X(cuStreamDestroy_v2, abi::Handle)                                                                                \
  X(cuStreamSynchronize, abi::Handle)                                                                               \
  X(cuEventCreate, abi::Handle*, unsigned)                                                                          \
  X(cuEventDestroy_v2, abi::Handle)                                                                                 \
  X(cuEventRecord, abi::Handle, abi::Handle)                                                                        \
  X(cuEventSynchronize, abi::Handle)                                                                                \
  X(cuEventElapsedTime, float*, abi::Handle, abi::Handle)                                                           \
  X(cuModuleLoadData, abi::Handle*, const void*)                                                                    \
  X(cuModuleUnload, abi::Handle)                                                                                    \
  X(cuModuleGetFunction, abi::Handle*, abi::Handle, const char*)                                                    \
  X(cuFuncSetAttribute, abi::Handle, int, int)                                                                      \
  X(cuLaunchKernel, abi::Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, abi::Handle, \
    void**, void**)

/// Functions that older drivers lack.
#define REGENGINE_CUDA_DRIVER_OPTIONAL(X) X(cuFuncGetParamInfo, abi::Handle, std::size_t, std::size_t*, std::size_t*)

#define REGENGINE_NVRTC(X)                                                                                   \
  X(nvrtcVersion, int*, int*)                                                                                \
  X(nvrtcCreateProgram, abi::Handle*, const char*, const char*, int, const char* const*, const char* const*) \
  X(nvrtcDestroyProgram, abi::Handle*)                                                                       \
  X(nvrtcCompileProgram, abi::Handle, int, const char* const*)                                               \
  X(nvrtcGetProgramLogSize, abi::Handle, std::size_t*)                                                       \
  X(nvrtcGetProgramLog, abi::Handle, char*)                                                                  \
  X(nvrtcGetPTXSize, abi::Handle, std::size_t*)                                                              \
  X(nvrtcGetPTX, abi::Handle, char*)                                                                         \
  X(nvrtcGetCUBINSize, abi::Handle, std::size_t*)                                                            \
  X(nvrtcGetCUBIN, abi::Handle, char*)

#define REGENGINE_CUBLAS(X)                                                                                        \
  X(cublasCreate_v2, abi::Handle*)                                                                                 \
  X(cublasDestroy_v2, abi::Handle)                                                                                 \
  X(cublasGetProperty, int, int*)                                                                                  \
  X(cublasSetStream_v2, abi::Handle, abi::Handle)                                                                  \
  X(cublasSetWorkspace_v2, abi::Handle, void*, std::size_t)                                                        \
  X(cublasGemmEx, abi::Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, \
    const void*, void*, int, int, int, int)

// CUresult
constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kStubLibrary = 34,
              kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200, kInvalidContext = 201, kNoBinaryForGpu = 209,
              kInvalidPtx = 218, kUnsupportedPtxVersion = 222, kJitCompilerNotFound = 221, kInvalidHandle = 400,
              kNotFound = 500, kNotReady = 600, kLaunchOutOfResources = 701, kNotPermitted = 800, kSystemNotReady = 802,
              kSystemDriverMismatch = 803;

// CUdevice_attribute
constexpr int kClockRate_kHz = 13, kMultiprocessors = 16, kL2CacheBytes = 38, kCapabilityMajor = 75,
              kCapabilityMinor = 76;

// Flags
constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kEventDisableTiming = 2, kHostAllocDeviceMap = 2;
constexpr int kMaxDynamicSharedBytes = 8;  // CUfunction_attribute

// nvrtcResult
constexpr int kNvrtcCompilation = 6, kNvrtcInvalidOption = 5;

// cublasOperation_t, cudaDataType, cublasComputeType_t, cublasGemmAlgo_t
constexpr int kOpN = 0;
constexpr int kR32F = 0, kR16F = 2, kR16BF = 14;
constexpr int kCompute32F = 68, kCompute32FFastTf32 = 77;
constexpr int kGemmDefault = -1;

}  // namespace reg::cuda::abi
