#pragma once

#include <string>
#include <vector>

namespace reg {

/// A shared library that this machine may lack: the GPU driver's, the CUDA Toolkit's. Loaded when it is made, and kept
/// for the life of the process: drivers do not bear being unloaded.
///
/// It knows no names of libraries: those stand with their noun. A variable of the environment may name another file,
/// for the tests' fakes and for libraries in unusual places; nothing else selects a fake.
class Library {
 public:
  /// The file that the environment's `variable` names where it is set, and only that; else the first of `names` that
  /// loads. Throws Error(unavailable) with the loader's own words, and `remedy` as its hint, when there is none.
  Library(const std::vector<std::string>& names, const char* variable, const std::string& remedy);

  /// The path or name it was loaded by.
  const std::string& name() const { return name_; }

  /// The function of that name, or nullptr where this version of the library has none.
  template <class F>
  F* find(const char* symbol) const {
    return reinterpret_cast<F*>(address(symbol));
  }

  /// The function of that name. Throws Error(unavailable) where the library has none: it is too old, or another one.
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

}  // namespace reg
