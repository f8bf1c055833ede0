#include "engine/container/nights.h"

#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/container/image.h"
#include "engine/loop/coroutine.h"

namespace reg::container {
namespace {

constexpr UnixTime day_s = 86400;
constexpr std::size_t lanes = 8;  // registries throttle clients with more requests at once

/// The queries left, shared by the lanes that run them.
struct Questions {
  std::shared_ptr<Runtime> runtime;
  std::string image;
  std::vector<Night> nights;  // `image` stays empty if there is none
  std::size_t next = 0;
};

Op<Nothing> ask(std::shared_ptr<Questions> questions) {
  while (questions->next < questions->nights.size()) {
    const std::size_t mine = questions->next++;
    const auto names = names_of_night(questions->image, questions->nights[mine].date);
    for (const auto& name : names) {
      const auto digest = co_await questions->runtime->find(name);
      if (!digest) continue;
      questions->nights[mine].image = name;
      questions->nights[mine].digest = *digest;
      break;
    }
  }
  co_return Nothing{};
}

}  // namespace

Op<Nights> nights(std::shared_ptr<Runtime> runtime, std::string image, UnixTime from, UnixTime to) {
  from -= from % day_s;
  to -= to % day_s;
  if (from > to)
    throw Error(ErrorKind::usage, "'from' " + format_date(from) + " is after 'to' " + format_date(to), "Swap the two.");
  if (to - from > UnixTime{20} * 366 * day_s) throw Error(ErrorKind::usage, "more than 20 years from 'from' to 'to'");
  auto questions = std::make_shared<Questions>();
  questions->runtime = runtime;
  questions->image = image;
  for (UnixTime day = from; day <= to; day += day_s) questions->nights.push_back({format_date(day), day, {}, {}});

  std::vector<Op<Nothing>> asked;
  for (std::size_t lane = 0; lane < std::min(lanes, questions->nights.size()); ++lane) asked.push_back(ask(questions));
  std::exception_ptr failed;
  for (auto& lane : asked) {
    if (failed) lane->cancel();
    try {
      if (failed)
        co_await to_its_end(lane);
      else
        co_await lane;
    } catch (const std::exception&) {
      if (!failed) failed = std::current_exception();
      questions->next = questions->nights.size();
    }
  }
  if (failed) std::rethrow_exception(failed);

  Nights answer;
  for (Night& night : questions->nights) {
    if (night.image.empty())
      answer.missing.push_back(std::move(night.date));
    else
      answer.found.push_back(std::move(night));
  }
  if (answer.found.empty())
    throw Error(ErrorKind::not_found,
                "no nightly image from " + format_date(from) + " to " + format_date(to) + ": tried " +
                    join(names_of_night(image, format_date(from)), " and ") + " and so on",
                "Check the name and what the registry has.");
  co_return answer;
}

}  // namespace reg::container
