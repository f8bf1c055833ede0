#include <fcntl.h>

#include <string>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/store/store.h"

namespace reg::store {
namespace {

std::string list_file() { return state_folder() + "/investigations"; }

std::string hash_of(const Answer& answer) {
  return sha256(sha256(answer.name) + sha256(answer.options) + sha256(answer.facts) + sha256(answer.verdict));
}

}  // namespace

void remember(Store& store, std::int64_t investigation) {
  Statement row(store.writer().handle(), "SELECT name, options, facts, verdict FROM investigations WHERE id = ?",
                investigation);
  if (!row.step()) return;
  const auto text = [&row](int column) { return std::string(row.text(column)); };
  const std::string line = hash_of({text(0), text(1), text(2), text(3)}) + "\n";
  try {
    const Fd file = open_private(list_file(), O_WRONLY | O_CREAT | O_APPEND);
    write_all(file.get(), line, list_file());
  } catch (const Error&) {
    return;  // the answer is stored all the same
  }
}

bool is_remembered(const Answer& answer) {
  const std::string hash = hash_of(answer);
  std::string text;
  try {
    const Fd file = open_private(list_file(), O_RDONLY);
    check_only_own(file, list_file());
    text = read_all(file, list_file());
  } catch (const Error&) {
    return false;
  }
  for (const auto line : lines(text))
    if (line == hash) return true;
  return false;
}

}  // namespace reg::store
