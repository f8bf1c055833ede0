// What a Cli does with images: on this machine, and at their registries.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/cli.h"
#include "engine/container/runtimes.h"
#include "engine/nvtx/nvtx.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

// For a pull whose progress the kernel does not tell. What came before it was stopped is kept: the next one goes on.
constexpr double pull_limit_s = 2 * 3600;

bool has_skopeo() { return !find_in_folders(process::own_path(), "skopeo").empty(); }

constexpr double question_limit_s = 120;  // of what regengine pulled

std::string folder() { return state_folder() + "/pulled"; }

std::string file_of(const Pulled& pulled) {
  return folder() + "/" +
         sha256(pulled.program + "\n" + Dialect(pulled.program).host() + "\n" + pulled.image).substr(0, 32);
}

Op<process::Outcome> ask(Loop& loop, std::vector<std::string> argv) {
  process::Command command;
  command.argv = std::move(argv);
  command.timeout_s = question_limit_s;
  command.alone = true;  // podman leaves a process behind that its other clients share
  return process::run(loop, std::move(command));
}

}  // namespace

Op<std::optional<ImageFacts>> Cli::facts(std::string image) {
  const std::vector<std::string> argv{name(), "image", "inspect", image};
  const auto answer = co_await ask(argv);
  if (answer.code == 0) {
    if (auto parsed = parse_image_facts(answer.out)) co_return parsed;
    throw Error(ErrorKind::corrupt, name() + " image inspect " + image + " printed no valid description of an image");
  }
  if (says_missing(answer.err)) co_return std::nullopt;
  throw failure(name(), "inspect the image " + image, all_output(answer));
}

Op<std::optional<ImageFacts>> Cli::look_up(std::string image) {
  check_image(image);
  admit({name(), "image", "inspect", image}, {need_of_image(image)}, false);
  return facts(std::move(image));
}

Op<ImageFacts> Cli::inspect(std::string image) {
  const auto self = shared_from_this();
  auto found = co_await look_up(image);
  if (!found)
    throw Error(ErrorKind::not_found, name() + " has no image " + image + " on this machine",
                "Fetch it with reg.container.pull(image).");
  co_return std::move(*found);
}

Op<Nothing> Cli::pull(std::string image) {
  const auto self = shared_from_this();
  check_image(image);
  if (admit(dialect_.pull(image), {need_of_image(image)})) {
    co_await pull_now(image);
    pulled_.insert(image);
  }
}

Op<Nothing> Cli::pull_now(std::string image) {
  process::Command command = client(dialect_.pull(image));
  command.timeout_s = pull_limit_s;
  command.stall_s = stall_s_;
  const nvtx::Range phase("pull", image);
  const auto before = co_await facts(image);
  const auto tried = try_to_pull(image, command, before.has_value());
  if (const auto failed = co_await tried; failed && !before)
    throw Error(*failed);
  else if (failed)
    notify("warning: " + joined_lines(failed->what()) + "; using the image on this machine");
  const auto after = co_await facts(image);
  if (!before && after) remember_pulled({name(), image, after->id, fs::current_path().string()});
}

Op<bool> Cli::discard(std::string image) {
  const auto self = shared_from_this();
  check_image(image);
  for (const Pulled& pulled : pulled_images()) {
    const bool here = pulled.program == name() && pulled.workspace == fs::current_path().string();
    if (!here || pulled.image != image) continue;
    const auto asked = size_of_pulled(loop_, pulled);
    const auto size = co_await asked;
    if (!size || !admit(dialect_.remove_image(image), {need_of_image(image)})) co_return false;
    const auto removed = remove_pulled(loop_, pulled);
    co_await removed;
    co_return true;
  }
  co_return false;
}

