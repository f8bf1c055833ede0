#pragma once

#include <sys/file.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/gpu/device.h"
#include "engine/loop/loop.h"

namespace reg::gpu {

/// A file on which the engines of all users of this machine agree who uses something. Whoever takes it holds a flock on
/// it, which the kernel drops with the process, however that ends. The file itself stays, one for each name; it has the
/// pid of the last holder. It does not wait.
class LockFile {
 public:
  LockFile() = default;  ///< no file

  /// The file for `name`. It is empty if this user has no access to it. Throws permission if it is not a plain file: a
  /// link, for instance, that another user placed there.
  static LockFile open(const std::string& name);

  /// False if somebody else holds it, in this process or in another one.
  bool take();

  /// Holds it together with others who share it. Nobody can take it meanwhile.
  bool share() { return lock(LOCK_SH); }

  /// The pid that the holder wrote; 0 if there is none.
  pid_t holder() const;

  /// The descriptor, on which the flock ends when its last copy is closed.
  Fd release() { return std::move(file_); }

  const std::string& path() const { return path_; }
  explicit operator bool() const { return static_cast<bool>(file_); }

 private:
  bool lock(int how);

  std::string path_;
  Fd file_;
};

/// Several GPUs or instances, and how many of them somebody needs.
struct LeaseRequest {
  std::vector<Part> pool;
  std::size_t count = 1;
};

/// Throws usage if the pool can never satisfy the request, and if the GPUs of the pool are of several models but not
/// all are needed: the number would depend on which of them are free.
void check_request(const LeaseRequest& request);

/// GPUs that one user at a time measures on: until this object is gone, no other lease of any engine on this machine
/// has them. The kernel drops it with the process. It holds back only those who lease, not other programs, and it does
/// not touch the GPUs.
class Lease {
 public:
  struct Gpu {
    Part part;
    std::vector<int> cpus;  ///< those near it that this process may use; {} if the kernel does not say
  };

  /// `held`: what keeps other leases off them, here or in another process; nullptr in a dry run.
  Lease(const std::vector<Part>& parts, double waited_s, std::shared_ptr<void> held);

  /// The first GPUs of the pool, held for nobody: for a dry run.
  static std::shared_ptr<Lease> pretend(const LeaseRequest& request);

  const std::vector<Gpu>& gpus() const { return gpus_; }
  std::vector<int> cpus() const;  ///< near any of them, ascending
  double waited_s() const { return waited_s_; }

 private:
  std::vector<Gpu> gpus_;
  double waited_s_;
  std::shared_ptr<void> held_;
};

/// "GPU 0, 1"
std::string title_of(const std::vector<std::string>& indexes);
std::string title_of(const std::vector<Part>& gpus);

/// Waits until as many GPUs of the pool are free at the same time, for at most `patience_s` seconds; it notifies the
/// user who has them. Who asks while others wait lets them go first. Rejects with conflict after that, with permission
/// if it cannot create lock files, and as check_request throws.
Op<std::shared_ptr<Lease>> lease(Loop& loop, LeaseRequest request, std::optional<double> patience_s);

}  // namespace reg::gpu
