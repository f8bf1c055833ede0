#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/container/dialect.h"

namespace reg::container {
namespace {

using Json = nlohmann::json;

// The value at "/KEY/KEY", or null: the engines omit empty values or set them to null.
const Json& at(const Json& json, const char* path) {
  static const Json nothing;
  const Json::json_pointer where(path);
  return json.contains(where) ? json.at(where) : nothing;
}

std::string text(const Json& json) { return json.is_string() ? json.get<std::string>() : std::string(); }
bool truth(const Json& json) { return json.is_boolean() && json.get<bool>(); }
int number(const Json& json) { return json.is_number_integer() ? json.get<int>() : 0; }

// The engines write null for an empty list.
std::vector<std::string> texts(const Json& json) {
  std::vector<std::string> all;
  if (json.is_array())
    for (const auto& entry : json) all.push_back(text(entry));
  return all;
}

std::string with_algorithm(std::string id) {
  if (!id.empty() && id.find(':') == std::string::npos) id.insert(0, "sha256:");  // podman leaves it out
  return id;
}

// The last lines of a message, without docker's advice on its own options and without the empty list that
// `docker inspect` prints before its error.
std::string last_lines(std::string_view message) {
  std::string kept;
  for (const auto line : lines(message)) {
    const auto text = trim(line);
    if (!text.empty() && text != "[]" && !text.starts_with("Run 'docker ")) kept.append(line).append("\n");
  }
  return printable(trim(tail(trim(kept), 3)));
}

// What runc, crun and nvidia-container-cli print if the image is at fault. docker-init is docker's own program.
bool blames_image(std::string_view message) {
  if (contains_any(message, {"docker-init", "catatonit"}) || !shortage_in(message).empty()) return false;
  return contains_any(message, {"unsatisfied condition", "requirement error", "exec format error", "process: exec: \"",
                                "executable file", "a command that was not found", "unable to find user",
                                "unable to find group", "does not exist on container", "chdir to cwd"});
}

// What a container engine says that it cannot do, and what to do about it; PROGRAM stands for its name.
struct Known {
  std::vector<std::string_view> said;  // one of these
  const char* hint;
  ErrorKind kind = ErrorKind::unavailable;
};

const std::vector<Known>& known_failures() {
  static const std::vector<Known> all{
      {{"Cannot connect to the Docker daemon", "error during connect", "Is the docker daemon running",
        "permission denied while trying to connect", "unable to connect to Podman", "docker.sock: connect"},
       "Start the docker service, check that you may use it, or pass --runtime podman or --runtime local."},
      {{"driver/library version mismatch"}, "The NVIDIA driver was updated while it was loaded: reboot this machine."},
      {{"unresolvable CDI devices", "CDI device injection failed", "stat nvidia.com/gpu"},
       "Describe the GPUs to the container engine, after each update of the driver, too: "
       "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml (from the NVIDIA Container Toolkit)."},
      {{"could not select device driver", "nvidia.com/gpu"},
       "Install the NVIDIA Container Toolkit: GPUs in containers need it."},
      {{"libnvidia-ml.so.1: cannot open", "nvml error: driver not loaded"},
       "Install the NVIDIA driver on this machine, or load it: sudo modprobe nvidia"},
      {{"no space left on device"}, "Free some space; finished trials are kept.", ErrorKind::io},
      {{"container-init binary not found", "docker-init"}, "Install the package INIT."},
      {{"rlimit"},
       "PROGRAM may not raise this limit: lower --ulimit, or raise the hard limit of its user (ulimit -H)."},
      {{"denied", "unauthorized", "authentication required"}, "Log in if the image needs it: PROGRAM login REGISTRY"},
      {{"server gave HTTP response to HTTPS client"},
       "The registry speaks plain HTTP: add it to the insecure registries in the container engine's settings."},
      {{"bind source path does not exist"},
       "PROGRAM runs on another machine or outside this container: mount the folder there at the same path."},
  };
  return all;
}

std::string this_architecture() {
#if defined(__aarch64__)
  return "arm64";
#elif defined(__x86_64__)
  return "amd64";
#else
  return {};
#endif
}

}  // namespace

std::optional<State> parse_state(std::string_view text_of_state) {
  const Json json = parse_json<Json>(text_of_state);
  if (!json.is_object()) return std::nullopt;
  State state;
  const std::string since = text(at(json, "/StartedAt"));
  state.started = !since.empty() && since.rfind("0001-", 0) != 0;
  state.running = truth(at(json, "/Running"));
  state.oom = truth(at(json, "/OOMKilled"));
  state.code = number(at(json, "/ExitCode"));
  state.pid = number(at(json, "/Pid"));
  return state;
}

std::optional<ImageFacts> parse_image_facts(std::string_view json_text) {
  const Json json = parse_json<Json>(json_text);
  if (!json.is_array() || json.empty() || !json[0].is_object()) return std::nullopt;
  const Json& image = json[0];
  ImageFacts facts;
  facts.id = with_algorithm(text(at(image, "/Id")));
  facts.digest = facts.id;
  for (const std::string& name : texts(at(image, "/RepoDigests")))
    if (const auto mark = name.find('@'); mark != std::string::npos) facts.digests.push_back(name.substr(mark + 1));
  if (!facts.digests.empty()) facts.digest = facts.digests.front();
  facts.created = text(at(image, "/Created"));
  for (const std::string& pair : texts(at(image, "/Config/Env"))) {
    const auto equals = pair.find('=');
    facts.env[pair.substr(0, equals)] = equals == std::string::npos ? std::string() : pair.substr(equals + 1);
  }
  facts.entrypoint = texts(at(image, "/Config/Entrypoint"));
  facts.cmd = texts(at(image, "/Config/Cmd"));
  if (const Json& labels = at(image, "/Config/Labels"); labels.is_object())
    for (const auto& [key, value] : labels.items()) facts.labels[key] = text(value);
  facts.layers = texts(at(image, "/RootFS/Layers"));
  return facts;
}

std::vector<std::string> parse_tags(std::string_view json) { return texts(at(parse_json<Json>(json), "/Tags")); }

std::string parse_created(std::string_view json) { return text(at(parse_json<Json>(json), "/created")); }

bool serves_this_machine(std::string_view manifest_json) {
  const Json json = parse_json<Json>(manifest_json);
  const Json& list = at(json, "/manifests");
  if (!list.is_array()) return true;  // an image for one architecture, which the manifest does not name
  return std::any_of(list.begin(), list.end(), [](const Json& entry) {
    const std::string architecture = text(at(entry, "/platform/architecture"));
    return architecture.empty() || architecture == this_architecture();
  });
}

std::map<std::string, std::string> parse_installed(std::string_view printed) {
  constexpr std::size_t most_packages = 2000, longest = 255;  // a test writes what it likes
  static const std::regex folder("([A-Za-z0-9._]+)-([A-Za-z0-9._+!]+)(-py.*)?[.](dist|egg)-info");
  std::map<std::string, std::string> packages;
  for (const auto line : lines(printed)) {
    if (!line.starts_with("A /") || !line.ends_with("-info") || packages.size() == most_packages) continue;
    const std::string name(line.substr(line.rfind('/') + 1));
    std::smatch found;
    if (name.size() <= longest && std::regex_match(name, found, folder)) packages.emplace(found[1], found[2]);
  }
  return packages;
}

bool says_missing(std::string_view message) {
  return contains_any(message, {"manifest unknown", "no such manifest", "name unknown", "NAME_UNKNOWN",
                                "MANIFEST_UNKNOWN", "repository name not known", "No such image", "no such image",
                                "image not known", "No such container", "no such container", "No such object",
                                "no such object", "no matching manifest", "no image found in manifest list"});
}

bool says_incomplete(std::string_view message) {
  return contains_any(message, {"unknown blob", "blob unknown", "BLOB_UNKNOWN", "status code from registry 404",
                                "verification failed for digest", "Digest did not match", "unexpected commit digest",
                                "unexpected commit size"});
}

Error failure(const std::string& program, const std::string& doing, std::string_view message) {
  const std::string said = last_lines(message);
  const std::string what = program + " could not " + doing + (said.empty() ? "" : ": " + said);
  for (const Known& known : known_failures()) {
    const auto is_said = [&](std::string_view words) { return message.find(words) != std::string_view::npos; };
    if (std::none_of(known.said.begin(), known.said.end(), is_said)) continue;
    std::string hint = known.hint;
    for (const auto& [word, name] : {std::pair<std::string, std::string>{"PROGRAM", program},
                                     {"INIT", program == "podman" ? "catatonit" : "tini"}})
      if (const auto at = hint.find(word); at != std::string::npos) hint.replace(at, word.size(), name);
    return {known.kind, what, hint};
  }
  if (says_missing(message)) return {ErrorKind::not_found, what};
  return {ErrorKind::unavailable, what};
}

Error start_failure(const std::string& program, const std::string& image, std::string_view message) {
  if (!blames_image(message)) return failure(program, "run " + image, message);
  std::string what = program + " could not run " + image + ": " + last_lines(message);
  // A trial keeps the message alone, without a hint.
  if (contains_any(message, {"unsatisfied condition", "requirement error"}))
    what += ". Update the NVIDIA driver, or pass --env NVIDIA_DISABLE_REQUIRE=1 to run the image with this one.";
  return {ErrorKind::failed_trial, what};
}

// skopeo writes log lines, time="..." level=fatal msg="...": their message alone.
static std::string without_log_form(std::string_view text) {
  constexpr std::string_view start = " msg=\"";
  std::string out;
  for (auto line : lines(text)) {
    const auto at = line.starts_with("time=") ? line.find(start) : std::string_view::npos;
    if (at != std::string_view::npos) line = line.substr(at + start.size(), line.size() - at - start.size() - 1);
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] != '\\' || i + 1 == line.size() || line[i + 1] != '"') out += line[i];
    out += '\n';
  }
  return out;
}

Error registry_failure(const std::string& program, const std::string& doing, const process::Outcome& outcome) {
  const std::string message = without_log_form(outcome.err) + outcome.out;
  Error known = failure(program, doing, message);
  const std::string what = known.what();
  if (outcome.stalled)
    return {ErrorKind::network, what + " (no progress for " + format_duration(outcome.wall_s) + "; stopped)"};
  if (outcome.timed_out) return {ErrorKind::network, what + " (no answer; stopped)"};
  if (says_incomplete(message)) return {ErrorKind::not_found, what};
  // What `failure` has advice on does not pass by itself.
  const bool passes = known.kind() == ErrorKind::unavailable && known.hint().empty() && says_network_failed(message);
  if (passes) return {ErrorKind::network, what};
  return known;
}

}  // namespace reg::container
