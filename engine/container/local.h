#pragma once

#include <memory>
#include <string>

#include "engine/container/runtime.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::container {

/// Runs on the host instead of in a container, for machines without a container engine and for tests. The image is a
/// folder, or none. How it uses a Spec:
///   image    its path is in $REGENGINE_IMAGE, and it is the default working directory
///   workdir  a path inside a mount is translated to the host's; any other relative path is inside the image's folder
///   mounts   checked as usual, then used only for workdir
///   gpus     set as $CUDA_VISIBLE_DEVICES, instances such as "0:1" by their UUIDs
///   pull     has no effect: a folder is there or not
/// What else needs a container is refused (check_host).
/// Nothing runs between commands, so closing its container does nothing.
class Local : public Runtime, public std::enable_shared_from_this<Local> {
 public:
  Local(Loop& loop, Guard& guard) : loop_(loop), guard_(guard) {}

  const std::string& name() const override { return name_; }
  Op<std::string> check() override;
  Op<Result> run(Spec spec) override;
  Op<std::shared_ptr<Container>> start(Spec spec) override;
  Op<Nothing> pull(std::string image) override;
  Op<std::optional<Found>> find(std::string image, bool created) override;
  Op<std::vector<std::string>> tags(std::string pattern) override;
  Op<bool> discard(std::string image) override;
  Op<ImageFacts> inspect(std::string image) override;

  /// Identifies the folder by its path and manifest file, not by its content, which a test may change.
  static std::string digest_of(const std::string& folder);

 private:
  friend class LocalContainer;
  Op<Result> run_here(Spec spec, std::string folder);
  void look_for(const std::string& image);

  const std::string name_ = "local";
  Loop& loop_;
  Guard& guard_;
};

}  // namespace reg::container
