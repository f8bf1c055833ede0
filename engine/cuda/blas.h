#pragma once

#include <memory>
#include <optional>

#include "engine/cuda/objects.h"

namespace reg::cuda {

/// C = A B, all row by row: A is m x k, B is k x n, C is m x n, one number type for all three. Sums are f32, also those
/// of f16 and bf16.
struct Gemm {
  int m = 0, n = 0, k = 0;
  Dtype dtype = Dtype::f32;
  bool tf32 = false;  ///< f32 products rounded to TF32, as "high" precision of PyTorch does
  std::shared_ptr<Buffer> a, b, c;
};

/// cuBLAS on one GPU, with a workspace of its own, so that a multiplication neither allocates nor waits.
class Blas {
 public:
  explicit Blas(std::shared_ptr<Context> context);

  /// Queues it. Throws Error(usage) where a buffer is too small, or for a type that cuBLAS is not asked for here.
  void gemm(const Gemm& what);

 private:
  std::shared_ptr<Context> context_;
  abi::Handle handle_ = nullptr;
  std::optional<Buffer> workspace_;
  std::shared_ptr<void> free_;
};

/// "13.0.2"; throws Error(unavailable) where there is no cuBLAS. It is loaded for that.
std::string cublas_version();

}  // namespace reg::cuda
