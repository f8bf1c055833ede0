#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/loop/operation.h"

namespace reg {

template <class T>
Op<T> ready(T value) {
  auto op = std::make_shared<Operation<T>>();
  op->resolve(std::move(value));
  return op;
}

/// `first`, and with its result `next(T) -> Op<U>`: one operation that ends with the second's result or with the error
/// of either. Cancelling it cancels the part under way.
template <class T, class Next, class Second = std::invoke_result_t<Next, T>>
Second then(Op<T> first, Next next) {
  Second whole = std::make_shared<typename Second::element_type>();
  whole->on_cancel([first] { first->cancel(); });
  // `first` keeps itself alive through this callback, which it drops when it ends.
  first->then([first, whole, next = std::move(next)]() mutable {
    try {
      Second second = next(first->take());
      whole->on_cancel([second] { second->cancel(); });
      second->then([second, whole] {
        try {
          whole->resolve(second->take());
        } catch (const std::exception&) {
          whole->reject(std::current_exception());
        }
      });
    } catch (const std::exception&) {
      whole->reject(std::current_exception());
    }
  });
  return whole;
}

}  // namespace reg
