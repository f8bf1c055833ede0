#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/time.h"
#include "engine/container/runtimes.h"
#include "engine/container/settings.h"
#include "engine/container/usage.h"

REG_TABLE(reg::container, ImageFacts, digest, digests, id, env, labels, created, layers)

namespace reg::lua {
namespace {

using namespace reg::container;

std::shared_ptr<Runtimes> runtimes(lua_State* L) {
  Vm& vm = Vm::of(L);
  return vm.only<Runtimes>(vm.loop(), vm.guard());
}

// Awaits the runtime of the options and then its method `call`. The coroutine's frame keeps the arguments alive.
template <class T, class... Parameters>
Op<T> with_runtime(std::shared_ptr<Runtimes> all, std::string name, Op<T> (Runtime::*call)(Parameters...),
                   std::decay_t<Parameters>... arguments) {
  const auto runtime = co_await all->get(name);
  co_return co_await ((*runtime).*call)(std::move(arguments)...);
}

std::string runtime_option(const Options& options) { return options.text("runtime", ""); }

Pull pull_of(lua_State* L, const Options& options, Pull otherwise) {
  const auto text = options.text("pull");
  if (!text) return otherwise;
  if (*text == "missing") return Pull::missing;
  if (*text == "never") return Pull::never;
  if (*text == "always") return Pull::always;
  throw misuse(L, "'pull' must be \"missing\", \"never\" or \"always\", not '" + *text + "'");
}

// The options that `run` and `start` share. `command`: that of `run`.
Spec spec_of(lua_State* L, const Options& options, process::Command command = {}) {
  Spec spec;
  if (command.argv.empty()) command.env = options.map("env");
  static_cast<process::Command&>(spec) = std::move(command);
  REG_GET(options, spec, image, init, installed, usage);
  for (const auto& [host, inside] : options.map("mounts")) spec.mounts.push_back(parse_mount(host, inside));
  for (const Setting& setting : settings()) {
    std::vector<std::string> values;
    if (setting.is_list())
      values = options.list(setting.name);
    else if (const auto text = options.text(setting.name))
      values = {*text};
    setting.set(spec, values);
  }
  // For the host alone, so that a machine without a driver starts containers elsewhere.
  if (spec.gpus.find(':') != std::string::npos) spec.cuda_gpus = [gpus = spec.gpus] { return cuda_words(gpus); };
  spec.pull = pull_of(L, options, Pull::missing);
  return spec;
}

// The option `lease`, for the place that the command has otherwise.
void read_lease(lua_State* L, const Options& options, Spec& spec) {
  spec.leased = leased_option(L, options, spec);
  if (spec.leased && !spec.gpus.empty())
    throw misuse(L, "'lease' and 'gpus' both choose GPUs", "Leave out one of the two.");
}

int push_result(lua_State* L, const Result& result, bool usage_asked) {
  push_outcome(L, result);
  const bool missing = usage_asked && !result.dry;
  for (const char* key :
       {"user_s", "sys_s", "peak_bytes", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"})
    if (!result.measured) set(L, key, missing ? std::optional(false) : std::nullopt);
  REG_SET_SOME(L, result, installed, image_digest);
  if (result.dry) {
    set(L, "dry", true);
    set(L, "wall_s", 1.0);  // scripts divide by it
  }
  return 1;
}

int await_result(lua_State* L, Op<Result> op, bool usage_asked) {
  return await(L, std::move(op), [usage_asked](lua_State* state, const Result& result) {
    return push_result(state, result, usage_asked);
  });
}

int use(lua_State* L, const Options& options) {
  const std::string name = runtime_option(options);
  if (!name.empty()) runtimes(L)->use(name);
  return await(L, runtimes(L)->get(name),
               [](lua_State* state, const std::shared_ptr<Runtime>& runtime) { return push(state, runtime->name()); });
}

int available(lua_State* L) {
  return await(L, runtimes(L)->available(), [](lua_State* state, const std::map<std::string, Presence>& all) {
    lua_createtable(state, 0, static_cast<int>(all.size()));
    for (const auto& [name, found] : all) {
      REG_PUSH(state, found, ok);
      set(state, "why", found.message);
      lua_setfield(state, -2, name.c_str());
    }
    return 1;
  });
}

int run(lua_State* L, const Options& options) {
  Spec spec = spec_of(L, options, command_from(L, options));
  read_lease(L, options, spec);
  return await_result(L, with_runtime(runtimes(L), runtime_option(options), &Runtime::run, spec), spec.usage);
}

int start(lua_State* L, const Options& options) {
  Spec spec = spec_of(L, options);
  process::Command command;
  apply_tuning(L, command);
  spec.on_cpus = command.on_cpus;
  read_lease(L, options, spec);
  return await(L, with_runtime(runtimes(L), runtime_option(options), &Runtime::start, spec));
}

int exec(lua_State* L, Container& container, const Options& options) {
  Exec command{command_from(L, options), options.flag("usage")};
  options.get("workdir", command.cwd);
  return await_result(L, container.exec(command), command.usage);
}

void close(lua_State* L) {
  if (const auto container = std::move(object_slot<Container>(L))) container->close();
}

Op<Nothing> bring(std::shared_ptr<Runtimes> all, std::string runtime_name, std::string image, Pull when) {
  const auto runtime = co_await all->get(runtime_name);
  bool there = when != Pull::always;
  try {
    if (there) co_await runtime->inspect(image);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    there = false;
  }
  if (!there && when == Pull::never)
    throw Error(ErrorKind::failed_trial,
                runtime->name() + " has no image " + image + " on this machine, and --pull never forbids pulling it",
                "Use --pull missing to fetch it.");
  try {
    if (!there) co_await runtime->pull(image);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    // An image that cannot be had is a property of the subject, and a sweep goes on without it.
    throw Error(ErrorKind::failed_trial, error.what(), error.hint());
  }
}

Op<Nothing> pull(lua_State* L, const Options& options) {
  const std::string image = check_string(L, 1, "the image");
  return bring(runtimes(L), runtime_option(options), image, pull_of(L, options, Pull::always));
}

// core.container_check(options): raises usage for options of reg.container.run that are not valid, or not with
// `runtime` = "local", without looking at an image.
void check(lua_State* L, const Options& options) {
  const Spec spec = spec_of(L, options);
  if (runtime_option(options) == "local")
    check_host(spec);
  else
    check_container(spec);
}

// core.container_settings(): all of engine/container/settings.h, { name =, option =, value =, what =, type =, list =,
// grants = }.
int list_settings(lua_State* L) {
  return push_list(L, settings(), [](lua_State* state, const Setting& setting) {
    REG_PUSH(state, setting, name, option, value, what, grants);
    set(state, "type", setting.type != nullptr ? setting.type : setting.is_list() ? "string[]" : "string");
    set(state, "list", setting.is_list());
  });
}

// core.container_usage_program(): the path of the program that measures a command. Raises unavailable without it.
std::string usage_program() { return helper_file("regengine-usage", "measuring a command in a container"); }

// core.container_mount("HOST[:INSIDE[:ro]]"): host, inside, read_only.
int mount(lua_State* L) {
  const Mount parsed = parse_mount_option(check_string(L, 1, "the mount"));
  push(L, parsed.host);
  push(L, parsed.inside);
  push(L, parsed.read_only);
  return 3;
}

// core.container_permit(name): the user typed it, so a script from elsewhere may use it: "device=/dev/fuse".
void permit(lua_State* L, const std::string& name) {
  Vm::of(L).guard().policy().grant(EffectKind::container, name, true);
}

// core.container_default(name): makes this runtime the default, "" none. Returns which one was it.
std::string exchange_default(lua_State* L, const std::string& name) {
  std::string before = runtimes(L)->chosen();
  runtimes(L)->use(name);
  return before;
}

// core.container_find(image, { runtime =, created = }): nil, or { digest =, created = }, in seconds since 1970.
int find(lua_State* L, const Options& options) {
  const std::string image = check_string(L, 1, "the image");
  return await(L, with_runtime(runtimes(L), runtime_option(options), &Runtime::find, image, options.flag("created")),
               [](lua_State* state, const std::optional<Found>& found) {
                 if (!found) return 0;
                 lua_createtable(state, 0, 2);
                 REG_SET_SOME(state, *found, digest);
                 std::string created = found->created;  // 2024-11-12T08:01:02.123456789Z
                 if (const auto dot = created.find('.'); dot != std::string::npos)
                   created.erase(dot, created.find_first_not_of("0123456789", dot + 1) - dot);
                 set(state, "created", parse_time(created));
                 return 1;
               });
}

// A method for an image and the options' runtime: discard, and core.container_tags("REPOSITORY:jax-*", { runtime = }).
template <auto method>
auto of_image(lua_State* L, const Options& options) {
  return with_runtime(runtimes(L), runtime_option(options), method, check_string(L, 1, "the image"));
}

const char* start_keys() {
  static const std::string keys = [] {
    std::string all = "image env mounts lease init pull usage runtime";
    for (const Setting& setting : settings()) all.append(" ").append(setting.name);
    return all;
  }();
  return keys.c_str();
}

const char* run_keys() {
  static const std::string keys = std::string(start_keys()) + " cmd shell installed timeout_s out err keep_bytes";
  return keys.c_str();
}

}  // namespace

std::vector<Function> bind_container(lua_State* L) {
  register_class<Container>(
      L, "container.Container",
      {REG_PROPERTIES(Container, id, name),
       REG_METHODS(Container, restart),
       REG_FUNCTIONS(close),
       {"exec", call<exec>, "cmd shell env workdir timeout_s out err keep_bytes loaded_below usage", 2}});
  return {REG_FUNCTIONS(available),
          {"use", call<use>, "runtime"},
          {"run", call<run>, run_keys()},
          {"start", call<start>, start_keys()},
          {"pull", call<pull>, "pull runtime", 2},
          {"discard", call<of_image<&Runtime::discard>>, "runtime", 2},
          {"inspect", call<of_image<&Runtime::inspect>>, "runtime", 2}};
}

std::vector<Function> bind_container_options(lua_State*) {
  return {{"container_check", call<check>, run_keys()},
          {"container_settings", list_settings},
          {"container_check_setting", call<container::check_setting>},
          {"container_mount", mount},
          {"container_usage_program", call<usage_program>},
          {"container_find", call<find>, "created runtime", 2},
          {"container_tags", call<of_image<&Runtime::tags>>, "runtime", 2},
          {"container_permit", call<permit>},
          {"container_default", call<exchange_default>}};
}

}  // namespace reg::lua
