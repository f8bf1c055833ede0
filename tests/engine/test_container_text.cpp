#include "engine/container/dialect.h"
#include "engine/container/settings.h"
#include "tests/support/unit.h"

// What needs no container engine: names, command lines, and answers understood.

using namespace reg::container;

namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');

bool has_pair(const Strings& words, const std::string& first, const std::string& second) {
  const Strings pair{first, second};
  return std::search(words.begin(), words.end(), pair.begin(), pair.end()) != words.end();
}

}  // namespace

TEST_CASE("image names are taken apart as docker does") {
  const std::map<std::string, Strings> rows{
      {"busybox", {"docker.io", "library/busybox", "latest", ""}},
      {"nvidia/cuda:12.4.1-devel", {"docker.io", "nvidia/cuda", "12.4.1-devel", ""}},
      {"ghcr.io/nvidia/jax:jax-2024-03-01", {"ghcr.io", "nvidia/jax", "jax-2024-03-01", ""}},
      {"127.0.0.1:5000/a/b", {"127.0.0.1:5000", "a/b", "latest", ""}},
      {"localhost/bb:1", {"localhost", "bb", "1", ""}},
      {"[::1]:5000/x:y", {"[::1]:5000", "x", "y", ""}},
      {"nvcr.io/nvidia/pytorch@" + kDigest, {"nvcr.io", "nvidia/pytorch", "", kDigest}},
      {"a/b:c@" + kDigest, {"docker.io", "a/b", "c", kDigest}},
  };
  for (const auto& [text, parts] : rows) {
    INFO(text);
    const auto name = check_image(text);
    CHECK(Strings{name.registry, name.repository, name.tag, name.digest} == parts);
  }
  for (const char* here : {"127.0.0.1:5000/a", "localhost:5000/a", "[::1]:5000/a"})
    CHECK(check_image(here).on_this_machine());
  for (const char* elsewhere : {"127.example.com/a", "ghcr.io/a"})
    CHECK_FALSE(check_image(elsewhere).on_this_machine());
}

TEST_CASE("what is no image name is refused, and nothing that passes can be an option") {
  for (const std::string text :
       {"", "-v", "--privileged", "a b", "a\nb", "UPPER/case", "a:b:c", "a/", "/a", "a//b", "a:", "a@sha256:12", "a:-t",
        "ghcr.io:x/a", "a\x1b[31m", "..", "a;b", "$(x)", "a:{date}"}) {
    INFO(text);
    CHECK(kind_of([&] { check_image(text); }) == ErrorKind::usage);
  }
  CHECK(kind_of([] { check_image(std::string("a\0b", 3)); }) == ErrorKind::usage);
}

TEST_CASE("tags of a repository are listed by skopeo, and permitted by their pattern or the repository") {
  CHECK(split_tags("host:5000/jax:jax-*") == std::pair<std::string, std::string>{"host:5000/jax", "jax-*"});
  for (const std::string text : {":*", "-v:*", "a-*/b:1", "a b:*"}) {
    INFO(text);
    CHECK(kind_of([&] { need_of_tags(text); }) == ErrorKind::usage);
  }
  CHECK(Dialect::tags("busybox") == Strings{"skopeo", "list-tags", "docker://docker.io/library/busybox"});
  CHECK(Dialect::config("127.0.0.1:5000/a:b") ==
        Strings{"skopeo", "inspect", "--config", "--tls-verify=false", "docker://127.0.0.1:5000/a:b"});
  CHECK(need_of_tags("busybox:1.*").names ==
        Strings{"busybox:1.*", "busybox", "docker.io/library/busybox:1.*", "docker.io/library/busybox"});
  CHECK(parse_tags(R"({"Repository": "a", "Tags": ["x", "y"]})") == Strings{"x", "y"});
  CHECK(parse_tags("no JSON").empty());
  CHECK(parse_created(R"({"created": "2024-03-01T00:00:00Z"})") == "2024-03-01T00:00:00Z");
  CHECK(parse_created("{}").empty());
}

