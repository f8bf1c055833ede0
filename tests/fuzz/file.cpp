#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

namespace reg::fuzz {

std::string file_of(std::string_view bytes) {
  static const int fd = memfd_create("fuzz", 0);
  promised(fd >= 0 && ftruncate(fd, 0) == 0);
  promised(pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace reg::fuzz
