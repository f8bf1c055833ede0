#include "engine/artifact/compiled.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/read_at.h"

namespace reg::artifact {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMostNames = std::size_t{16} << 20;       // bytes of the names of sections
constexpr std::size_t kMostDirectory = std::size_t{256} << 20;  // bytes of a zip archive's directory
constexpr unsigned kGpuCode = 190;                              // EM_CUDA, which older elf.h lack

Fd opened(const std::string& path) { return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); }

// Of so many bytes at `offset`, or of those that the file has.
std::string hash_at(int fd, std::uint64_t offset, std::uint64_t size) {
  std::string hashes;
  while (size > 0) {
    const std::string bytes = read_at(fd, offset, std::min<std::uint64_t>(size, kChunk));
    if (bytes.empty()) break;
    hashes += sha256(bytes);
    offset += bytes.size();
    size -= bytes.size();
  }
  return sha256(hashes);
}

bool is_program(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_shentsize == sizeof(Elf64_Shdr) &&
         header.e_machine != kGpuCode;
}

std::string name_at(const std::string& names, std::size_t at) {
  return at < names.size() ? names.substr(at, names.find('\0', at) - at) : std::string();
}

// A file of the archive as its directory has it, and where the next entry is; nullopt at the end.
struct Entry {
  std::string line;
  std::size_t next;
};
std::optional<Entry> entry_at(const std::string& directory, std::size_t at) {
  constexpr std::uint32_t signature = 0x02014b50;
  constexpr std::size_t checksum = 16, size = 24, name_size = 28, extra_size = 30, comment_size = 32, name = 46;
  const auto comment = value_at<std::uint16_t>(directory, at + comment_size);
  if (!comment || *value_at<std::uint32_t>(directory, at) != signature) return std::nullopt;
  const std::size_t length = *value_at<std::uint16_t>(directory, at + name_size);
  if (at + name + length > directory.size()) return std::nullopt;
  return Entry{
      fmt::format("{} {} {}\n", directory.substr(at + name, length), *value_at<std::uint32_t>(directory, at + checksum),
                  *value_at<std::uint32_t>(directory, at + size)),
      at + name + length + *value_at<std::uint16_t>(directory, at + extra_size) + *comment};
}

// The directory of a zip archive, found from its end; "" for any other file.
std::string directory_of(int fd) {
  constexpr std::size_t longest_end = 22 + 65535;  // a comment may follow
  constexpr std::size_t size_at = 12, offset_at = 16;
  const off_t length = ::lseek(fd, 0, SEEK_END);
  if (length < 22 || read_at(fd, 0, 2) != "PK") return {};
  const auto from = static_cast<std::uint64_t>(std::max<off_t>(0, length - static_cast<off_t>(longest_end)));
  const std::string tail = read_at(fd, from, longest_end);
  const auto end = tail.rfind("PK\5\6");
  if (end == std::string::npos) return {};
  const auto size = value_at<std::uint32_t>(tail, end + size_at);
  const auto offset = value_at<std::uint32_t>(tail, end + offset_at);
  if (!size || !offset || *size > kMostDirectory) return {};
  return read_at(fd, *offset, *size);
}

bool has_compiled_name(const std::string& name) {
  constexpr const char* ends[] = {".whl", ".cubin", ".fatbin", ".ptx", ".hsaco", "_after_optimizations.txt"};
  return std::any_of(std::begin(ends), std::end(ends), [&](const char* end) { return name.ends_with(end); });
}

// Objects that a linker is still to join say nothing of what runs.
bool is_linked(const std::string& path) {
  const Fd file = opened(path);
  const auto header = file ? value_at<Elf64_Ehdr>(read_at(file.get(), 0, sizeof(Elf64_Ehdr)), 0) : std::nullopt;
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_type != ET_REL;
}

}  // namespace

std::string hash_of_program(const std::string& path) {
  const Fd file = opened(path);
  if (!file) return {};
  const auto header = value_at<Elf64_Ehdr>(read_at(file.get(), 0, sizeof(Elf64_Ehdr)), 0);
  if (!header || !is_program(*header)) return {};
  const std::string table = read_at(file.get(), header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
  const auto strings = value_at<Elf64_Shdr>(table, header->e_shstrndx * sizeof(Elf64_Shdr));
  if (!strings) return {};
  const std::string names =
      read_at(file.get(), strings->sh_offset, std::min<std::uint64_t>(strings->sh_size, kMostNames));
  std::string lines;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = value_at<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr));
    if (!section || (section->sh_flags & SHF_ALLOC) == 0) continue;
    const std::string name = name_at(names, section->sh_name);
    if (name == ".note.gnu.build-id") continue;
    lines +=
        fmt::format("{} {} {} {}\n", name, section->sh_addr, section->sh_size,
                    section->sh_type == SHT_NOBITS ? "" : hash_at(file.get(), section->sh_offset, section->sh_size));
  }
  return lines.empty() ? std::string() : sha256(lines);
}

std::string hash_of_archive(const std::string& path) {
  const Fd file = opened(path);
  if (!file) return {};
  const std::string directory = directory_of(file.get());
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (const auto entry = entry_at(directory, at)) {
    lines.push_back(entry->line);
    at = entry->next;
  }
  if (lines.empty()) return {};
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return sha256(all);
}

std::vector<std::string> compiled_files(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
    if (has_compiled_name(at->path().filename()) || is_linked(at->path()))
      found.push_back(at->path().lexically_relative(folder).string());
  }
  if (error) throw system_error("reading " + folder, error.value());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace reg::artifact
