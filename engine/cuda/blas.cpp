#include "engine/cuda/blas.h"

#include <map>

#include "engine/base/library.h"

namespace reg::cuda {
namespace {

struct Cublas {
  Library library;
#define REGENGINE_MEMBER(name, ...) int (*name)(__VA_ARGS__) = library.get<int(__VA_ARGS__)>(#name);
  REGENGINE_CUBLAS(REGENGINE_MEMBER)
#undef REGENGINE_MEMBER

  void check(int code, const std::string& doing) const {
    if (code == 0) return;
    static const std::map<int, const char*> kWords{
        {1, "not initialized: no GPU, or too little memory (CUBLAS_STATUS_NOT_INITIALIZED)"},
        {3, "out of memory (CUBLAS_STATUS_ALLOC_FAILED)"},
        {7, "invalid argument (CUBLAS_STATUS_INVALID_VALUE)"},
        {8, "this GPU does not support it (CUBLAS_STATUS_ARCH_MISMATCH)"},
        {13, "the GPU failed while it ran (CUBLAS_STATUS_EXECUTION_FAILED)"},
        {14, "internal error (CUBLAS_STATUS_INTERNAL_ERROR)"},
        {15, "not supported (CUBLAS_STATUS_NOT_SUPPORTED)"}};
    const auto words = kWords.find(code);
    throw Error(ErrorKind::failed_trial,
                fmt::format("cuBLAS cannot {}: {}", doing,
                            words != kWords.end() ? words->second : fmt::format("status {}", code)));
  }
};

const Cublas& cublas() {
  static const Cublas loaded = [] {
    const int major = driver().version() / 1000;
    // One of a newer CUDA than the driver's loads, and then does not start.
    return Cublas{{toolkit_files({"libcublas.so.", "cublas"}, major), "REGENGINE_CUBLAS",
                   "Install cuBLAS: in a virtual environment pip install " + package_of("cublas", major) +
                       ", or the CUDA Toolkit. REGENGINE_CUBLAS names a libcublas.so elsewhere."}};
  }();
  return loaded;
}

// What NVIDIA advises: 32 MiB from Hopper on, 4 MiB before.
std::size_t workspace_bytes(const DeviceInfo& device) {
  return (device.arch.size() > 5 || device.arch >= "sm_90" ? 32U : 4U) << 20;
}

int type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return abi::kR32F;
    case Dtype::f16:
      return abi::kR16F;
    case Dtype::bf16:
      return abi::kR16BF;
    default:
      throw Error(ErrorKind::usage, std::string("gemm takes f32, f16 and bf16, not ") + to_string(dtype));
  }
}

void* pointer(const Buffer& buffer) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the GPU's addresses are numbers
  return reinterpret_cast<void*>(buffer.address());
}

void check_size(const char* name, const Buffer& buffer, int rows, int columns, Dtype dtype) {
  const auto needed = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * size_of(dtype);
  if (buffer.bytes() < needed && !buffer.context().is_dry())
    throw Error(ErrorKind::usage, fmt::format("gemm: {} is {} x {} of {}, {} bytes, and its buffer has {}", name, rows,
                                              columns, to_string(dtype), needed, buffer.bytes()));
}

}  // namespace

Blas::Blas(std::shared_ptr<Context> context) : context_(std::move(context)) {
  if (context_->is_dry()) return;
  context_->enter();
  cublas().check(cublas().cublasCreate_v2(&handle_), "start");
  free_ = Context::freed_by(context_, [handle = handle_](const Driver&) { cublas().cublasDestroy_v2(handle); });
  workspace_.emplace(context_, workspace_bytes(context_->device()));
  // The stream first: it takes the workspace back to cuBLAS's own pool, which is shared and may allocate.
  cublas().check(cublas().cublasSetStream_v2(handle_, context_->stream()), "take a stream");
  cublas().check(cublas().cublasSetWorkspace_v2(handle_, pointer(*workspace_), workspace_->bytes()),
                 "take a workspace");
}

void Blas::gemm(const Gemm& g) {
  const int type = type_of(g.dtype);
  check_size("a", *g.a, g.m, g.k, g.dtype);
  check_size("b", *g.b, g.k, g.n, g.dtype);
  check_size("c", *g.c, g.m, g.n, g.dtype);
  if (context_->is_dry()) return;
  context_->enter();
  const float alpha = 1, beta = 0;
  const int compute = g.tf32 && g.dtype == Dtype::f32 ? abi::kCompute32FFastTf32 : abi::kCompute32F;
  // cuBLAS counts by columns: what it takes for B A there, transposed, is A B by rows here.
  const int code =
      cublas().cublasGemmEx(handle_, abi::kOpN, abi::kOpN, g.n, g.m, g.k, &alpha, pointer(*g.b), type, g.n,
                            pointer(*g.a), type, g.k, &beta, pointer(*g.c), type, g.n, compute, abi::kGemmDefault);
  if (code != 0) cublas().check(code, fmt::format("multiply {} x {} x {} of {}", g.m, g.n, g.k, to_string(g.dtype)));
  context_->queued();
}

std::string cublas_version() {
  int parts[3] = {};
  for (int i = 0; i < 3; ++i) cublas().check(cublas().cublasGetProperty(i, &parts[i]), "say its version");
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

}  // namespace reg::cuda
