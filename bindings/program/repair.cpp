#include "bindings/program/repair.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/store/check.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<store::Store> open_to_read(const std::string& path) {
  if (!fs::exists(path)) throw Error(ErrorKind::not_found, "no such store: " + path, "Name the file of --store.");
  return store::Store::try_open(path, store::Access::read);
}

std::string trials_text(std::int64_t count) { return fmt::format("{} trial{}", count, count == 1 ? "" : "s"); }

void print(const std::string& text) { terminal::console().write_out(text + "\n"); }

// "regengine.db" gives "regengine.repaired.db".
std::string copy_of(const std::string& path) {
  const fs::path original(path);
  return (original.parent_path() / (original.stem().string() + ".repaired" + original.extension().string())).string();
}

}  // namespace

int check_store(const std::string& path) {
  const store::Checked found = store::check(*open_to_read(path));
  for (const std::string& damage : found.damages) print("damaged  " + printable(damage));
  print(fmt::format("{}: {}, {}", path, trials_text(found.trials),
                    found.damages.empty()
                        ? "nothing is damaged"
                        : "which are sound. Write a repaired copy: regengine repair " + shell_words({path})));
  return found.damages.empty() ? 0 : 1;
}

int run_repair(const std::vector<std::string>& arguments, Guard& guard) {
  if (arguments.size() != 1)
    throw Error(ErrorKind::usage, "repair takes one store", "Name it: regengine repair regengine.db");
  const std::string& path = arguments[0];
  auto damaged = open_to_read(path);
  if (damaged->is_written())
    throw Error(ErrorKind::conflict, fmt::format("{} is in use by {}", path, store::Store::lock_holder(path)),
                "Wait for it to end.");
  const std::string target = copy_of(path);
  if (fs::exists(fs::symlink_status(target)))  // a link that came with the folder leads anywhere
    throw Error(ErrorKind::conflict, target + " is there already", "Move it away: " + shell_words({"mv", target, ""}));
  if (!guard.admit({EffectKind::files, "write " + target, {}})) return 0;
  const store::Checked found = store::repair(*damaged, *store::Store::try_open(target));
  fs::remove(target + ".lock");
  for (const std::string& damage : found.damages) print("skipped  " + printable(damage));
  print(fmt::format("{}: {}", target, trials_text(found.trials)));
  damaged.reset();  // SQLite removes its log now, unless the damage prevents it
  std::string in_place = shell_words({"mv", path, path + ".damaged"});
  if (fs::exists(path + "-wal")) in_place += " && " + shell_words({"mv", path + "-wal", path + ".damaged-wal"});
  print("To use it: " + in_place + " && " + shell_words({"mv", target, path}));
  return 0;
}

}  // namespace reg
