#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "engine/broker/broker.h"
#include "tests/support/unit.h"

using namespace reg::broker;

namespace {

const std::string kBytes("\0\xff\n\"{", 5);
const std::string kWord = "\xff\n\"{";

// Permits the programs of one name.
class Only : public Policy {
 public:
  explicit Only(std::string name) : name_(std::move(name)) {}
  std::string permit(const Effect& effect, bool) override {
    for (const Need& need : effect.needs)
      if (need.names.front() != name_) throw Error(ErrorKind::permission, "not permitted: " + need.names.front());
    return "the test";
  }

 private:
  std::string name_;
};

void nobody_hears(const Effect&, std::string_view, std::string_view) {}

restore::Ledger& no_ledger() { throw Error(ErrorKind::internal, "no ledger in this test"); }

}  // namespace

TEST_CASE("broker: messages of any length, with files", "[broker]") {
  auto [a, b] = make_channel();
  const TempFolder folder;
  const std::string path = folder / "file";
  const Fd file = open_file(path, O_RDWR | O_CREAT);
  for (const std::size_t size : {0UL, 1UL, 8191UL, 8192UL, 8193UL, 5'000'000UL}) {
    const std::string text(size, '\xe9');
    REQUIRE(send(a.get(), text, {file.get()}));
    const auto received = receive(b.get());
    REQUIRE(received);
    CHECK(received->text == text);
    REQUIRE(received->files.size() == 1);
    write_all(received->files[0].get(), "x", path);
  }
  CHECK(read_file(path) == "xxxxxx");
  b = Fd();
  CHECK_FALSE(send(a.get(), "nobody"));
  CHECK_FALSE(receive(a.get()));
}

TEST_CASE("broker: a command and its outcome arrive as they are", "[broker]") {
  process::Command command;
  command.argv = {"a", kWord};
  command.env = {{"B", kWord}};
  command.unset = {"C"};
  command.cwd = "/d";
  command.input = kBytes;
  command.mounts = {{"/e", "/f"}};
  command.on_cpus = {1, 3};
  command.leased = process::Leased{{"GPU-1"}, {"0"}, {7}};
  command.timeout_s = 1.5;
  command.kill_after_s = 3;
  command.stall_s = 9;
  command.loaded_below = {"/g"};
  command.count = process::Counted{1, 2};
  command.keep_bytes = 11;
  command.file_bytes = 12;
  const process::Command arrived = command_from(unpack(pack(command)));
  CHECK(Json(arrived) == Json(command));
  CHECK(arrived.input == kBytes);
  CHECK(arrived.leased->cpus == std::vector<int>{7});

  process::Outcome outcome;
  outcome.code = 139;
  outcome.signal = 11;
  outcome.timed_out = outcome.stalled = outcome.oom = true;
  outcome.shortage = "disk";
  outcome.out = outcome.err = kBytes;
  outcome.out_bytes = outcome.err_bytes = 6;
  outcome.wall_s = outcome.user_s = outcome.sys_s = 0.5;
  outcome.minor_faults = outcome.major_faults = 7;
  outcome.voluntary_switches = outcome.involuntary_switches = 8;
  outcome.peak_bytes = 9;
  outcome.counted = 5;
  outcome.loaded = {{"/lib", "id"}};
  CHECK(Json(unpack(pack(outcome)).get<process::Outcome>()) == Json(outcome));
}

TEST_CASE("broker: what it cannot take for a request is answered, not believed", "[broker]") {
  Loop loop;
  Only policy("cat");
  auto [ours, theirs] = make_channel();
  const auto ended = start_broker(loop, policy, nobody_hears, std::move(ours), no_ledger);
  const Json endless = Json([] {
    process::Command command;
    command.argv = {"cat", "/dev/zero"};
    return command;
  }());
  const Strings messages{"",
                         kBytes,
                         pack(Json::array()),
                         pack({{"id", -1}}),
                         pack({{"id", "x"}}),
                         pack({{"id", 1}, {"call", "run"}, {"what", Json::array()}}),
                         pack({{"id", 1}, {"call", "run"}, {"what", {{"argv", "cat"}}}}),
                         pack({{"id", 1}, {"call", "run"}, {"what", endless}, {"out", 3}}),
                         pack({{"cancel", "x"}}),
                         std::string(8 << 20, '\x81')};
  const auto answer_to = [&](const std::string& message, const std::vector<int>& files = {}) {
    REQUIRE(send(theirs.get(), message, files));
    loop.poll();
    loop.poll();
    const auto answer = receive(theirs.get());
    REQUIRE(answer);
    return unpack(answer->text);
  };
  const auto run = [](int id, const Json& what) { return pack({{"id", id}, {"call", "run"}, {"what", what}}); };
  for (const std::string& message : messages) CHECK(answer_to(message).contains("error"));
  // A file that may only be read, and one that is only a place, must not be opened with the broker's rights.
  const TempFolder folder;
  const std::string path = folder / "file";
  write_file(path, "as it was");
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const Fd reader(ends[0]), writer(ends[1]);
  for (const int flags : {O_RDONLY, O_PATH, O_ACCMODE, -1}) {
    const Fd file(flags == -1 ? ::dup(writer.get()) : ::open(path.c_str(), flags | O_CLOEXEC));
    const Json answer = answer_to(pack({{"id", 1}, {"call", "run"}, {"what", endless}, {"out", 0}}), {file.get()});
    CHECK(answer.at("error").at("message") == "the command's file is not open to be written");
  }
  CHECK(read_file(path) == "as it was");
  const auto forged = [&](const char* key, const Json& value) {
    Json command = endless;
    command[key] = value;
    CHECK(answer_to(run(1, command)).contains("error"));
  };
  forged("count", {{"type", 0}, {"config", 0}});
  for (const std::string& name : {std::string("A=/x:B"), std::string(), std::string("A\0B", 3)})
    forged("env", {{name, "x"}});
  for (const Strings& argv : {Strings{std::string("cat\0=", 5)}, {"cat="}, {}}) forged("argv", argv);
  forged("mounts", {{"/tmp", "etc"}});
  send(theirs.get(), run(2, endless));
  CHECK(answer_to(run(2, endless)).contains("error"));
  theirs = Fd();
  loop.run_until(ended);
}
