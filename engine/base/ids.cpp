#include "engine/base/ids.h"

#include <fcntl.h>
#include <fmt/format.h>
// Their successors (EVP) read OpenSSL's settings and set up its ciphers first: a millisecond at each start.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg {
namespace {

std::string digest_of(SHA256_CTX& sum) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &sum);
  return hex(digest.data(), digest.size());
}

// In clock ticks since boot; "" if the process is gone, or only what is left of a dead one until its parent asks for
// its exit code.
std::string start_time(std::string_view pid) {
  const auto fields = stat_of(pid);
  return fields.size() <= 19 || fields[0] == "Z" || fields[0] == "X" ? "" : fields[19];
}

// It runs, but a box keeps this process from reading more.
bool is_hidden(std::string_view pid) {
  const Fd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  return !file && errno == EACCES;
}

// Containers have namespaces of their own, where other processes have the same ids: the inode tells them apart.
std::string pid_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? std::to_string(info.st_ino) : "0";
}

// The machine's own namespace (PROC_PID_INIT_INO of the kernel), from which every process is seen.
constexpr std::string_view machine_namespace = "4026531836";

// The last id of "NSpid: 4711 12": that in the innermost namespace of the process.
bool has_inner_pid(const std::string& process, std::string_view pid) {
  const auto status = read_file_if_there(process + "/status").value_or("");
  for (const auto line : lines(status))
    if (line.starts_with("NSpid:")) return line.substr(line.find_last_of(" \t") + 1) == pid;
  return false;
}

// Whether a process of this namespace or one below has that id in its own.
bool runs_inside(std::string_view pid, std::string_view started) {
  for (const std::string& process : entries("/proc"))
    if (has_inner_pid(process, pid) && start_time(process.substr(process.rfind('/') + 1)) == started) return true;
  return false;
}

std::string boot_id() {
  const auto text = read_file_if_there("/proc/sys/kernel/random/boot_id");
  return text ? text->substr(0, 8) : "00000000";
}

}  // namespace

std::string hex(const unsigned char* data, std::size_t size) {
  return fmt::format("{:02x}", fmt::join(data, data + size, ""));
}

std::vector<std::string> stat_of(std::string_view pid) {
  const auto stat = read_file_if_there(fmt::format("/proc/{}/stat", pid)).value_or("");
  const auto bracket = stat.rfind(')');  // the name before it may hold anything
  if (bracket == std::string::npos) return {};
  return words(std::string_view(stat).substr(bracket + 2));
}

std::string variable_of(pid_t pid, std::string_view name) {
  const auto environment = read_file_if_there(fmt::format("/proc/{}/environ", pid)).value_or("");
  for (const auto text : split(environment, '\0'))
    if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
      return std::string(text.substr(name.size() + 1));
  return {};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of "NAME=VALUE".
static void add_variable(std::string_view text, std::map<std::string, std::string>& to) {
  const auto equals = text.find('=');
  if (equals != text.npos && equals > 0) to.emplace(text.substr(0, equals), text.substr(equals + 1));
}

std::map<std::string, std::string> variables() {
  std::map<std::string, std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) add_variable(*variable, all);
  return all;
}

std::map<std::string, std::string> variables_of(pid_t pid) {
  std::map<std::string, std::string> found;
  const auto text = read_file_if_there(fmt::format("/proc/{}/environ", pid)).value_or("");
  for (const auto variable : split(text, '\0')) add_variable(variable, found);
  return found;
}

std::string random_id(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  if (getrandom(data.data(), bytes, 0) < 0) throw system_error("getrandom", errno);
  return hex(data.data(), bytes);
}

std::string sha256(std::string_view data) {
  SHA256_CTX sum;
  SHA256_Init(&sum);
  SHA256_Update(&sum, data.data(), data.size());
  return digest_of(sum);
}

std::string sha256_of_file(const std::string& path) {
  const Fd file = open_file(path, O_RDONLY);
  SHA256_CTX sum;
  SHA256_Init(&sum);
  read_pieces(file, path, [&](std::string_view piece) { SHA256_Update(&sum, piece.data(), piece.size()); });
  return digest_of(sum);
}

const std::string& engine_id() {
  static const std::string id =
      fmt::format("{}-{}-{}-{}", boot_id(), pid_namespace(), getpid(), start_time(std::to_string(getpid())));
  return id;
}

bool engine_alive(std::string_view id) {
  const auto parts = split(id, '-');
  if (parts[0] != boot_id()) return false;
  if (parts.size() == 3) return runs_inside(parts[1], parts[2]);  // of an earlier version
  if (parts.size() != 4) return false;
  if (parts[1] == pid_namespace()) return start_time(parts[2]) == parts[3] || is_hidden(parts[2]);
  return runs_inside(parts[2], parts[3]) || in_container();
}

bool in_container() { return pid_namespace() != machine_namespace; }

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string cpu_model() {
  const std::string text = read_file_if_there("/proc/cpuinfo").value_or("");
  for (const auto line : lines(text))
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "unknown";
}

std::string version() { return REGENGINE_VERSION; }

namespace fs = std::filesystem;

std::string hash_of_path(const std::string& path) {
  if (!fs::is_directory(path)) return sha256_of_file(path);
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->is_symlink() || !at->is_directory()) files.push_back(at->path());
  if (error) throw system_error("reading " + path, error.value());
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const fs::path& file : files) {
    const std::string contents = fs::is_symlink(file) ? fs::read_symlink(file).string() : sha256_of_file(file);
    lines += file.lexically_relative(path).string() + '\0' + contents + '\n';
  }
  return sha256(lines);
}

}  // namespace reg
