#include "engine/process/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/read_at.h"

namespace reg::process {
namespace {

constexpr std::size_t kMostHeaders = 1024;
constexpr std::size_t kMostNotes = std::size_t{64} << 10;  // bytes of a segment of notes
constexpr std::size_t kLongestId = 64;

constexpr bool is_little_endian() {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return true;
#else
  return false;
#endif
}

bool is_native(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == (is_little_endian() ? ELFDATA2LSB : ELFDATA2MSB) &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

// The segments that hold notes.
std::vector<Elf64_Phdr> note_segments(int fd) {
  const auto header = value_at<Elf64_Ehdr>(read_at(fd, 0, sizeof(Elf64_Ehdr)), 0);
  if (!header || !is_native(*header)) return {};
  const std::size_t count = std::min<std::size_t>(header->e_phnum, kMostHeaders);
  const std::string table = read_at(fd, header->e_phoff, count * sizeof(Elf64_Phdr));
  std::vector<Elf64_Phdr> found;
  for (std::size_t i = 0; i < count; ++i) {
    const auto segment = value_at<Elf64_Phdr>(table, i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_NOTE) found.push_back(*segment);
  }
  return found;
}

// A note is its header, its name and its contents; the last two are padded.
std::string id_in(std::string_view notes, std::size_t alignment) {
  const auto padded = [&](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  std::size_t at = 0;
  while (const auto note = value_at<Elf64_Nhdr>(notes, at)) {
    const std::size_t name = at + sizeof(Elf64_Nhdr);
    const std::size_t contents = at + padded(sizeof(Elf64_Nhdr) + note->n_namesz);
    if (contents > notes.size() || notes.size() - contents < note->n_descsz) return {};
    const bool is_id =
        note->n_type == NT_GNU_BUILD_ID && notes.substr(name, note->n_namesz) == std::string_view("GNU\0", 4);
    if (is_id && note->n_descsz > 0 && note->n_descsz <= kLongestId) {
      std::string hex;
      for (const char byte : notes.substr(contents, note->n_descsz))
        hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      return hex;
    }
    at = contents + padded(note->n_descsz);
  }
  return {};
}

}  // namespace

std::string build_id_of(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return {};
  for (const Elf64_Phdr& segment : note_segments(file.get())) {
    const std::size_t size = std::min<std::uint64_t>(segment.p_filesz, kMostNotes);
    std::string id = id_in(read_at(file.get(), segment.p_offset, size), segment.p_align == 8 ? 8 : 4);
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace reg::process
