#pragma once

#include <memory>
#include <string>

#include "engine/container/runtime.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::container {

/// No container: the same calls on the host, for a machine without a container engine and for tests. An image is a
/// folder, or none at all. What that makes of a Spec:
///   image       its path is in $REGENGINE_IMAGE, and it is the working directory unless workdir says otherwise
///   workdir     a path inside a mount is translated to the host's; another is taken from the image's folder when
///               relative, and as it is when absolute
///   mounts      checked as ever, and then used for workdir alone
///   gpus        numbers become $CUDA_VISIBLE_DEVICES
///   network, shm_size, memory, user, entrypoint, pull     have no effect
/// It keeps nothing running: closing its container does nothing.
class Local : public Runtime, public std::enable_shared_from_this<Local> {
 public:
  Local(Loop& loop, Guard& guard) : loop_(loop), guard_(guard) {}

  const std::string& name() const override;
  Op<std::string> check() override;
  Op<Result> run(Spec spec) override;
  Op<std::shared_ptr<Container>> start(Spec spec) override;
  Op<Nothing> pull(std::string image) override;
  Op<bool> exists(std::string image) override;
  Op<ImageFacts> inspect(std::string image) override;
  Op<std::map<std::string, Checkout>> commits(std::string image, std::vector<std::string> paths) override;

  /// The folder's identity: its path and its manifest file. Not its content, which a test may change by writing there.
  static std::string digest_of(const std::string& folder);

 private:
  friend class LocalContainer;
  Op<Result> run_here(Spec spec, std::string folder);

  Loop& loop_;
  Guard& guard_;
};

}  // namespace reg::container
