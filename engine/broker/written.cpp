#include "engine/broker/written.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace reg::broker {

// The engine opened it to write, so that it could. By this name it is opened again, whatever lies at its path now; with
// the broker's rights, so that one which may only be read must not come here.
std::string written_file(const Message& message, const Json& request, const char* name) {
  if (!request.contains(name)) return {};
  const int file = message.files.at(request[name].get<std::size_t>()).get();
  const int flags = ::fcntl(file, F_GETFL);
  const int mode = flags & O_ACCMODE;  // 3 is one, too, for which Landlock asks nothing
  struct stat found {};
  if (flags < 0 || (flags & O_PATH) != 0 || (mode != O_WRONLY && mode != O_RDWR) || ::fstat(file, &found) != 0 ||
      !S_ISREG(found.st_mode))
    throw Error(ErrorKind::permission, "the command's file is not open to be written");
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace reg::broker
