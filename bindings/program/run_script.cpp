#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "bindings/nouns/bind.h"
#include "bindings/program/boxed.h"
#include "bindings/program/command_line.h"
#include "bindings/program/reader.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"
#include "engine/base/file.h"
#include "engine/base/signals.h"
#include "engine/base/text.h"
#include "engine/process/command.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

// Makes standard input a file that can be read again.
void keep_standard_input() {
  const Fd kept(::memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!kept) throw system_error("memfd_create", errno);
  std::array<char, 65536> part{};
  for (ssize_t size = 0; (size = ::read(STDIN_FILENO, part.data(), part.size())) > 0;)
    write_all(kept.get(), {part.data(), static_cast<std::size_t>(size)}, "the script");
  // Each boxed process has it open: none may change what the next one reads.
  ::fcntl(kept.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  ::dup2(kept.get(), STDIN_FILENO);
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
}

// What the script found before it failed is not lost.
void answer_finished(lua::Vm& vm, const Error& error) {
  try {
    lua::push_program(vm.state(), "failed");
    lua::push(vm.state(), std::string(to_string(error.kind())));
    vm.run(1);
  } catch (const std::exception&) {
    // The failure that led here says more.
  }
}

[[noreturn]] void end_everything() {
  process::kill_everything();
  ::_exit(128 + SIGINT);
}

}  // namespace

std::shared_ptr<std::atomic<int>> stop_on_signals(Loop& loop, std::function<void(int)> stop) {
  const auto seen = std::make_shared<std::atomic<int>>(0);
  loop.on_stop_signal(
      [seen, stop = std::move(stop)](int signal) {
        if (*seen > 1) end_everything();
        stop(signal);
      },
      // What runs is known to the loop's thread: it has its chance first.
      [seen](int) {
        ++interrupt_count;
        if (*seen < 0 || ++*seen < 2) return;
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::seconds(1));
          end_everything();
        }).detach();
      });
  return seen;
}

int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments) {
  stop_on_signals(loop, [&vm](int) { vm.interrupt(); });
  lua_State* L = vm.state();
  luaL_checkstack(L, static_cast<int>(arguments.size()), "arguments");
  for (const std::string& argument : arguments) lua::push(L, argument);
  try {
    const int count = vm.run(static_cast<int>(arguments.size()));
    return count > 0 && lua_isinteger(L, -count) != 0 ? static_cast<int>(lua_tointeger(L, -count)) : 0;
  } catch (const lua::ScriptExit& end) {
    return end.code;
  } catch (const Error& error) {
    answer_finished(vm, error);
    throw;
  }
}

