#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

}  // namespace reg
