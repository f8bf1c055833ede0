#include <elf.h>
#include <fcntl.h>

#include <cstdint>
#include <cstring>

#include "engine/base/ids.h"
#include "engine/process/measured.h"

namespace reg::process {

// The note is near the headers: the sizes of its name and of the id, its type, its name, and the id.
std::string build_id_of(const std::string& path) {
  constexpr std::size_t kSearched = std::size_t{64} << 10, kLongest = 64;
  constexpr std::string_view kSize("\4\0\0\0", 4), kNote("\3\0\0\0GNU\0", 8);
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string start = file ? read_at(file.get(), 0, kSearched) : "";
  if (!start.starts_with(ELFMAG)) return {};
  for (auto at = start.find(kNote, 8); at != std::string::npos; at = start.find(kNote, at + 1)) {
    std::uint32_t size = 0;
    std::memcpy(&size, start.data() + at - 4, sizeof size);
    const std::string id = start.substr(at + kNote.size(), size);
    if (start.compare(at - 8, 4, kSize) == 0 && id.size() == size && size > 0 && size <= kLongest)
      return hex(reinterpret_cast<const unsigned char*>(id.data()), id.size());
  }
  return {};
}

}  // namespace reg::process
