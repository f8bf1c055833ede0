#include "engine/container/runtimes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/container/cli.h"
#include "engine/container/settings.h"
#include "engine/nvtx/nvtx.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

// Absolute; "" for no image.
std::string folder_of(const std::string& image) {
  if (image.empty()) return {};
  check_word(image, "an image");
  std::error_code failed;
  const auto folder = fs::canonical(image, failed);
  if (failed || !fs::is_directory(folder))
    throw Error(ErrorKind::not_found, "no such folder: " + printable(image),
                "Give a folder on this machine: the local runtime uses one as the image.");
  return folder.string();
}

std::string host_folder(const Spec& spec, const std::string& image_folder) {
  if (spec.cwd.empty()) return image_folder;
  const fs::path wanted = fs::path(spec.cwd).lexically_normal();
  for (const auto& mount : spec.mounts) {
    const auto rest = wanted.lexically_relative(mount.inside);
    if (!rest.empty() && *rest.begin() != "..") return (fs::path(mount.host) / rest).lexically_normal().string();
  }
  if (wanted.is_relative() && !image_folder.empty()) return (fs::path(image_folder) / wanted).string();
  return wanted.string();
}

// Identifies the folder by its path and manifest file, not by its content, which a test may change.
std::string digest_of(const std::string& folder) {
  return "local:" + sha256(folder + '\n' + read_file_if_there(folder + "/opt/manifest.d/git-clone.yaml").value_or(""));
}

// Runs on the host, for machines without a container engine and for tests. The image is a folder, or none:
//   image    its path is in $REGENGINE_IMAGE, and it is the default working directory
//   workdir  a path inside a mount is translated to the host's; any other relative path is inside the image's folder
//   mounts   used only for workdir
//   gpus     set as $CUDA_VISIBLE_DEVICES, instances such as "0:1" by their UUIDs
// What else needs a container is refused (check_host).
class Local : public Runtime, public std::enable_shared_from_this<Local> {
 public:
  Local(Loop& loop, Guard& guard) : loop_(loop), guard_(guard) {}

  const std::string& name() const override { return name_; }
  Op<std::string> check() override { co_return host_name(); }

  Op<Result> run(Spec spec) override {
    const auto self = shared_from_this();
    check_host(spec);
    if (spec.argv.empty())
      throw Error(ErrorKind::usage, "no command to run",
                  "Give a command: unlike an image, a folder has no default one.");
    co_return co_await run_here(spec, folder_of(spec.image));
  }

  Op<std::shared_ptr<Container>> start(Spec spec) override;

  Op<Nothing> pull(std::string image) override {
    look_for(image);
    folder_of(image);
    co_return;
  }

  Op<bool> discard(std::string image) override {
    check_word(image, "an image");
    co_return false;
  }

