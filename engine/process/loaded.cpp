#include "engine/process/loaded.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/effect.h"

namespace reg::process {
namespace {

// The file of a line of /proc/PID/maps that is mapped to be executed; "" for any other line:
// "7f2c00-7f2d00 r-xp 00001000 08:01 1234    /path/of/lib.so"
std::string_view executed_file(std::string_view line) {
  const auto permissions = line.find(' ');
  const auto path = line.find('/');
  if (permissions == std::string_view::npos || path == std::string_view::npos) return {};
  if (line.substr(permissions + 1, 4).find('x') == std::string_view::npos) return {};
  return line.substr(path);
}

// "" if the file is gone.
std::string known_id_of(const std::string& path) {
  static std::mutex access;
  static std::map<std::array<std::int64_t, 5>, std::string> known;
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  const std::scoped_lock hold(access);
  // The same as long as nobody writes the file.
  std::string& id = known[{static_cast<std::int64_t>(file.st_dev), static_cast<std::int64_t>(file.st_ino), file.st_size,
                           file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec,
                           file.st_ctim.tv_sec * 1'000'000'000 + file.st_ctim.tv_nsec}];
  if (id.empty()) id = build_id_of(path);
  if (id.empty()) try_to([&] { id = "sha256:" + sha256_of_file(path); });
  return id;
}

// Where the file lies that a command with these mounts sees at `path`.
std::string behind_mounts(const std::map<std::string, std::string>& folders, const std::string& path) {
  for (const auto& [inside, folder] : folders)
    if (lies_in(path, inside)) return folder + path.substr(inside.size());
  return path;
}

}  // namespace

Loaded::Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts) {
  for (const auto& [inside, folder] : mounts) mounts_.emplace(real_path(inside), folder);
  for (const std::string& folder : folders) {
    const std::string path = real_path(folder);
    folders_.push_back(path == "/" ? path : path + "/");
  }
}

void Loaded::look_at(pid_t pid) {
  const auto maps = read_file_if_there(fmt::format("/proc/{}/maps", pid));
  if (!maps) return;
  for (const auto line : lines(*maps)) {
    const auto file = executed_file(line);
    const bool below = std::any_of(folders_.begin(), folders_.end(),
                                   [&](const std::string& folder) { return file.starts_with(folder); });
    if (below) files_.emplace(file);
  }
}

std::map<std::string, std::string> Loaded::ids() const {
  std::map<std::string, std::string> ids;
  for (const std::string& file : files_)
    if (std::string id = known_id_of(behind_mounts(mounts_, file)); !id.empty()) ids.emplace(file, std::move(id));
  return ids;
}

namespace {

// Reading a binary file whose headers say where to look, and may say anything.

// nullopt if the bytes end before.
template <class T>
std::optional<T> value_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

constexpr std::size_t kMostHeaders = 1024;
constexpr std::size_t kMostNotes = std::size_t{64} << 10;  // bytes of a segment of notes
constexpr std::size_t kLongestId = 64;

bool is_native(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == (std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB) &&
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
