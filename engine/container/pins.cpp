#include "engine/container/pins.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/checks.h"
#include "engine/container/usage.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

constexpr int kRefused = 125;
constexpr const char* kSays = "the mount is not what was checked";
constexpr int kRandom = 16;  // bytes: no image and no mount may lie there

}  // namespace

Pins::Pins(const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    Fd file(::open(mount.host.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!file) throw system_error(mount.host, errno);
    if (fs::read_symlink("/proc/self/fd/" + std::to_string(file.get())) != mount.host)
      throw Error(ErrorKind::permission, "refused to mount " + printable(mount.host) + ": it has become a link");
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) throw system_error(mount.host, errno);
    seen_.push_back(std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) + ":" + mount.inside);
    held_.push_back(std::move(file));
  }
  program_ = parse_mount(helper_file("regengine-usage", "checking the mounts of an untrusted script"),
                         "/regengine-" + random_id(kRandom) + ":ro");
}

std::vector<std::string> Pins::words(const std::vector<std::string>& argv) const {
  std::vector<std::string> all{program_.inside, "--mounts"};
  all.insert(all.end(), seen_.begin(), seen_.end());
  all.emplace_back("--");
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

Spec Pins::in_front(Spec spec, const std::vector<std::string>& command) const {
  const std::vector<std::string> all = words(command);
  spec.entrypoint = all.front();
  spec.argv.assign(all.begin() + 1, all.end());
  spec.mounts.push_back(program_);
  spec.pinned = true;
  return spec;
}

Spec Pins::applied_to(Spec spec, const ImageFacts& image) const {
  const std::vector<std::string> command = whole_command(spec, image);
  return command.empty() ? spec : in_front(std::move(spec), command);
}

Spec Pins::applied_to_idle(Spec spec) const {
  std::vector<std::string> command;
  if (spec.entrypoint && !spec.entrypoint->empty()) command.push_back(*spec.entrypoint);
  return in_front(std::move(spec), command);
}

void Pins::check(const Result& result) {
  if (result.code == kRefused && result.err.find(kSays) != std::string::npos)
    throw Error(ErrorKind::permission,
                "refused the mounts of the container: " + printable(trim(tail(trim(result.err), 1))),
                "Something replaced that folder while the container started. Let nothing rename it meanwhile.");
}

}  // namespace reg::container
