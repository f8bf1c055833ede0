#include "engine/container/dialect.h"

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/settings.h"
#include "engine/machine/paths.h"

namespace reg::container {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

void add_option(Words& words, const char* option, const std::string& value) {
  if (!value.empty()) add(words, {option, value});
}

void add_variable(Words& words, const std::string& name, const std::string& value) {
  words.emplace_back("--env");
  words.emplace_back(name).append("=").append(value);
}

// skopeo takes a tag or a digest, not both; the digest is more precise.
Words skopeo(Words words, const ImageName& image, bool repository_alone = false) {
  if (image.on_this_machine()) words.emplace_back("--tls-verify=false");
  const std::string which = image.digest.empty() ? ":" + image.tag : "@" + image.digest;
  words.push_back("docker://" + image.registry + "/" + image.repository + (repository_alone ? "" : which));
  return words;
}

void add_gpus(Words& words, const Spec& spec, bool podman) {
  // A CDI specification names GPUs by their indexes; names by UUID are an option of its generator.
  std::string gpus = spec.gpus;
  if (spec.leased) gpus = join(podman && !has_amd_gpus() ? spec.leased->indexes : spec.leased->uuids, ",");
  if (gpus.empty()) return;
  if (has_amd_gpus()) {  // its devices, which check_container wants, are all of the machine's
    if (gpus != "all") add_variable(words, visible_devices(), gpus);
  } else if (podman) {
    for (const auto gpu : split(gpus, ',')) add(words, {"--device", "nvidia.com/gpu=" + std::string(gpu)});
  } else {
    // docker parses the value as CSV, so a value with a comma needs quotes.
    add(words, {"--gpus", gpus == "all" ? gpus : "\"device=" + gpus + "\""});
  }
}

}  // namespace

Spec idling(Spec spec) {
  spec.argv = {"infinity"};
  if (spec.entrypoint)
    spec.argv.insert(spec.argv.begin(), "sleep");
  else
    spec.entrypoint = "sleep";
  return spec;
}

Words Dialect::run(const Spec& spec, const std::string& name, bool detached) const {
  Words words{program_, "run"};
  if (detached) words.emplace_back("--detach");
  add(words, {"--pull=never", "--name", name, "--label", "regengine.engine=" + engine_id(), "--label",
              "regengine.host=" + host_name(), "--env",
              "REGENGINE_ENGINE=" + engine_id()});  // marks its processes as ours on the host
  // As process 1 the command would ignore SIGTERM and abort(), and nobody would reap its orphans.
  if (spec.init) words.emplace_back("--init");
  if (spec.pin_mounts)
    words.emplace_back("--no-healthcheck");  // a command of the image that begins without the program
  for (const auto& [key, value] : spec.env) add_variable(words, key, value);
  for (const auto& mount : spec.mounts)
    add(words, {"--mount",
                "type=bind,source=" + mount.host + ",target=" + mount.inside + (mount.read_only ? ",readonly" : "")});
  // SELinux denies a container devices, and files that are not labeled for it; relabeling would change the user's
  // files.
  const bool reaches_out = !spec.mounts.empty() || !spec.gpus.empty() || spec.leased || !spec.devices.empty();
  if (is_podman() && reaches_out) add(words, {"--security-opt", "label=disable"});
  for (const Setting& setting : settings()) {
    if (setting.name == std::string_view("gpus")) continue;  // each has words of its own for them, see below
    for (const std::string& value : setting.of(spec)) add(words, {std::string("--") + setting.option, value});
  }
  // As for programs in the sandbox, unless the user set one. podman has its own.
  const auto limits_processes = [](const std::string& ulimit) { return ulimit.starts_with("nproc="); };
  if (!is_podman() && std::ranges::none_of(spec.ulimits, limits_processes)) add(words, {"--pids-limit", "16384"});
  const bool near_gpus = spec.leased && !spec.leased->cpus.empty();
  add_option(words, "--cpuset-cpus", machine::format_cpus(near_gpus ? spec.leased->cpus : spec.on_cpus));
  add_gpus(words, spec, is_podman());
  words.push_back(spec.image);
  add(words, spec.argv);
  return words;
}

Words Dialect::exec(const Exec& command, const std::string& name) const {
  Words words{program_, "exec"};
  for (const auto& [key, value] : command.env) add_variable(words, key, value);
  add_option(words, "--workdir", command.cwd);
  words.push_back(name);
  add(words, command.argv);
  return words;
}

std::vector<Words> Dialect::remove(const std::string& name) const {
  // podman rm first waits ten seconds for the container.
  if (is_podman()) return {{program_, "kill", name}, {program_, "rm", "--force", name}};
  return {{program_, "rm", "--force", name}};
}

Words Dialect::pull(const std::string& image) const {
  if (is_podman() && check_image(image).on_this_machine())
    return {program_, "pull", "--quiet", "--tls-verify=false", image};
  return {program_, "pull", "--quiet", image};
}

Words Dialect::manifest(const std::string& image, bool with_skopeo) const {
  const ImageName parsed = check_image(image);
  if (with_skopeo) return skopeo({"skopeo", "inspect", "--raw"}, parsed);
  Words words{program_, "manifest", "inspect"};
  if (parsed.on_this_machine() && !is_podman()) words.emplace_back("--insecure");
  words.push_back(image);
  return words;
}

Words Dialect::tags(const std::string& repository) {
  return skopeo({"skopeo", "list-tags"}, check_image(repository), true);
}

Words Dialect::config(const std::string& image) {
  return skopeo({"skopeo", "inspect", "--config"}, check_image(image));
}

}  // namespace reg::container
