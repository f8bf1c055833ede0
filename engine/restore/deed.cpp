#include "engine/restore/deed.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/file.h"

namespace reg::restore {

Undo rewrite_file(const Deed& deed) {
  static_cast<void>(open_file(deed.target, O_WRONLY));  // may it be written?
  return [path = deed.target, value = deed.value] {
    const Fd file = open_file(path, O_WRONLY);  // anew: it may have been replaced
    write_all(file.get(), value, path);
    // Files of /sys have no size; of a plain one what stood behind a shorter value must go.
    [[maybe_unused]] const int plain = ::ftruncate(file.get(), static_cast<off_t>(value.size()));
  };
}

}  // namespace reg::restore
