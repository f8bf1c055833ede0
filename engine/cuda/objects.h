#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/npy.h"
#include "engine/cuda/context.h"

// What lives on a GPU. Each object owns its driver handle and keeps its context alive; work goes to the context's
// stream. Nothing here waits for the GPU but what says so.

namespace reg::cuda {

/// The numbers a buffer holds.
enum class Dtype { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 };

constexpr std::string_view kDtypeNames = "f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8";

std::optional<Dtype> dtype_of(std::string_view name);
const char* to_string(Dtype dtype);
std::size_t size_of(Dtype dtype);
bool is_integer(Dtype dtype);

/// A number as its bytes, at the end of `out`. That an integer is in range_of its type, the caller checks.
void append(std::string& out, Dtype dtype, arrays::Number value);
/// The smallest and largest whole number of an integer type; u64 counts as i64 here, as Lua's integers do.
std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype);

/// One number out of its bytes.
arrays::Number read_number(const char* bytes, Dtype dtype);

/// What has one driver handle, which `destroy` destroys when nothing is held.
class Owned {
 public:
  using Destroy = int (*Driver::*)(abi::Handle);
  Owned(std::shared_ptr<Context> context, Destroy destroy);

  abi::Handle get() const { return *handle_; }
  Context& context() const { return *context_; }
  const std::shared_ptr<Context>& shared_context() const { return context_; }

 protected:
  abi::Handle* out() { return handle_.get(); }

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<abi::Handle> handle_ = std::make_shared<abi::Handle>();
  std::shared_ptr<void> free_;
};

/// A point in the stream, with its time.
class Event : public Owned {
 public:
  explicit Event(std::shared_ptr<Context> context, unsigned flags = abi::kEventDefault);
  void record();
  void synchronize();  ///< waits
  /// Seconds from `start` to this one; both have been reached.
  double seconds_since(const Event& start) const;
};

/// Memory of the GPU, with the type of the numbers in it.
class Buffer {
 public:
  Buffer(std::shared_ptr<Context> context, std::size_t n, Dtype dtype = Dtype::u8);

  abi::DevicePtr address() const { return address_; }
  Dtype dtype() const { return dtype_; }
  const char* dtype_name() const { return to_string(dtype_); }
  std::size_t n() const { return bytes_ / size_of(dtype_); }
  std::size_t bytes() const { return bytes_; }
  Context& context() const { return *context_; }

  void zero();
  void upload(const std::string& data);  ///< to its beginning; waits
  std::string download() const;          ///< all of it; waits
  /// The whole of it, with `data` over and over: uploaded once and copied on the GPU. Waits.
  void fill(const std::string& data);

 private:
  std::shared_ptr<Context> context_;
  Dtype dtype_;
  std::size_t bytes_;
  abi::DevicePtr address_ = 0;
  std::shared_ptr<void> free_;
};

/// Machine code or PTX, loaded.
class Module : public Owned {
 public:
  Module(std::shared_ptr<Context> context, const std::string& image);
};

/// How a kernel is launched; arguments by value, as they lie in memory.
struct LaunchConfig {
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared_bytes = 0;
  struct Argument {
    std::array<std::byte, 8> bytes{};
    std::size_t size = 8;
  };
  std::vector<Argument> arguments;
};

class Kernel {
 public:
  Kernel(std::shared_ptr<Module> module, std::string name);
  const std::string& name() const { return name_; }
  Context& context() const { return module_->context(); }
  const std::shared_ptr<Context>& shared_context() const { return module_->shared_context(); }

  /// Throws Error(usage) where the arguments are not those the kernel has, as far as the driver can tell (12.4 and
  /// newer).
  void check(const LaunchConfig& config) const;
  /// Queues it, unchecked.
  void launch(const LaunchConfig& config) const;

 private:
  std::shared_ptr<Module> module_;
  std::string name_;
  abi::Handle function_ = nullptr;
  std::optional<std::vector<std::size_t>> parameters_;  // their sizes, where the driver can tell
};

}  // namespace reg::cuda
