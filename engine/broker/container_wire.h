#pragma once

#include "engine/broker/wire.h"
#include "engine/container/runtime.h"

namespace reg::broker {

/// All that a script decides of a container or a command in one, but the output files, which go as open files, and what
/// the boxed engine does itself: measuring (Exec::usage) and pulling.
Json as_json(const container::Exec& command);
Json as_json(const container::Spec& spec);

/// Both throw usage for what the bindings and checks.h would refuse; checks.h itself is left to the runtime. The mounts
/// of a spec are looked up anew.
container::Exec exec_from(const Json& json);
container::Spec spec_from(const Json& json);

Json as_json(const container::Result& result);
container::Result result_from(const Json& json);

Json as_json(const container::ImageFacts& facts);
container::ImageFacts facts_from(const Json& json);

}  // namespace reg::broker
