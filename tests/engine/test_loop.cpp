#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"
#include "tests/support/catch.h"

using namespace reg;

namespace {

template <class T>
T wait_for(Loop& loop, const Op<T>& op) {
  loop.run_until([&] { return op->done(); });
  return op->take();
}

// Resolves with its own number after a while; a cancel rejects it at once.
Op<int> later(Loop& loop, int number, double seconds) {
  auto op = std::make_shared<Operation<int>>();
  auto timer = std::make_shared<std::shared_ptr<void>>();
  *timer = loop.after(seconds, [op, number] { op->resolve(number); });
  op->on_cancel([op = op.get(), timer] {
    timer->reset();
    op->reject(std::make_exception_ptr(Error(ErrorKind::cancelled, "stopped")));
  });
  return op;
}

Op<int> sum(Loop& loop, double seconds, std::shared_ptr<int> held) {
  const int first = co_await later(loop, 1, seconds);
  const int second = co_await later(loop, 2, seconds);
  co_return first + second + *held;
}

Op<int> clean_up_after(Loop& loop, std::shared_ptr<int> cleaned) {
  std::exception_ptr error;
  try {
    co_await later(loop, 1, 1000);
  } catch (const Error&) {
    error = std::current_exception();
  }
  *cleaned = co_await to_its_end(later(loop, 7, 0.01));
  if (error) std::rethrow_exception(error);
  co_return 0;
}

}  // namespace

TEST_CASE("loop: timers come in the order of their times, and a dropped one not at all") {
  Loop loop;
  std::string order;
  const auto c = loop.after(0.03, [&] { order += 'c'; });
  const auto a = loop.after(0.01, [&] { order += 'a'; });
  auto dropped = loop.after(0.015, [&] { order += 'x'; });
  const auto b = loop.after(0.02, [&] { order += 'b'; });
  dropped.reset();
  loop.run_until([&] { return order.ends_with('c'); });
  CHECK(order == "abc");
}

TEST_CASE("loop: what other threads post runs on the loop's thread, each once") {
  Loop loop;
  int count = 0;
  bool elsewhere = false;
  const auto own = std::this_thread::get_id();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 250; ++k)
        loop.post([&] {
          ++count;
          elsewhere |= std::this_thread::get_id() != own;
        });
    });
  loop.run_until([&] { return count == 1000; });
  for (auto& thread : threads) thread.join();
  loop.poll();
  CHECK(count == 1000);
  CHECK_FALSE(elsewhere);
}

TEST_CASE("loop: a worker's result and its error arrive; the loop goes on meanwhile") {
  Loop loop;
  const auto own = std::this_thread::get_id();
  bool ticked = false;
  std::atomic<bool> go{false};
  const auto tick = loop.after(0.01, [&] { ticked = go = true; });
  const auto slow = on_worker(loop, [&] {
    while (!go) std::this_thread::yield();
    return std::this_thread::get_id();
  });
  CHECK(wait_for(loop, slow) != own);
  CHECK(ticked);
  const auto failing = on_worker(loop, []() -> int { throw Error(ErrorKind::corrupt, "broken"); });
  CHECK_THROWS_AS(wait_for(loop, failing), Error);
}

TEST_CASE("loop: it waits for a worker before it goes") {
  std::atomic<bool> ended{false};
  {
    Loop loop;
    loop.work([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ended = true;
    });
  }
  CHECK(ended);
}

TEST_CASE("loop: an operation tells its end once, also to who comes late") {
  Operation<int> op;
  int told = 0, cancelled = 0;
  op.then([&] { ++told; });
  op.on_cancel([&] { ++cancelled; });
  op.resolve(5);
  op.cancel();
  CHECK(told == 1);
  CHECK(cancelled == 0);
  op.then([&] { ++told; });
  CHECK(told == 2);
  CHECK(op.take() == 5);
}

TEST_CASE("loop: a cancel asks once") {
  Operation<int> op;
  int asked = 0;
  op.on_cancel([&] { ++asked; });
  op.cancel();
  op.cancel();
  CHECK(asked == 1);
  CHECK_FALSE(op.done());
}

TEST_CASE("loop: a coroutine awaits one operation after another, and holds nothing once its result is told") {
  Loop loop;
  const auto held = std::make_shared<int>(10);
  const auto op = sum(loop, 0.005, held);
  CHECK(held.use_count() == 2);
  long held_at_the_end = 0;
  op->then([&] { held_at_the_end = held.use_count(); });
  CHECK(wait_for(loop, op) == 13);
  CHECK(held_at_the_end == 1);
}

TEST_CASE("loop: a cancel reaches what a coroutine waits for, then and later") {
  Loop loop;
  const auto waiting = sum(loop, 1000, std::make_shared<int>(0));
  waiting->cancel();
  CHECK_THROWS_AS(wait_for(loop, waiting), Error);
}

TEST_CASE("loop: what must reach its end does so after a cancel, and after a second one") {
  Loop loop;
  const auto cleaned = std::make_shared<int>(0);
  const auto op = clean_up_after(loop, cleaned);
  op->cancel();
  op->cancel();
  CHECK_THROWS_AS(wait_for(loop, op), Error);
  CHECK(*cleaned == 7);
}

TEST_CASE("loop: stop signals come one by one, for as long as the loop lives") {
  std::vector<int> seen;
  std::atomic<int> at_once = 0;
  Loop loop;
  loop.on_stop_signal([&](int number) { seen.push_back(number); }, [&](int number) { at_once = number; });
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGINT}) {
    const std::size_t before = seen.size();
    ::kill(::getpid(), number);
    while (at_once != number) std::this_thread::yield();  // although the loop handles nothing meanwhile
    at_once = 0;
    loop.run_until([&] { return seen.size() > before; });
  }
  CHECK(seen == std::vector<int>{SIGTERM, SIGHUP, SIGINT, SIGINT});
}