// Why the registry did not deliver the image. `here`: the image is on this machine, so a registry that was out of reach
// before is tried only once more.
Op<std::optional<Error>> Cli::try_to_pull(std::string image, process::Command command, bool here) {
  const std::string registry = check_image(image).registry;
  const auto attempt = [this, image, command] { return pull_once(image, command); };
  const auto pulled = here && away_.contains(registry) ? attempt() : with_retries<process::Outcome>(loop_, attempt);
  std::optional<Error> failed;
  try {
    co_await pulled;
    away_.erase(registry);
    co_return std::nullopt;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::network) throw;
    failed = error;
  }
  // A registry that answers is not away: it cannot deliver this image.
  bool answers = false;
  try {
    const auto asked = manifest(image, has_skopeo());
    answers = (co_await asked).code == 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::network) throw;
  }
  if (answers) failed.emplace(ErrorKind::not_found, failed->what() + std::string("; its registry answers"));
  if (!answers) away_.insert(registry);
  co_return failed;
}

Op<process::Outcome> Cli::pull_once(std::string image, process::Command command) {
  const auto outcome = co_await process::run(loop_, std::move(command));
  if (outcome.code != 0 || outcome.timed_out) throw registry_failure(name(), "pull " + image, outcome);
  co_return outcome;
}

Op<ImageFacts> Cli::ensure(std::string image, Pull when) {
  if (when == Pull::always && !pulled_.contains(image)) co_await pull(image);
  auto found = co_await facts(image);
  if (!found && when == Pull::missing) {
    co_await pull(image);
    found = co_await facts(image);
  }
  if (!found)
    throw Error(ErrorKind::not_found, name() + " has no image " + image + " on this machine",
                when == Pull::never ? "Use pull = \"missing\" (--pull missing) to fetch it." : "");
  co_return std::move(*found);
}

Op<std::optional<Found>> Cli::find(std::string image, bool created) {
  const auto self = shared_from_this();
  check_image(image);
  const auto by_skopeo = dialect_.manifest(image, true);
  admit(by_skopeo, {need_of_image(image)}, false);
  co_return co_await find_now(image, created);
}

Op<std::optional<Found>> Cli::find_now(std::string image, bool created) {
  const auto local = co_await facts(image);
  if (local) co_return Found{local->digest, local->created};
  const bool exact = has_skopeo();
  const auto asked = with_retries<process::Outcome>(loop_, [this, image, exact] { return manifest(image, exact); });
  const auto answer = co_await asked;
  if (answer.code != 0 || !serves_this_machine(answer.out)) co_return std::nullopt;
  // Only skopeo prints the registry's own bytes, which the digest is of.
  Found found{exact ? "sha256:" + sha256(answer.out) : "", ""};
  if (created) found.created = parse_created(co_await ask_skopeo(Dialect::config(image), "inspect " + image));
  co_return found;
}

// The registry's answer: the manifest, or that it has no such image.
Op<process::Outcome> Cli::manifest(std::string image, bool exact) {
  const auto answer = co_await ask(dialect_.manifest(image, exact));
  const bool answered = !answer.timed_out && (answer.code == 0 || says_missing(answer.err));
  if (!answered) throw registry_failure(name(), "ask the registry for " + image, answer);
  co_return answer;
}

Op<std::vector<std::string>> Cli::tags(std::string pattern) {
  const auto self = shared_from_this();
  admit(Dialect::tags(split_tags(pattern).first), {need_of_tags(pattern)}, false);
  co_return co_await tags_now(pattern);
}

Op<std::vector<std::string>> Cli::tags_now(std::string pattern) {
  const std::string repository = split_tags(pattern).first;
  std::vector<std::string> images;
  const auto asked = ask_skopeo(Dialect::tags(repository), "list the tags of " + repository);
  for (const std::string& tag : parse_tags(co_await asked)) {
    std::string image = repository;
    image.append(":").append(tag);
    if (matches(pattern, image)) images.push_back(std::move(image));
  }
  co_return images;
}

// What no other program tells of a registry.
Op<std::string> Cli::ask_skopeo(std::vector<std::string> argv, std::string doing) {
  if (!has_skopeo()) throw Error(ErrorKind::unavailable, "cannot " + doing + " without skopeo", "Install skopeo.");
  const auto asked = with_retries<process::Outcome>(loop_, [this, argv, doing]() -> Op<process::Outcome> {
    auto answer = co_await ask(argv);
    if (answer.code != 0 || answer.timed_out) throw registry_failure(argv.front(), doing, answer);
    co_return answer;
  });
  co_return (co_await asked).out;
}

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