TEST_CASE("the Python packages that a test installed are known by their folders of metadata") {
  const std::string packages = "/usr/lib/python3/dist-packages/";
  const std::string printed =
      "C /usr\nC /usr/lib\nA " + packages + "numpy\nA " + packages + "numpy/__init__.py\nA " + packages +
      "numpy-2.1.0.dist-info\nA " + packages + "numpy-2.1.0.dist-info/RECORD\nD " + packages +
      "numpy-2.0.1.dist-info\nC " + packages + "jax-0.4.1.dist-info\nA " + packages +
      "PyYAML-5.4-py3.10.egg-info\nA /root/.local/lib/python3.10/site-packages/" +
      "torch-2.1.0+cu121.dist-info\nA /opt/.dist-info\nA /opt/a b-1.dist-info\nA /opt/x-.dist-info\n" +
      "A /opt/own.egg-info\nA /opt/~umpy-2.0.1.dist-info\nA";
  using Packages = std::map<std::string, std::string>;
  CHECK(parse_installed(printed) == Packages{{"numpy", "2.1.0"}, {"PyYAML", "5.4"}, {"torch", "2.1.0+cu121"}});
  CHECK(parse_installed("").empty());
}

TEST_CASE("docker and podman are given the same container in their own words") {
  Spec spec;
  spec.image = "a/b:c";
  spec.argv = {"sh", "-c", "true"};
  spec.env = {{"KEY", "v w"}};
  spec.mounts = {{"/host", "/dir", true}};
  spec.gpus = "0,1";
  spec.on_cpus = {0, 1, 2, 5};
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto with = [&](const std::string& engine, const Pairs& there, const Pairs& absent = {}) {
    const Strings words = Dialect(engine).run(spec, "name");
    CAPTURE(engine, words);
    for (const auto& [first, second] : there) CHECK(has_pair(words, first, second));
    for (const auto& [first, second] : absent) CHECK_FALSE(has_pair(words, first, second));
    CHECK(Strings(words.end() - 4, words.end()) == Strings{"a/b:c", "sh", "-c", "true"});
    CHECK(std::find(words.begin(), words.end(), "--rm") == words.end());
  };
  for (const char* engine : {"docker", "podman"})
    with(engine, {{"--name", "name"},
                  {"--label", "regengine.engine=" + engine_id()},
                  {"--env", "REGENGINE_ENGINE=" + engine_id()},
                  {"--env", "KEY=v w"},
                  {"--mount", "type=bind,source=/host,target=/dir,readonly"},
                  {"--cpuset-cpus", "0-2,5"}});
  const std::pair<std::string, std::string> pids{"--pids-limit", "16384"},
      unconfined{"--security-opt", "label=disable"};
  with("docker", {pids, {"--gpus", "\"device=0,1\""}}, {unconfined});
  with("podman", {{"--device", "nvidia.com/gpu=1"}, unconfined}, {pids});  // it has a limit of its own
  spec.ulimits = {"nproc=20000"};
  spec.gpus = "all";
  spec.mounts.clear();
  with("docker", {{"--gpus", "all"}}, {pids});
  with("podman", {{"--device", "nvidia.com/gpu=all"}, unconfined});
  const auto kept = Dialect("docker").run(idling(spec), "name", true);
  CHECK((has_pair(kept, "--entrypoint", "sleep") && kept.back() == "infinity"));

  // podman gets past SELinux to GPUs and mounts; a container without them is confined.
  spec.gpus.clear();
  with("podman", {}, {unconfined});
  spec.mounts = {{"/data", "/data", true}};
  with("podman", {unconfined});

  // Leased GPUs go to a container with the CPUs near them, unless it has CPUs already.
  spec.leased = process::Leased{{"GPU-a", "GPU-b"}, {"4", "7"}, {2, 3}};
  spec.on_cpus.clear();
  with("docker", {{"--gpus", "\"device=GPU-a,GPU-b\""}, {"--cpuset-cpus", "2-3"}});
  with("podman", {{"--device", "nvidia.com/gpu=7"}});
  spec.on_cpus = {0};
  spec.leased->cpus.clear();
  with("docker", {{"--cpuset-cpus", "0"}});
}

