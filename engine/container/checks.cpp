#include <filesystem>
#include <regex>
#include <set>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/settings.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

// The sockets of container engines: access to one is root on the host.
std::vector<fs::path> engine_sockets() {
  std::vector<fs::path> sockets{"/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock",
                                "/run/crio/crio.sock", "/run/buildkit/buildkitd.sock"};
  if (const std::string runtime = variable("XDG_RUNTIME_DIR"); runtime.starts_with('/'))
    for (const char* below : {"docker.sock", "podman/podman.sock"}) sockets.push_back(fs::path(runtime) / below);
  constexpr std::string_view unix_scheme = "unix://";
  for (const char* name : {"DOCKER_HOST", "CONTAINER_HOST"})
    if (const std::string value = variable(name); value.starts_with(unix_scheme))
      sockets.emplace_back(value.substr(unix_scheme.size()));
  return sockets;
}

void check_command(const process::Command& command) {
  for (const auto& word : command.argv)
    if (word.find('\0') != std::string::npos)
      throw Error(ErrorKind::usage, "an argument of the command contains a NUL byte");
  if (!command.argv.empty() && command.argv.front().empty())
    throw Error(ErrorKind::usage, "the command's name is empty");
  for (const auto& [name, value] : command.env) {
    check_word(name, "the name of an environment variable");
    if (name.find_first_of("= ") != std::string::npos)
      throw Error(ErrorKind::usage, "not a valid name of an environment variable: '" + printable(name) + "'");
    if (value.find('\0') != std::string::npos)
      throw Error(ErrorKind::usage, "the value of the environment variable " + name + " contains a NUL byte");
  }
}

[[noreturn]] void refuse_on_host(const std::string& setting) {
  throw Error(ErrorKind::usage, setting + ": needs a container, and this runs on the host",
              "Leave it out, or use docker or podman.");
}

void check_settings(const Spec& spec, bool on_host) {
  for (const Setting& setting : settings()) {
    for (const std::string& value : setting.of(spec)) {
      try {
        setting.check(value);
      } catch (const Error& error) {
        throw Error(error.kind(), std::string(setting.name) + ": " + error.what(), error.hint());
      }
      if (on_host && !setting.on_host) refuse_on_host(setting.name);
    }
  }
  if (spec.ipc == "host" && !spec.shm_size.empty())
    throw Error(ErrorKind::usage, "shm_size: has no effect with ipc = \"host\", where /dev/shm is that of this machine",
                "Leave out one of the two.");
}

void add_output(std::vector<Need>& needs, const Exec& command) {
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) needs.push_back(writes(file));
}

// Whether the text ends with ":ro", which is removed.
bool take_read_only(std::string& text) {
  constexpr std::string_view end = ":ro";
  const bool has = text.size() > end.size() && text.ends_with(end);
  if (has) text.resize(text.size() - end.size());
  return has;
}

// What only the user's command line permits: rights over this machine.
Need of_user(const std::string& name) { return {EffectKind::container, {name}, true, false, true, true}; }

}  // namespace

bool ImageName::on_this_machine() const {
  const auto host = registry.substr(0, registry.rfind(':'));
  return host == "localhost" || host == "[::1]" ||
         (host.rfind("127.", 0) == 0 && host.find_first_not_of("0123456789.") == std::string::npos);
}

ImageName check_image(const std::string& text) {
  check_word(text, "an image");
  // docker's rule: the first part is a registry if it looks like a host.
  const std::string like_host = "[^/]*[.:][^/]*/|localhost/";
  const std::string host = "([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?|\\[[A-Za-z0-9\\[\\]:]*)";
  const std::string part = "[a-z0-9]([a-z0-9._-]*[a-z0-9])?";
  static const std::regex form("(?:(?=" + like_host + ")(" + host + ")/|(?!" + like_host + "))(" + part + "(/" + part +
                               ")*)(:([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@(sha256:[0-9a-f]{64}))?");
  constexpr int registry = 1, repository = 4, tag = 9, digest = 11;
  constexpr std::size_t longest = 512;  // docker's is 255 without the digest
  std::smatch found;
  if (text.size() > longest || !std::regex_match(text, found, form))
    throw Error(ErrorKind::usage, "not a valid image name: '" + printable(text) + "'",
                "Write REGISTRY/REPOSITORY:TAG or REPOSITORY@sha256:..., with the repository in lower case.");
  ImageName name{found[registry], found[repository], found[tag], found[digest]};
  if (name.tag.empty() && name.digest.empty()) name.tag = "latest";
  if (!name.registry.empty()) return name;
  name.registry = "docker.io";
  if (name.repository.find('/') == std::string::npos) name.repository.insert(0, "library/");
  return name;
}

std::pair<std::string, std::string> split_tags(const std::string& pattern) {
  const auto colon = pattern.rfind(':');
  return {pattern.substr(0, colon), pattern.substr(colon + 1)};
}

void check_word(std::string_view text, std::string_view what) {
  const std::string whose(what);
  if (text.empty()) throw Error(ErrorKind::usage, whose + " is empty");
  if (text.front() == '-')
    throw Error(ErrorKind::usage, whose + " begins with '-': '" + printable(text) + "'",
                "Choose another: it would be taken for an option.");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw Error(ErrorKind::usage, whose + " contains a control character: '" + printable(text) + "'");
}

