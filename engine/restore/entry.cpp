#include "engine/restore/entry.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/file.h"

namespace reg::restore {

Undo rewrite_file(const Entry& entry) {
  static_cast<void>(open_file(entry.target, O_WRONLY));  // throws if it is not writable
  return [path = entry.target, value = entry.value] {
    const Fd file = open_file(path, O_WRONLY);  // reopened: the file may have been replaced
    write_all(file.get(), value, path);
    // Files of /sys have no size; a plain file keeps the tail of a longer value unless it is truncated.
    [[maybe_unused]] const int ignored = ::ftruncate(file.get(), static_cast<off_t>(value.size()));
  };
}

}  // namespace reg::restore