TEST_CASE("settings of a container: each value is checked before anything is pulled") {
  struct Row {
    std::string name;
    Strings valid, invalid;
  };
  const std::vector<Row> rows{
      {"shm_size", {"64m", "8g", "8G", "1073741824", "10b"}, {"", "8x", "g", "0", "1.5g", "-1", "8 g", "--privileged"}},
      {"memory", {"24g", "6m"}, {"1m", "5999k", "0m", "much"}},
      {"cpus", {"4", "2.5", "0.01"}, {"0", "0.001", "-1", "0-3", "2.", ".5", "a"}},
      {"ipc", {"private", "none", "host"}, {"", "shareable", "container:other", "ns:/proc/1/ns/ipc"}},
      {"ulimits",
       {"memlock=-1", "nofile=1024:4096", "stack=67108864", "core=0:-1"},
       {"memlock", "memlock=", "memlok=-1", "nofile=4096:1024", "nofile=-1:5", "nofile=1:2:3", "nofile=a", "=1"}},
      {"devices",
       {"/dev/null", "/dev/null:/dev/nul", "/dev/null:/dev/nul:rw", "nvidia.com/gpu=all"},
       {"/dev/no-such", "null", "-x", "/dev/null:x", "/dev/null:/x:z", "/dev/null:/x:", "a/b"}},
      {"cap_add", {"SYS_PTRACE", "CAP_SYS_NICE", "sys_admin", "ALL"}, {"", "SYS_PTRAC", "--privileged"}},
      {"user", {"ann", "1000", "1000:1000"}, {"", "a b", "-u", "a:b:c", "a:"}},
      {"entrypoint", {"", "/bin/sh", "bash"}, {"-x", "a\nb"}},
      {"gpus",
       {"all", "0", "0,1", "GPU-1a2b-3c", "MIG-1a2b-3c", "MIG-GPU-1a2b/1/0", "0:1,1:0"},
       {"0;1", "all,0", "GPU-1,device=0", "GPU-;", "GPU-a/b", "MIG-;", "0:", ":1", "0:1:2", "0:a"}},
  };
  for (const auto& row : rows) {
    for (const auto& value : row.valid) {
      INFO(row.name << " " << value);
      CHECK_NOTHROW(check_setting(row.name, value));
    }
    for (const auto& value : row.invalid) {
      INFO(row.name << " " << value);
      CHECK(kind_of([&] { check_setting(row.name, value); }) == ErrorKind::usage);
    }
  }
  CHECK(std::string(error_of([] { check_setting("cap_add", "SYS_PTRAC"); }).what()) ==
        "no such capability: 'SYS_PTRAC' (did you mean 'SYS_PTRACE'?)");
}

TEST_CASE("a container has the limits of ML images unless others are given, or the engine refuses them") {
  Defaults defaults;
  Spec spec;
  CHECK(defaults.applied_to(spec).ulimits == Strings{"memlock=-1", "stack=67108864"});
  CHECK_NOTHROW(check_setting("shm_size", defaults.applied_to(spec).shm_size));
  spec.shm_size = "1g";
  spec.ulimits = {"memlock=1000"};
  CHECK(defaults.applied_to(spec).shm_size == "1g");
  CHECK(defaults.applied_to(spec).ulimits == Strings{"memlock=1000", "stack=67108864"});
  spec = {};
  spec.ipc = "host";
  CHECK(defaults.applied_to(spec).shm_size.empty());
  CHECK_FALSE(defaults.refused("no space left on device"));
  CHECK(defaults.refused("error setting rlimit type 8: operation not permitted"));
  CHECK(defaults.applied_to(spec).ulimits == Strings{"stack=67108864"});
  CHECK(defaults.refused("crun: setrlimit `RLIMIT_STACK`: Operation not permitted"));
  CHECK_FALSE(defaults.refused("error setting rlimit type 8"));
  CHECK(defaults.refused("Error: cannot set shmsize when running in the {host } IPC Namespace"));
  spec = {};
  CHECK(defaults.applied_to(spec).shm_size.empty());
  CHECK_FALSE(defaults.refused("cannot set shmsize"));
}