  Op<std::optional<Found>> find(std::string image, bool) override {
    check_word(image, "an image");
    look_for(image);
    struct stat info {};
    if (stat(image.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) co_return std::nullopt;
    co_return Found{"", format_time(info.st_mtime)};
  }

  Op<std::vector<std::string>> tags(std::string pattern) override {
    const auto [parent, wanted] = split_tags(pattern);
    look_for(parent);
    std::vector<std::string> folders;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_of(parent)))
      if (entry.is_directory(ignored) && matches(wanted, entry.path().filename().string()))
        folders.push_back((fs::path(parent) / entry.path().filename()).string());
    co_return folders;
  }

  Op<ImageFacts> inspect(std::string image) override {
    look_for(image);
    ImageFacts facts;
    facts.id = folder_of(image);
    facts.digest = digest_of(facts.id);
    struct stat info {};
    if (stat(facts.id.c_str(), &info) == 0) facts.created = format_time(info.st_mtime);
    co_return facts;
  }

  Op<Result> run_here(Spec spec, std::string folder) {
    const auto self = shared_from_this();
    process::Command command = spec;
    command.cwd = host_folder(spec, folder);
    if (!folder.empty()) command.env.emplace("REGENGINE_IMAGE", folder);
    if (!spec.gpus.empty() && spec.gpus != "all") {
      command.env.emplace(visible_devices(), spec.gpus);
      // Numbers are those of nvidia-smi; CUDA's own order is by speed.
      if (std::getenv("CUDA_DEVICE_ORDER") == nullptr) command.env.emplace("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    }
    Result result;
    Effect effect = process::effect_of(command);
    if (!folder.empty()) effect.needs.push_back(reads(folder));
    if (!folder.empty()) effect.identity += "\nimage " + digest_of(folder);
    effect.folder = folder;
    if (!guard_.admit(effect)) {
      result.dry = true;
      co_return result;
    }
    if (!command.cwd.empty() && !fs::is_directory(command.cwd))
      throw Error(ErrorKind::not_found, "no such working directory: " + command.cwd);
    if (spec.cuda_gpus && command.env["CUDA_VISIBLE_DEVICES"] == spec.gpus)
      command.env["CUDA_VISIBLE_DEVICES"] = spec.cuda_gpus();
    command.bounds = guard_.policy().bounds(effect);
    const nvtx::Range phase("container", folder.empty() ? name() : folder);
    static_cast<process::Outcome&>(result) = co_await process::run(loop_, command);
    result.measured = true;
    if (!folder.empty()) result.image_digest = digest_of(folder);
    co_return result;
  }

 private:
  // Before it tells whether it is there.
  void look_for(const std::string& image) {
    const std::string path = real_path(image);
    guard_.admit({EffectKind::files, "look at " + path, {reads(path)}, false});
  }

  const std::string name_ = "local";
  Loop& loop_;
  Guard& guard_;
};

// The options of a Spec, applied to each command.
class LocalContainer : public Container {
 public:
  LocalContainer(std::shared_ptr<Local> local, Spec spec, std::string folder)
      : local_(std::move(local)), spec_(std::move(spec)), folder_(std::move(folder)), name_("local-" + random_id()) {}

  const std::string& id() const override { return name_; }
  const std::string& name() const override { return name_; }
  void close() override { closed_ = true; }
  Op<Nothing> restart() override { co_return; }  // its commands are ended with their processes

  Op<Result> exec(Exec command) override {
    check_exec(command);
    if (closed_) throw Error(ErrorKind::usage, "the container " + name_ + " is closed");
    Spec spec = spec_;
    command.env.insert(spec.env.begin(), spec.env.end());
    if (command.cwd.empty()) command.cwd = spec.cwd;
    command.leased = spec.leased;
    static_cast<Exec&>(spec) = std::move(command);
    return local_->run_here(std::move(spec), folder_);
  }

 private:
  std::shared_ptr<Local> local_;
  Spec spec_;
  std::string folder_;
  std::string name_;
  bool closed_ = false;
};

Op<std::shared_ptr<Container>> Local::start(Spec spec) {
  check_host(spec);
  co_return std::make_shared<LocalContainer>(shared_from_this(), spec, folder_of(spec.image));
}

MakeCli elsewhere;

std::shared_ptr<Runtime> cli(Loop& loop, Guard& guard, const char* program) {
  if (elsewhere) return elsewhere(loop, guard, Dialect(program));
  return std::make_shared<Cli>(loop, guard, Dialect(program));
}

// Its version, or what is wrong.
Op<Presence> presence(std::shared_ptr<Runtime> runtime) {
  Presence found;
  try {
    found.message = co_await runtime->check();
    found.ok = true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    found.message = error.what();
  }
  co_return found;
}

}  // namespace

void use_cli_elsewhere(MakeCli make) { elsewhere = std::move(make); }

Runtimes::Runtimes(Loop& loop, Guard& guard)
    : all_{cli(loop, guard, "docker"), cli(loop, guard, "podman"), std::make_shared<Local>(loop, guard)} {}

std::shared_ptr<Runtime> Runtimes::named(const std::string& name) const {
  for (const auto& runtime : all_)
    if (runtime->name() == name) return runtime;
  throw Error(
      ErrorKind::usage,
      "no such container runtime: '" + printable(name) + "'" + did_you_mean(name, {"docker", "podman", "local"}),
      "valid runtimes: docker, podman, local");
}

Op<std::shared_ptr<Runtime>> Runtimes::get(std::string name) {
  const auto self = shared_from_this();
  if (!name.empty()) co_return named(name);
  if (chosen_) co_return chosen_;
  std::string whys;
  for (const auto& runtime : all_) {
    if (runtime->name() == "local") continue;  // only on request: a test meant for a container must not run on the host
    const Presence found = co_await presence(runtime);
    whys += "; " + found.message;
    if (found.ok) co_return chosen_ = runtime;
  }
  throw Error(ErrorKind::unavailable, "no container engine is available" + whys,
              "Start docker, install podman, or pass --runtime local (runtime = \"local\") to run without containers.");
}

Op<std::map<std::string, Presence>> Runtimes::available() {
  const auto self = shared_from_this();
  std::map<std::string, Presence> found;
  for (const auto& runtime : all_) found[runtime->name()] = co_await presence(runtime);
  co_return found;
}

restore::Undo remove_containers(const restore::Entry& entry) {
  if (entry.target != "docker" && entry.target != "podman")
    throw Error(ErrorKind::usage, "not a container engine: '" + printable(entry.target) + "'");
  return [program = entry.target, engine = entry.value] {
    constexpr int kLooks = 100;
    constexpr useconds_t kPause_us = 20'000;
    for (int look = 0; engine_alive(engine) && look < kLooks; ++look) ::usleep(kPause_us);  // it is just ending
    Loop loop;
    Guard guard(allow_all());
    const auto cli = std::make_shared<Cli>(loop, guard, Dialect(program));
    loop.wait_for(cli->remove_left_behind());
  };
}

}  // namespace reg::container
