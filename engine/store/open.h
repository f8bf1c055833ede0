#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/loop/loop.h"
#include "engine/store/store.h"

namespace reg::store {

/// Opens the store at `path`. While another engine has it open, waits up to `wait_s` and then rejects with conflict.
/// `on_wait` is called once when it begins to wait, with the holder of the store.
Op<std::shared_ptr<Store>> open(Loop& loop, std::string path, double wait_s,
                                std::function<void(const std::string& holder)> on_wait);

}  // namespace reg::store