TEST_CASE(
    "a container that did not start: one image's fault is a failed trial, the engine's and the machine's is not") {
  struct Row {
    ErrorKind kind;
    std::string message, advice{};
  };
  constexpr auto kTrial = ErrorKind::failed_trial, kEngine = ErrorKind::unavailable;
  const std::string runc = "runc create failed: unable to start container process: ";
  const std::string docker =
      "docker: Error response from daemon: failed to create shim task: OCI runtime create failed: " + runc +
      "error during container init: error running hook #0: exit status 1, stdout: , stderr: Auto-detected mode as "
      "'legacy'\nnvidia-container-cli: ";
  const std::string cdi = "unresolvable CDI devices nvidia.com/gpu=all";
  for (const auto& [kind, message, advice] : std::vector<Row>{
           {kTrial,
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.6, please update your driver",
            "--env NVIDIA_DISABLE_REQUIRE=1"},
           {kTrial, runc + R"(exec: "/nope": stat /nope: no such file or directory)"},
           {kTrial, runc + R"(exec: "/etc": permission denied: unknown)"},
           {kTrial,
            "Error: crun: executable file `nope` not found in $PATH: OCI runtime attempted to invoke a command "
            "that was not found"},
           {kTrial, "exec /bin/sh: exec format error"},
           {kTrial, "unable to find user ann: no matching entries in passwd file"},
           {kTrial, R"(Error: workdir "/x" does not exist on container 4cc2ad33)"},
           {kEngine, R"(exec: "docker-init": executable file not found in $PATH)"},
           {kEngine, "Cannot connect to the Docker daemon at unix:///x"},
           {kEngine, "error setting rlimit type 8"},
           {kEngine, "network no-such-network not found"},
           {kEngine, "unknown or invalid runtime name: nvidia"},
           {kEngine, ""},
           {ErrorKind::io, "write /x: no space left on device"},
           // One command for each cause that keeps GPUs out of a container.
           {kEngine, docker + "initialization error: nvml error: driver/library version mismatch: unknown.", "reboot"},
           {kEngine, docker + "initialization error: nvml error: driver not loaded: unknown.", "modprobe nvidia"},
           {kEngine,
            docker + "initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no "
                     "such file or directory: unknown.",
            "Install the NVIDIA driver"},
           {kEngine, "docker: Error response from daemon: CDI device injection failed: " + cdi,
            "nvidia-ctk cdi generate"},
           {kEngine, "Error: setting up CDI devices: " + cdi, "nvidia-ctk cdi generate"},
           {kEngine, "Error: stat nvidia.com/gpu=0: no such file or directory", "nvidia-ctk cdi generate"},
           {kEngine, R"(docker: could not select device driver "" with capabilities: [[gpu]].)",
            "Container Toolkit"}}) {
    INFO(message);
    const Error error = start_failure("docker", "a:1", message);
    CHECK(error.kind() == kind);
    CHECK_THAT(error.what() + error.hint(), contains(advice));
  }
  CHECK(std::string(
            start_failure("docker", "a:1", "docker: bad\n\nRun 'docker run --help' for more information\n").what()) ==
        "docker could not run a:1: docker: bad");
}

