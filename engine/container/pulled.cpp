#include "engine/container/pulled.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/answers.h"
#include "engine/container/dialect.h"
#include "engine/process/command.h"

namespace reg::container {
namespace {

constexpr double limit_s = 120;

std::string folder() { return state_folder() + "/pulled"; }

std::string file_of(const Pulled& pulled) {
  return folder() + "/" +
         sha256(pulled.program + "\n" + Dialect(pulled.program).host() + "\n" + pulled.image).substr(0, 32);
}

Op<process::Outcome> ask(Loop& loop, std::vector<std::string> argv) {
  process::Command command;
  command.argv = std::move(argv);
  command.timeout_s = limit_s;
  command.alone = true;  // podman leaves a process behind that its other clients share
  return process::run(loop, std::move(command));
}

}  // namespace

void remember_pulled(const Pulled& pulled) {
  try_to([&] {
    // In place: half a file is not an entry, and kill -9 leaves none beside it.
    const std::string file = file_of(pulled);
    const Fd fd = open_private(file, O_WRONLY | O_CREAT | O_TRUNC);
    const std::string host = Dialect(pulled.program).host();
    write_all(fd.get(), join({pulled.program, host, pulled.image, pulled.id, pulled.workspace}, "\n") + "\n", file);
  });
}

void forget_pulled(const Pulled& pulled) { ::unlink(file_of(pulled).c_str()); }

std::vector<Pulled> pulled_images() {
  std::vector<Pulled> found;
  for (const std::string& file : entries(folder())) {
    const std::string text = read_file_if_there(file).value_or("");
    const auto part = lines(text);
    if (part.size() != 5 || !text.ends_with('\n') || Dialect(std::string(part[0])).host() != part[1]) continue;
    found.push_back({std::string(part[0]), std::string(part[2]), std::string(part[3]), std::string(part[4])});
  }
  std::sort(found.begin(), found.end(), [](const Pulled& a, const Pulled& b) { return a.image < b.image; });
  return found;
}

Op<std::optional<std::uint64_t>> size_of_pulled(Loop& loop, Pulled pulled) {
  const auto asked =
      ask(loop, {pulled.program, "image", "inspect", "--format", "{{.Id}} {{.Size}}", "--", pulled.image});
  const auto answer = co_await asked;
  const auto parts = split(trim(answer.out), ' ');
  // podman leaves out the algorithm.
  const bool same = answer.code == 0 && parts.size() == 2 && !parts[0].empty() && pulled.id.ends_with(parts[0]);
  if (answer.code != 0 && !says_missing(answer.err))
    throw failure(pulled.program, "inspect the image " + pulled.image, answer.err);
  co_return same ? whole_number<std::uint64_t>(parts[1]) : std::nullopt;
}

Op<Nothing> remove_pulled(Loop& loop, Pulled pulled) {
  const auto asked = ask(loop, Dialect(pulled.program).remove_image(pulled.image));
  const auto answer = co_await asked;
  if (answer.code != 0) throw failure(pulled.program, "remove the image " + pulled.image, answer.err);
  forget_pulled(pulled);
}

}  // namespace reg::container
