// A cuBLAS of CUDA 13.0, by its header cublas_api.h, or of the CUDA in its file's name, without a GPU: it multiplies on
// the host, by columns as the real one, and takes its time from the fake libcuda that $REGENGINE_LIBCUDA names. Kernels
// are called gemm_f32, gemm_tf32, gemm_f16 and gemm_bf16; unless the script of the fake says how long one takes, it is
// 2 m n k at 100, 500, 1000 and 1000 TFLOP/s, and at least 2 us. Beyond kLargest products it only takes its time.

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr long kLargest = 1L << 16;

using Launch = int(void*, const char*, double, void (*)(const void*), const void*, std::size_t);

void* in_driver(const char* function) {
  const char* path = std::getenv("REGENGINE_LIBCUDA");
  void* library = dlopen(path == nullptr ? "libcuda.so.1" : path, RTLD_NOW);
  return library == nullptr ? nullptr : dlsym(library, function);
}

Launch* launch() {
  static Launch* const found = reinterpret_cast<Launch*>(in_driver("regengine_fake_launch"));
  return found;
}

// Of the CUDA that this library belongs to, by the name of its file: libcublas.so.12.
int major() {
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&launch), &self);
  const char* end = std::strstr(self.dli_fname, ".so.");
  return end == nullptr ? 13 : std::atoi(end + 4);
}

// Then the real one does not start, either: CUBLAS_STATUS_NOT_INITIALIZED.
bool is_newer_than_driver() {
  auto* version = reinterpret_cast<int (*)(int*)>(in_driver("cuDriverGetVersion"));
  int driver = 0;
  return version == nullptr || version(&driver) != 0 || driver / 1000 < major();
}

struct Handle {
  void* stream = nullptr;
  void* workspace = nullptr;
};

enum Type { kF32 = 0, kF16 = 2, kBf16 = 14 };

double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

std::uint16_t to_half(double value) {  // of normal numbers, cut: the tests multiply small whole numbers
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | ((exponent + 14) << 10) |
                                    (static_cast<int>(fraction * 2048) & 1023));
}

struct Product {
  int m, n, k;
  float alpha, beta;
  const void* a;
  int lda;
  const void* b;
  int ldb;
  void* c;
  int ldc;
  int type;
};

double get(const void* at, long i, int type) {
  if (type == kF32) return static_cast<double>(static_cast<const float*>(at)[i]);
  const std::uint16_t bits = static_cast<const std::uint16_t*>(at)[i];
  return type == kF16 ? half(bits) : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

void put(void* at, long i, int type, double value) {
  if (type == kF32)
    static_cast<float*>(at)[i] = static_cast<float>(value);
  else
    static_cast<std::uint16_t*>(at)[i] =
        type == kF16 ? to_half(value)
                     : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

void multiply(const void* data) {
  Product p;
  std::memcpy(&p, data, sizeof p);
  if (static_cast<long>(p.m) * p.n * p.k > kLargest) return;
  for (long column = 0; column < p.n; ++column) {
    for (long row = 0; row < p.m; ++row) {
      double sum = 0;
      for (long i = 0; i < p.k; ++i) sum += get(p.a, i * p.lda + row, p.type) * get(p.b, column * p.ldb + i, p.type);
      const long at = column * p.ldc + row;
      put(p.c, at, p.type, p.alpha * sum + (p.beta != 0 ? p.beta * get(p.c, at, p.type) : 0));
    }
  }
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  if (launch() == nullptr || is_newer_than_driver()) return 1;
  *handle = new Handle;
  return 0;
}

int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return 0;
}

int cublasGetProperty(int part, int* value) {
  *value = part == 0 ? major() : part == 1 ? 0 : 2;
  return 0;
}

int cublasSetStream_v2(void* handle, void* stream) {
  *static_cast<Handle*>(handle) = {stream, nullptr};  // the workspace goes, as with the real one
  return 0;
}

int cublasSetWorkspace_v2(void* handle, void* workspace, std::size_t) {
  static_cast<Handle*>(handle)->workspace = workspace;
  return 0;
}

int cublasGemmEx(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a,
                 int lda, const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc,
                 int compute, int) {
  const auto* h = static_cast<Handle*>(handle);
  const bool known = type_a == kF32 || type_a == kF16 || type_a == kBf16;
  if (!known || type_a != type_b || type_a != type_c || op_a != 0 || op_b != 0) return 15;
  if (m <= 0 || n <= 0 || k <= 0 || lda < m || ldb < k || ldc < m) return 7;
  if (h->workspace == nullptr) return 14;  // the real one would allocate; nothing here is to let it
  const bool tf32 = compute == 77;
  if (compute != 68 && !(tf32 && type_a == kF32)) return 15;
  Product p{m, n, k, 0, 0, a, lda, b, ldb, c, ldc, type_a};
  std::memcpy(&p.alpha, alpha, sizeof p.alpha);
  std::memcpy(&p.beta, beta, sizeof p.beta);
  const char* name = type_a == kF16 ? "gemm_f16" : type_a == kBf16 ? "gemm_bf16" : tf32 ? "gemm_tf32" : "gemm_f32";
  const double tflops = type_a != kF32 ? 1000 : tf32 ? 500 : 100;
  const double us = std::max(2.0, 2.0 * m * n * k / (tflops * 1e6));
  return launch()(h->stream, name, us, multiply, &p, sizeof p) == 0 ? 0 : 13;
}

}  // extern "C"