TEST_CASE(
    "what registries and engines say of an image: missing, unreachable, refused, incomplete, of another processor") {
  CHECK(serves_this_machine(R"({"schemaVersion":2,"layers":[]})"));
  CHECK(serves_this_machine(
      R"({"manifests":[{"platform":{"architecture":"amd64"}},{"platform":{"architecture":"arm64"}}]})"));
  CHECK_FALSE(serves_this_machine(R"({"manifests":[{"platform":{"architecture":"s390x"}}]})"));
  CHECK_FALSE(serves_this_machine(R"({"manifests":[]})"));
  CHECK(says_missing("no such manifest: 127.0.0.1:5055/a:b"));
  CHECK(says_missing("reading manifest 1 in 127.0.0.1:5055/nv/jax: manifest unknown: manifest unknown"));
  CHECK_FALSE(says_missing("dial tcp 127.0.0.1:5056: connect: connection refused"));
  CHECK_FALSE(says_missing("denied: requested access to the resource is denied"));
  CHECK(says_incomplete("Error fetching blob: invalid status code from registry 404 (Not Found)"));
  CHECK_FALSE(says_incomplete("Error fetching blob: invalid status code from registry 500 (Internal Server Error)"));
  const auto pull = [](const std::string& message) { return failure("docker", "pull a", message); };
  CHECK(pull("denied: requested access").kind() == ErrorKind::unavailable);
  CHECK_THAT(pull("denied: requested access").hint(), contains("docker login"));
  CHECK(pull("write /x: no space left on device").kind() == ErrorKind::io);
  CHECK(pull("manifest unknown").kind() == ErrorKind::not_found);
  CHECK(std::string(failure("docker", "inspect a", "[]\nno daemon\n").what()) ==
        "docker could not inspect a: no daemon");
  CHECK_THAT(failure("podman", "pull a", "bad\x1b[2J").what(), !contains("\x1b"));
}

TEST_CASE("a registry that is out of reach or broken may recover, one that says no does not") {
  const auto kind_of_pull = [](const std::string& words) {
    process::Outcome outcome;
    outcome.code = 1;
    outcome.err = words;
    return registry_failure("docker", "pull a", outcome).kind();
  };
  for (const char* words : {
           "Error response from daemon: received unexpected HTTP status: 500 Internal Server Error",
           "received unexpected HTTP status: 503 Service Unavailable",
           "toomanyrequests: You have reached your unauthenticated pull rate limit.",
           "unexpected status code 429 Too Many Requests",
           "dial tcp 10.0.0.1:443: connect: connection refused",
           "read tcp 10.0.0.1:443: read: connection reset by peer",
           "net/http: TLS handshake timeout",
           "dial tcp: lookup ghcr.io on 10.0.0.2:53: read udp: i/o timeout",
           "dial tcp: lookup ghcr.io: Temporary failure in name resolution",
           "Get \"https://ghcr.io/v2/\": EOF",
       }) {
    INFO(words);
    CHECK(kind_of_pull(words) == ErrorKind::network);
  }
  for (const char* words : {
           "manifest unknown: manifest unknown",
           "denied: requested access to the resource is denied",
           "unauthorized: authentication required",
           "Cannot connect to the Docker daemon at unix:///x.sock: connect: connection refused",
           "write /var/lib/docker/tmp/x: no space left on device",
           "dial tcp: lookup no.such.host.invalid: no such host",
           "invalid reference format: a5001:b",
       }) {
    INFO(words);
    CHECK(kind_of_pull(words) != ErrorKind::network);
  }
  process::Outcome hung, logged;
  hung.code = 143;
  hung.timed_out = true;
  CHECK(registry_failure("docker", "pull a", hung).kind() == ErrorKind::network);
  logged.err = "time=\"2026-11-22T08:28:51Z\" level=fatal msg=\"pinging \\\"r\\\": status code 500\"\n";
  CHECK(std::string(registry_failure("docker", "ask r", logged).what()) ==
        "docker could not ask r: pinging \"r\": status code 500");
}
