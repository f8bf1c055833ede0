#include "engine/container/usage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/settings.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "regengine-usage";
constexpr const char* kInside = "/opt/regengine/usage";
constexpr const char* kFolder = ".regengine/usage";

// The command may be another user in the container. Modes are given as files are made: a boxed engine changes none.
class ForAll {
 public:
  ForAll() : before_(::umask(0)) {}
  ~ForAll() { ::umask(before_); }
  ForAll(const ForAll&) = delete;
  ForAll& operator=(const ForAll&) = delete;

 private:
  mode_t before_;
};

const std::string& program_text() {
  static const std::string text = read_file(helper_file(kProgram, "measuring a command in a container"));
  return text;
}

// Machines of other processors, and other versions, may share the folder.
std::string program_name() { return std::string(kProgram) + "-" + sha256(program_text()).substr(0, 12); }

// "<engine>.<random>.<host>": machines may share a folder.
std::string new_name() { return engine_id() + "." + random_id() + "." + host_name(); }

void remove_those_of_dead_engines(const fs::path& folder) {
  std::error_code ignored;
  // A link that came with the workspace could name any folder of the user.
  if (real_path(folder) != folder) return;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.ends_with("." + host_name()) && !engine_alive(name.substr(0, name.find('.'))))
      fs::remove_all(entry.path(), ignored);
  }
}

constexpr int kRefused = 125;
constexpr const char* kSays = "the mount is not what was checked";
constexpr int kRandom = 16;  // bytes: no image and no mount may lie there

// What a container of this spec would run: its entrypoint and its arguments, or those of the image.
std::vector<std::string> whole_command(const Spec& spec, const ImageFacts& image) {
  std::vector<std::string> command = image.entrypoint;
  if (spec.entrypoint) command.clear();
  if (spec.entrypoint && !spec.entrypoint->empty()) command.push_back(*spec.entrypoint);
  // The image's command is for the image's entrypoint.
  const bool own = !spec.argv.empty() || spec.entrypoint;
  const std::vector<std::string>& rest = own ? spec.argv : image.cmd;
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

}  // namespace

Mount usage_mount() {
  const fs::path folder = fs::absolute(kFolder);
  remove_those_of_dead_engines(folder);
  make_folders(folder.parent_path());
  const ForAll modes;
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) throw system_error(folder, errno);
  if (fs::is_symlink(folder))
    throw Error(ErrorKind::permission, folder.string() + " is a link, and containers would get what it leads to",
                "Remove it: rm " + shell_words({folder.string()}));
  const fs::path program = folder / program_name();
  if (read_file_if_there(program) != program_text()) write_file(program, program_text(), 0755);
  return parse_mount(folder, kInside);
}

std::vector<std::string> Front::words(const std::vector<std::string>& argv) const {
  std::vector<std::string> all = words_;
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

Spec Front::applied_to(Spec spec, const ImageFacts& image) const {
  const std::vector<std::string> command = whole_command(spec, image);
  if (command.empty()) return spec;
  spec.argv = words(command);
  spec.entrypoint = spec.argv.front();
  spec.argv.erase(spec.argv.begin());
  spec.mounts.push_back(mount_);
  return spec;
}

Usage::Usage(const Mount& mount) {
  const std::string name = new_name();
  mount_ = mount;
  words_ = {mount.inside + "/" + program_name(), mount.inside + "/" + name};
  file_ = mount.host + "/" + name;
  const ForAll modes;
  const Fd file = open_file(file_, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

Usage::~Usage() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

void Usage::read_into(Result& result) const {
  constexpr double microsecond = 1e-6;
  const std::string text = read_file_if_there(file_).value_or("");
  std::vector<std::int64_t> numbers;
  for (const auto word : split(trim(text), ' ')) {
    const auto number = whole_number<std::int64_t>(word);
    if (!number || *number < 0) return;  // the command wrote something else there
    numbers.push_back(*number);
  }
  constexpr std::size_t count = 7, peak = 2;
  if (numbers.size() != count || numbers[peak] == 0) return;
  result.user_s = static_cast<double>(numbers[0]) * microsecond;
  result.sys_s = static_cast<double>(numbers[1]) * microsecond;
  result.peak_bytes = numbers[peak] * 1024;
  result.minor_faults = numbers[3];
  result.major_faults = numbers[4];
  result.voluntary_switches = numbers[5];
  result.involuntary_switches = numbers[6];
  result.measured = true;
}

Pins::Pins(const std::vector<Mount>& mounts) {
  mount_ = parse_mount(helper_file(kProgram, "checking the mounts of an untrusted script"),
                       "/regengine-" + random_id(kRandom) + ":ro");
  words_ = {mount_.inside, "--mounts"};
  for (const Mount& mount : mounts) {
    Fd file(::open(mount.host.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!file) throw system_error(mount.host, errno);
    if (fs::read_symlink("/proc/self/fd/" + std::to_string(file.get())) != mount.host)
      throw Error(ErrorKind::permission, "refused to mount " + printable(mount.host) + ": it has become a link");
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) throw system_error(mount.host, errno);
    words_.push_back(std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) + ":" + mount.inside);
    held_.push_back(std::move(file));
  }
  words_.emplace_back("--");
}

void Pins::check(const Result& result) {
  if (result.code == kRefused && result.err.find(kSays) != std::string::npos)
    throw Error(ErrorKind::permission,
                "refused the mounts of the container: " + printable(trim(tail(trim(result.err), 1))),
                "Something replaced that folder while the container started. Let nothing rename it meanwhile.");
}

}  // namespace reg::container
