#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <tuple>

#include "engine/base/error.h"
#include "engine/store/store.h"

namespace reg::store {
namespace {

// Where an open file is now; "" if it was deleted.
std::string path_of(const Fd& file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || facts.st_nlink == 0) return {};
  std::error_code error;
  const std::string path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error);
  return path.ends_with(" (deleted)") ? std::string() : path;
}

constexpr const char* kMark = "/.regengine";

std::optional<Output> read_one(const Fd& folder, const std::string& name, std::size_t keep_bytes) {
  const Fd file(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  Output output{name, {}, facts.st_size, facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec};
  const auto keep = std::min<off_t>(facts.st_size, static_cast<off_t>(keep_bytes));
  output.text = read_at(file.get(), static_cast<std::uint64_t>(facts.st_size - keep), static_cast<std::size_t>(keep));
  if (keep < facts.st_size) output.text.erase(0, output.text.find('\n') + 1);  // nothing of a text without a line's end
  return output;
}

}  // namespace

bool is_network_file_system(const std::string& path) {
  // As statfs(2) numbers them.
  constexpr std::array<std::uint32_t, 11> kinds{0x6969,       // NFS
                                                0x0bd00bd0,   // Lustre
                                                0x47504653,   // GPFS
                                                0x65735546,   // FUSE
                                                0xff534d42,   // CIFS
                                                0xfe534d42,   // SMB 2
                                                0x00c36400,   // Ceph
                                                0x19830326,   // BeeGFS
                                                0x5346414f,   // AFS
                                                0x01021997,   // 9p
                                                0xaad7aaea};  // Panasas
  struct statfs facts {};
  if (::statfs(path.c_str(), &facts) != 0) return false;
  return std::find(kinds.begin(), kinds.end(), static_cast<std::uint32_t>(facts.f_type)) != kinds.end();
}

void Place::watch(const std::string& path) {
  Fd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (file) files_.push_back({path, std::move(file)});
}

Place::Lost Place::lost() const {
  for (const File& one : files_) {
    struct stat opened {};
    if (::fstat(one.file.get(), &opened) != 0 || is_at(one.file.get(), one.path)) continue;
    std::error_code unseen;
    return {one.path, path_of(one.file), std::filesystem::exists(one.path, unseen)};
  }
  return {};
}

void make_output(const std::string& folder) {
  for (const std::string& link : {std::filesystem::path(folder).parent_path().string(), folder})
    if (std::filesystem::is_symlink(link))
      throw Error(ErrorKind::corrupt, link + " is a link: the output would be written elsewhere",
                  "Remove it, or name another file with --store.");
  make_folders(folder);
  const Fd mark(::open((folder + kMark).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!mark && errno != EEXIST) throw system_error(folder + kMark, errno);
}

bool is_made_output(const std::string& folder) {
  std::error_code unseen;
  return std::filesystem::symlink_status(folder, unseen).type() == std::filesystem::file_type::directory &&
         std::filesystem::symlink_status(folder + kMark, unseen).type() == std::filesystem::file_type::regular;
}

std::vector<Output> read_output(const std::string& store_path, const std::string& name, std::size_t keep_bytes) {
  std::vector<Output> found;
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) return found;
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const Fd root(::open((store_path + ".out").c_str(), kFolder));
  const Fd folder(root ? ::openat(root.get(), name.c_str(), kFolder) : -1);
  if (!folder) return found;
  for (const std::filesystem::path path : entries(fmt::format("/proc/self/fd/{}", folder.get())))
    if (const std::string one = path.filename(); one.starts_with("BUILD") || one.starts_with("OUT"))
      if (auto output = read_one(folder, one, keep_bytes)) found.push_back(std::move(*output));
  std::ranges::sort(found, {}, [](const Output& one) { return std::tie(one.changed_ns, one.name); });
  return found;
}

}  // namespace reg::store
