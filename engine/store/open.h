#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/loop/loop.h"
#include "engine/store/store.h"

namespace reg::store {

/// The folder that the engine makes in a workspace; git does not list it.
inline constexpr const char* kOwnFolder = ".regengine";

/// Where results are kept unless another file is named: ".regengine/results.db", or "regengine.db" where an earlier
/// version made that.
std::string default_path();

/// Opens the store at `path`. While another engine has it open, waits up to `wait_s` and then rejects with conflict.
/// `on_wait` is called once when it begins to wait, with the holder of the store.
Op<std::shared_ptr<Store>> open(Loop& loop, std::string path, double wait_s,
                                std::function<void(const std::string& holder)> on_wait);

}  // namespace reg::store
