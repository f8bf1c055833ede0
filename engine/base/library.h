#pragma once

#include <string>
#include <vector>

namespace reg {

/// A shared library that may be missing on this machine: the GPU driver's, the CUDA Toolkit's. The constructor loads
/// it, and it is never unloaded, because drivers do not support that.
///
/// The nouns supply the names of the libraries. An environment variable may name another file, for the tests' fakes and
/// for libraries in unusual folders; nothing else selects a fake.
class Library {
 public:
  /// Loads the file that the environment variable `variable` names, and only that; if it is not set, the first of
  /// `names` that loads. Throws Error(unavailable) with the loader's message, and `remedy` as the hint.
  Library(const std::vector<std::string>& names, const char* variable, const std::string& remedy);

  /// The path or name by which it was loaded.
  const std::string& name() const { return name_; }

  /// The function of that name, or nullptr if this version of the library has none.
  template <class F>
  F* find(const char* symbol) const {
    return reinterpret_cast<F*>(address(symbol));
  }

  /// The function of that name. Throws Error(unavailable) if the library has none, because it is too old.
  template <class F>
  F* get(const char* symbol) const {
    return reinterpret_cast<F*>(required_address(symbol));
  }

 private:
  void* address(const char* symbol) const;
  void* required_address(const char* symbol) const;

  std::string name_;
  void* handle_ = nullptr;
};

/// Whether this machine's GPUs are AMD's: the kernel has their /dev/kfd, and there is no NVIDIA driver.
bool has_amd_gpus();

/// The variable by which programs see only some GPUs: CUDA_VISIBLE_DEVICES, or ROCR_VISIBLE_DEVICES of AMD.
const char* visible_devices();

}  // namespace reg