namespace {

std::unique_ptr<Permissions> permissions_of(const CommandLine& line, const Source& source, bool reads) {
  PermissionOptions options = line.permissions;
  if (reads && source.title == "aggregate.lua") options.allow.emplace_back("process=gnuplot");
  if (reads && source.title == "open.lua") options.allow.emplace_back("unboxed=xdg-open");  // of the output alone
  auto permissions = permissions_for_script(
      {source.name.substr(1), source.name.starts_with('@') && !reads ? line.script : "", source.text,
       line.settings.script_args.empty() ? source.reported_args : line.settings.script_args,
       !source.reported_args.empty() || reads},
      options);
  if (!reads || !permissions) return permissions;
  for (const std::string& path : named_to_read(line.rest))
    for (const EffectKind kind : {EffectKind::files, EffectKind::git}) permissions->grant(kind, path, false);
  for (const std::string& output : outputs_of(source, line.rest)) permissions->grant(EffectKind::files, output, true);
  return permissions;
}

Invocation invocation_of(const CommandLine& line, const Source& source, bool reads) {
  Invocation invocation{line, source.name.starts_with('@') ? line.script : "-"};
  invocation.may_ask = !reads && !line.settings.dry_run && can_ask();
  invocation.reads_only = reads;
  if (reads) invocation.read = named_to_read(line.rest);
  if (reads) invocation.outputs = outputs_of(source, line.rest);
  if (!line.settings.stdlib_folder.empty()) invocation.read.push_back(line.settings.stdlib_folder);
  return invocation;
}

int run_here(const CommandLine& line, Loop& loop, Guard& guard, const Source& source) {
  // The options of a shared script decide what it does, and a page that shows the script may not show them.
  if (!source.reported_args.empty() && !line.settings.quiet)
    terminal::console().write_err(fmt::format("{}:{}: reported with {}\n", source.name.substr(1), source.first_line,
                                              shell_words(source.reported_args)));
  lua::Vm vm(loop, guard, line.settings, lua::open_reg);
  if (is_boxed()) lua::end_stuck_calls();
  vm.load(source.text, source.shipped ? "=scripts/" + source.title : source.name, source.first_line);
  // A script without options gets its arguments as `...`.
  return run_main(loop, vm, vm.settings().script_args.empty() ? source.reported_args : vm.settings().script_args);
}

// Runs a shipped script in this process, as long as it loads nothing but the user's own files. Nothing that it does
// before it loads another changes anything: it is begun anew then, in the box.
int run_shipped(const CommandLine& line, Loop& loop, Guard& guard, const Source& source,
                std::unique_ptr<Permissions> permissions) {
  std::string joined, its_text;  // the first file of somebody else that it loads as code
  permissions->before_foreign_joins([&](const std::string& file, std::string_view text) {
    joined = file;
    its_text = text;
    throw Error(ErrorKind::permission, file + " is not trusted");
  });
  guard.set_policy(std::move(permissions));
  try {
    return run_here(line, loop, guard, source);
  } catch (const Error&) {
    if (joined.empty()) throw;
  }
  auto all = permissions_of(line, source, false);
  all->join(joined, its_text, false);
  Invocation invocation = invocation_of(line, source, false);
  invocation.read.push_back(real_path(joined));
  if (const auto code = run_boxed(loop, guard, *all, invocation)) return *code;
  guard.set_policy(std::move(all));
  return run_here(line, loop, guard, source);
}

// Runs the script in the box first, which hands over what it found in the store, or ends there.
int look(const CommandLine& line, Guard& guard, const Source& source) {
  Loop loop;
  Invocation invocation = invocation_of(line, source, true);
  invocation.outputs.emplace_back();
  invocation.take = [](std::string_view text) { lua::handed_over() = text; };
  return run_boxed(loop, guard, *permissions_of(line, source, true), invocation).value_or(1);
}

}  // namespace

int run_script(CommandLine& line, Loop& loop, Guard& guard) {
  Source source;
  lua::Settings& settings = line.settings;
  if (line.script == "-" && !is_boxed()) keep_standard_input();
  if (!line.has_code) {
    int code = 0;
    auto found = read_source(guard, line, settings.script_args, code);
    if (!found) return code;
    source = std::move(*found);
  } else {
    source.name = "=-e";
    source.text = line.code;
  }
  settings.script_text = source.text;
  settings.script_title = source.title;
  settings.reported_args = source.reported_args;
  settings.modules = std::move(source.modules);
  settings.files = std::move(source.files);
  settings.seed = source.seed;
  if (line.has_code) {
    guard.set_policy(policy_for_typed(line.permissions));
    return run_here(line, loop, guard, source);
  }
  if (asks_for_help(line.rest) && source.text.find("reg.options") == source.text.npos &&
      !takes_arguments(source.text)) {
    const std::vector<std::string> head = head_of(source.text);
    terminal::console().write_out((head.empty() ? line.script : join(head, "\n") + "\n\nIt") + " takes no options.\n");
    return 0;
  }
  if (looks_first(source) && !is_boxed() && !line.permissions.trust) {
    const int code = look(line, guard, source);
    if (!lua::handed_over()) return code;
  }
  const bool reads = is_boxed() ? only_reads_here() : only_reads(source);
  auto permissions = permissions_of(line, source, reads);
  if (is_boxed() && permissions) {
    guard.set_policy(boxed_policy(loop, guard, std::move(*permissions)));
  } else if (permissions && permissions->untrusted_script().empty()) {
    return run_shipped(line, loop, guard, source, std::move(permissions));
  } else if (permissions) {
    if (const auto code = run_boxed(loop, guard, *permissions, invocation_of(line, source, reads))) return *code;
    guard.set_policy(std::move(permissions));
  }
  return run_here(line, loop, guard, source);
}

}  // namespace reg
