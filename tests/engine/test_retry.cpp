#include "engine/container/answers.h"
#include "engine/git/program.h"
#include "engine/loop/retry.h"
#include "tests/support/unit.h"

namespace {

// Work that the network fails the first `failures` times.
struct Server {
  Op<int> answer() {
    ++asked;
    if (asked <= failures) throw Error(ErrorKind::network, "the server\nfailed");
    co_return asked;
  }
  Op<int> retried() {
    return with_retries<int>(loop, [this] { return answer(); });
  }

  Server() {
    retry_network_for(600);
    show_notices([this](const std::string& line) { notices.push_back(line); });
  }
  ~Server() {
    retry_network_for(0);
    show_notices([](const std::string&) {});
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Loop loop;
  int failures = 0;
  int asked = 0;
  Strings notices;
};

process::Outcome failed(const std::string& err) {
  process::Outcome outcome;
  outcome.code = 1;
  outcome.err = err;
  return outcome;
}

}  // namespace

TEST_CASE("retry: what is asked at the same time has one line together") {
  Server server;
  server.failures = 2;
  const auto one = server.retried(), other = server.retried();
  CHECK(wait_for(server.loop, one) + wait_for(server.loop, other) == 3 + 4);
  CHECK(server.notices == Strings{"the server failed; trying again in 1 s"});
}

TEST_CASE("retry: a registry that is out of reach or broken may recover, one that says no does not") {
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
    CHECK(container::registry_failure("docker", "pull a", failed(words)).kind() == ErrorKind::network);
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
    CHECK(container::registry_failure("docker", "pull a", failed(words)).kind() != ErrorKind::network);
  }
  process::Outcome hung;
  hung.code = 143;
  hung.timed_out = true;
  CHECK(container::registry_failure("docker", "pull a", hung).kind() == ErrorKind::network);
  const auto logged = failed("time=\"2026-11-22T08:28:51Z\" level=fatal msg=\"pinging \\\"r\\\": status code 500\"\n");
  CHECK(std::string(container::registry_failure("docker", "ask r", logged).what()) ==
        "docker could not ask r: pinging \"r\": status code 500");
}

TEST_CASE("retry: a git server that is out of reach may recover, a repository that is not there does not") {
  const TempFolder folder;
  Loop loop;
  const auto kind_of_clone = [&](const std::string& url) {
    return kind_of([&] {
      wait_for(loop, git::run_git_remotely(loop, {"", {"clone", "--quiet", "--", url, folder / "clone"}}));
    });
  };
  CHECK(kind_of_clone("git://127.0.0.1:1/a.git") == ErrorKind::network);
  CHECK(kind_of_clone("http://127.0.0.1:1/a.git") == ErrorKind::network);
  CHECK(kind_of_clone(folder / "nothing") == ErrorKind::io);
}
