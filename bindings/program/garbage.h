#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg {

/// Something that regengine made and that nothing needs any more.
struct Garbage {
  std::string kind;  ///< worktree, commits, clone, output, image
  std::string name;
  std::uint64_t bytes = 0;
  std::string why;               ///< it is not needed
  std::function<bool()> remove;  ///< throws if it cannot; false in a dry run
};

struct Found {
  std::vector<Garbage> garbage;
  std::vector<std::string> kept;            ///< one line each: what is still needed, and why
  std::vector<std::shared_ptr<void>> held;  ///< locks against engines that would use it again
};

/// Looks at the worktrees, clones and stores of one workspace, at the commits that were made to prove one, and at the
/// images that were pulled for it. Never lists what another engine holds, an image that was there before, or a folder
/// that regengine did not make.
Found find_garbage(Loop& loop, Guard& guard, const std::string& workspace);

/// Where a store has been open to write, in the workspace and in the engine's folder there: relative to the workspace.
std::vector<std::string> locked_stores(const std::string& workspace);

/// The part that reads what somebody else may have made, stores and repositories. It runs in the box if there is one,
/// with the stores locked by find_garbage().
std::string read_for_garbage(const std::string& workspace);

}  // namespace reg
