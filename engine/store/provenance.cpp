#include "engine/store/provenance.h"

#include <sys/utsname.h>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::store {
namespace {

std::string cpu_model() {
  const auto text = read_file_if_there("/proc/cpuinfo").value_or("");
  for (const auto line : lines(text)) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == "model name")
      return std::string(trim(line.substr(colon + 1)));
  }
  return "unknown";
}

}  // namespace

Provenance provenance() {
  utsname system{};
  ::uname(&system);
  return {host_name(), std::string(system.sysname) + " " + system.release, cpu_model()};
}

}  // namespace reg::store