Mount parse_mount(const std::string& host, const std::string& inside) {
  Mount mount{"", inside};
  mount.read_only = take_read_only(mount.inside);
  check_word(mount.inside, "the path of a mount inside the container");
  if (mount.inside.front() != '/')
    throw Error(ErrorKind::usage,
                "the path of a mount inside the container must be absolute: '" + printable(mount.inside) + "'");
  if (fs::path(mount.inside).lexically_normal() == "/")
    throw Error(ErrorKind::usage, "refused a mount at /: it would hide the whole image");
  if (host.empty() || host.find('\0') != std::string::npos)
    throw Error(ErrorKind::usage, "the host path of the mount at " + mount.inside + " is empty or contains a NUL byte");
  std::error_code failed;
  const fs::path path = fs::canonical(host, failed);
  if (failed)
    throw Error(ErrorKind::not_found, "cannot mount " + printable(host) + ": " + failed.message(),
                "Write mounts as { [\"host path\"] = \"/path/inside\" }.");
  mount.host = path.string();
  for (const auto& text : {mount.host, mount.inside})
    if (text.find_first_of(",\"\n\r") != std::string::npos)
      throw Error(ErrorKind::usage,
                  "cannot mount '" + printable(text) + "': the path contains a comma, a quote or a line break");
  if (mount.host == "/" || fs::is_socket(path))
    throw Error(ErrorKind::permission,
                "refused to mount " + mount.host + ": it would give the container access to the host");
  std::error_code ignored;
  for (const auto& socket : engine_sockets())
    if (lies_in(fs::weakly_canonical(socket, ignored).string(), mount.host))
      throw Error(ErrorKind::permission, "refused to mount " + mount.host +
                                             ": it contains the socket of a container engine, " + socket.string());
  return mount;
}

Mount parse_mount_option(const std::string& text) {
  Mount mount;
  std::string paths = text;
  mount.read_only = take_read_only(paths);
  const auto colon = paths.find(':');
  fs::path host = fs::absolute(paths.substr(0, colon)).lexically_normal();
  if (!host.has_filename()) host = host.parent_path();  // "/data/"
  mount.host = host.string();
  mount.inside = colon == std::string::npos ? mount.host : paths.substr(colon + 1);
  parse_mount(mount.host, mount.inside);
  return mount;
}

void check_container(const Spec& spec) {
  check_command(spec);
  check_settings(spec, false);
  const bool uses_gpus = !spec.gpus.empty() || spec.leased;
  if (uses_gpus && has_amd_gpus() && !contains_any(join(spec.devices, " "), {"/dev/kfd", "amd.com/gpu"}))
    throw Error(ErrorKind::usage, "gpus: an AMD GPU needs its devices in a container",
                "Pass --device /dev/kfd --device /dev/dri.");
  if (!spec.cwd.empty() && spec.cwd.front() != '/')
    throw Error(ErrorKind::usage, "workdir: must be absolute: '" + printable(spec.cwd) + "'",
                "Write the path inside the container.");
  std::set<std::string> targets;
  for (const auto& mount : spec.mounts)
    if (!targets.insert(mount.inside).second)
      throw Error(ErrorKind::usage, "two mounts at " + mount.inside, "Mount each at a path of its own.");
}

void check_host(const Spec& spec) {
  check_command(spec);
  check_settings(spec, true);
  if (!spec.init) refuse_on_host("init");
  if (spec.gpus.find(':') != std::string::npos && !spec.cuda_gpus)
    throw Error(ErrorKind::usage, "gpus: CUDA takes no instance as '" + spec.gpus + "', and this runs on the host",
                "Pass the UUID of the instance, MIG-...: nvidia-smi -L prints it.");
}

void check_exec(const Exec& command) {
  if (command.argv.empty()) throw Error(ErrorKind::usage, "no command to run");
  check_command(command);
  if (!command.cwd.empty()) check_word(command.cwd, "the working directory");
}

Need need_of_image(const std::string& image) {
  const ImageName name = check_image(image);
  const std::string bare = name.registry + "/" + name.repository;
  std::vector<std::string> names{image, image.substr(0, image.find('@'))};
  if (!name.tag.empty() && names.back().ends_with(":" + name.tag))
    names.push_back(names.back().substr(0, names.back().size() - name.tag.size() - 1));
  // Only docker.io's names have a short form here: where podman looks for a name without a registry depends on its
  // configuration.
  if (image.starts_with(name.registry + "/") || name.registry != "docker.io") return {EffectKind::container, names};
  names.push_back(bare + (name.digest.empty() ? ":" + name.tag : "@" + name.digest));
  names.push_back(bare);
  return {EffectKind::container, names};
}

Need need_of_tags(const std::string& pattern) {
  const auto [repository, tags] = split_tags(pattern);
  const ImageName name = check_image(repository);
  const std::string full = name.registry + "/" + name.repository;
  return {EffectKind::container, {pattern, repository, full + ":" + tags, full}};
}

std::vector<Need> needs_of(const Spec& spec) {
  std::vector<Need> needs{need_of_image(spec.image)};
  for (const Mount& mount : spec.mounts) {
    Need need = uses(mount.host);
    need.changes = !mount.read_only;
    needs.push_back(need);
  }
  if (spec.network == "host") needs.push_back({EffectKind::container, {"network=host"}, true, false, true});
  if (spec.ipc == "host") needs.push_back(of_user("ipc=host"));
  for (const std::string& device : spec.devices) needs.push_back(of_user("device=" + device));
  for (const std::string& capability : spec.cap_add) needs.push_back(of_user("cap-add=" + capability));
  add_output(needs, spec);
  return needs;
}

std::vector<Need> needs_of(const Exec& command, const std::string& image) {
  std::vector<Need> needs{need_of_image(image)};
  add_output(needs, command);
  return needs;
}

}  // namespace reg::container
