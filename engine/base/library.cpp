#include "engine/base/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/ids.h"

namespace reg {

Library::Library(const std::vector<std::string>& names, const char* variable, const std::string& remedy) {
  const std::string chosen = reg::variable(variable);
  const bool set = !chosen.empty();
  std::string why;
  for (const std::string& name : set ? std::vector{chosen} : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    if (why.empty()) why = dlerror();  // of the first name: the others are older names of the same library
  }
  throw Error(ErrorKind::unavailable, why,
              set ? std::string("The environment variable ") + variable + " names it." : remedy);
}

void* Library::address(const char* symbol) const { return dlsym(handle_, symbol); }

void* Library::required_address(const char* symbol) const {
  void* found = address(symbol);
  if (found == nullptr) throw Error(ErrorKind::unavailable, name_ + " has no " + symbol, "update the GPU driver");
  return found;
}

bool has_amd_gpus() {
  const std::string devices = variable("REGENGINE_SYSFS") + "/dev/";
  return std::getenv("REGENGINE_NVML") == nullptr && ::access((devices + "nvidiactl").c_str(), F_OK) != 0 &&
         ::access((devices + "kfd").c_str(), F_OK) == 0;
}

const char* visible_devices() { return has_amd_gpus() ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES"; }

}  // namespace reg
