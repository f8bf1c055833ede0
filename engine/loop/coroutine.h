#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.h"

// Lets a function that returns Op<T> be a coroutine: it starts at once, `co_await`s other operations, and its Op
// resolves when its frame is gone. Everything happens on the loop's thread.
//
// Take parameters by value: a reference may be gone at the first co_await. Give an aggregate that a call in a co_await
// needs a name first: GCC 12 destroys such temporaries twice.

namespace reg {

/// Work under way whose result comes later. Everything here happens on the loop's thread; a worker hands its result
/// over through Loop::post. This part knows nothing of the result's type.
class Pending {
 public:
  virtual ~Pending() = default;

  bool done() const { return done_; }

  /// Calls `f` once, when the result is there; at once if it is there already. Several may wait.
  void then(std::function<void()> f) {
    if (done_)
      f();
    else
      then_.push_back(std::move(f));
  }

  /// Asks the work to stop. It still ends by resolve or reject, some time later.
  void cancel() {
    if (!done_ && cancel_) std::exchange(cancel_, nullptr)();
  }

  void on_cancel(std::function<void()> f) { cancel_ = std::move(f); }

  void reject(std::exception_ptr error) {
    error_ = std::move(error);
    finish();
  }

 protected:
  void finish() {
    done_ = true;
    cancel_ = nullptr;
    for (const auto& f : std::exchange(then_, {})) f();
  }

  std::exception_ptr error_;

 private:
  bool done_ = false;
  std::vector<std::function<void()>> then_;
  std::function<void()> cancel_;
};

template <class T>
class Operation : public Pending {
 public:
  void resolve(T value) {
    value_.emplace(std::move(value));
    finish();
  }

  /// The result, once; rethrows what the work threw.
  T take() {
    if (error_) std::rethrow_exception(error_);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <class T>
using Op = std::shared_ptr<Operation<T>>;

/// For work that has no result.
struct Nothing {};

/// What `work(arguments...)` returns.
template <class Work, class... Arguments>
auto result_of(Work& work, Arguments&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<Work&, Arguments&...>>)
    return work(arguments...), Nothing{};
  else
    return work(arguments...);
}

/// Awaited even after a cancel: for what must be cleaned up.
template <class T>
struct ToItsEnd {
  Op<T> op;
};
template <class T>
ToItsEnd<T> to_its_end(Op<T> op) {
  return {std::move(op)};
}

namespace detail {

/// The part of a coroutine's state that does not depend on its result: what it waits for, and whether it was cancelled.
class Waiting {
 public:
  void cancel() {
    cancelled_ = true;
    if (current_) current_->cancel();
  }
  void begin(std::shared_ptr<Pending> op) { current_ = std::move(op); }
  void end() { current_ = nullptr; }
  bool cancelled() const { return cancelled_; }

 private:
  std::shared_ptr<Pending> current_;  // null while what is awaited must reach its end
  bool cancelled_ = false;
};

template <class T>
struct Awaiter {
  Op<T> op;
  Waiting& waiting;
  bool stoppable;

  bool await_ready() {
    if (stoppable && waiting.cancelled()) op->cancel();
    return op->done();
  }
  void await_suspend(std::coroutine_handle<> coroutine) {
    if (stoppable) waiting.begin(op);
    op->then([coroutine] { coroutine.resume(); });
  }
  T await_resume() {
    waiting.end();
    return op->take();
  }
};

/// How a coroutine hands over its result; one without a result just ends.
template <class T>
struct Returning {
  void return_value(T result) { value = std::make_unique<T>(std::move(result)); }

  std::unique_ptr<T> value;  // not an optional: GCC 12 cannot see that it is set
};
template <>
struct Returning<Nothing> {
  void return_void() {}

  std::unique_ptr<Nothing> value = std::make_unique<Nothing>();
};

template <class T>
class Promise : public Returning<T> {
 public:
  Op<T> get_return_object() {
    op_->on_cancel([this] { waiting_.cancel(); });
    return op_;
  }
  std::suspend_never initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept { return Last{}; }
  void unhandled_exception() { error_ = std::current_exception(); }

  template <class U>
  Awaiter<U> await_transform(Op<U> op) {
    return {std::move(op), waiting_, true};
  }
  template <class U>
  Awaiter<U> await_transform(ToItsEnd<U> end) {
    return {std::move(end.op), waiting_, false};
  }

 private:
  // The frame goes before the result is told: whoever hears of it finds every guard and parameter released.
  struct Last {
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
      Promise& promise = coroutine.promise();
      Op<T> op = std::move(promise.op_);
      const std::unique_ptr<T> value = std::move(promise.value);
      std::exception_ptr error = std::move(promise.error_);
      op->on_cancel(nullptr);
      coroutine.destroy();
      if (error)
        op->reject(std::move(error));
      else
        op->resolve(std::move(*value));
    }
    void await_resume() noexcept {}
  };

  Op<T> op_ = std::make_shared<Operation<T>>();
  Waiting waiting_;
  std::exception_ptr error_;
};

}  // namespace detail

}  // namespace reg

template <class T, class... Arguments>
struct std::coroutine_traits<std::shared_ptr<reg::Operation<T>>, Arguments...> {
  using promise_type = reg::detail::Promise<T>;
};
