#include "engine/store/made_here.h"

#include <fcntl.h>

#include <string>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::store {
namespace {

std::string list_file() { return state_folder() + "/investigations"; }

// Everything that commands are made from.
std::string hash_of(Database& database, std::int64_t investigation) {
  Statement row(database.handle(),
                "SELECT name, script_text, options, facts, verdict FROM investigations WHERE id = ?");
  std::string all;
  if (!row.bind(1, investigation).step()) return all;
  for (int column = 0; column < row.columns(); ++column) all += sha256(row.text(column));
  return sha256(all);
}

}  // namespace

void remember(Store& store, std::int64_t investigation) {
  const std::string line = hash_of(store.writer(), investigation) + "\n";
  try {
    make_folders(state_folder());
    const Fd file = open_file(list_file(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    write_all(file.get(), line, list_file());
  } catch (const Error&) {
    return;  // the answer is stored all the same
  }
}

bool is_remembered(Store& store, std::int64_t investigation) {
  const std::string hash = hash_of(store.reader(), investigation);
  std::string text;
  try {
    text = read_file_if_there(list_file()).value_or("");
  } catch (const Error&) {
    return false;
  }
  for (const auto line : lines(text))
    if (line == hash) return true;
  return false;
}

}  // namespace reg::store
