#pragma once

// What every C++ test includes: Catch2, what the engine's parts share, and short forms of what tests do all the time.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/loop/loop.h"

// Catch2 2.13 (Debian 12) and 3 name their headers and a matcher differently.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto contains(const std::string& text) { return Catch::Contains(text); }
#endif

namespace reg::test {

using Strings = std::vector<std::string>;

/// What a call throws. The test fails where it throws nothing.
template <class F>
Error error_of(F call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

template <class F>
ErrorKind kind_of(F call) {
  return error_of(call).kind();
}

template <class T>
T wait_for(Loop& loop, const Op<T>& op) {
  loop.run_until([&] { return op->done(); });
  return op->take();
}

/// A folder of its own, removed at the end.
class TempFolder {
 public:
  const std::string& path() const { return folder_.path(); }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }

 private:
  TemporaryFolder folder_{std::filesystem::temp_directory_path() / "regtest-"};
};

/// The path of a new file with these bytes.
inline std::string file_of(const std::string& bytes) {
  static const TempFolder folder;
  static int count = 0;
  std::string path = folder / std::to_string(++count);
  write_file(path, bytes);
  return path;
}

/// A forked copy of this test that runs `f`, and is gone, killed if need be, when this is.
class Child {
 public:
  template <class F>
  explicit Child(F f) {
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::setpgid(0, 0);  // with its commands
      try {
        f();
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::setpgid(pid_, pid_);
  }
  ~Child() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t pid_ = 0;
};

}  // namespace reg::test

using namespace reg;
using namespace reg::test;
