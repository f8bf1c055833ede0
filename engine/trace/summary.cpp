#include "engine/trace/summary.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::trace {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kNanosecond = 1e-9;
constexpr int kVersion = 1;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::corrupt, path + " is not a trace summary: " + why,
              "Run the command under reg.trace.run again.");
}

// The fields of one object of a file, each checked for its type.
class Fields {
 public:
  Fields(const json& object, const std::string& path) : object_(object), path_(path) {
    if (!object.is_object()) refuse(path, "an object was expected");
  }

  bool has(const char* key) const { return object_.contains(key); }

  std::uint64_t number(const char* key) const {
    const json& value = at(key);
    if (!value.is_number_unsigned()) refuse(path_, fmt::format("its '{}' is not a count", key));
    return value.get<std::uint64_t>();
  }
  double seconds(const char* key) const { return static_cast<double>(number(key)) * kNanosecond; }
  std::string text(const char* key) const {
    const json& value = at(key);
    if (!value.is_string()) refuse(path_, fmt::format("its '{}' is not a string", key));
    return printable(value.get_ref<const std::string&>());
  }
  bool flag(const char* key) const {
    const json& value = at(key);
    if (!value.is_boolean()) refuse(path_, fmt::format("its '{}' is not true or false", key));
    return value.get<bool>();
  }
  const json& list(const char* key) const {
    const json& value = at(key);
    if (!value.is_array()) refuse(path_, fmt::format("its '{}' is not a list", key));
    return value;
  }

 private:
  const json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(path_, fmt::format("it has no '{}'", key));
    return *found;
  }

  const json& object_;
  const std::string& path_;
};

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "a" would be a mangled type
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : name;
}

Kernel kernel_of(const Fields& fields) {
  return {demangled(fields.text("name")), fields.number("count"), fields.seconds("total_ns"), fields.seconds("min_ns"),
          fields.seconds("max_ns")};
}

Copy copy_of(const Fields& fields) {
  return {fields.text("kind"), fields.number("count"), fields.number("bytes"), fields.seconds("total_ns")};
}

// Parents stand before their children; element i of the file is number i + 1.
std::vector<Range> ranges_of(const json& list, const std::string& path) {
  std::vector<Range> ranges;
  std::vector<std::size_t> parents;
  for (const json& element : list) {
    const Fields fields(element, path);
    const auto parent = static_cast<std::size_t>(fields.number("parent"));
    if (parent > ranges.size()) refuse(path, "a range lies in one that comes after it");
    Range range{fields.text("name"), fields.number("count"), fields.number("kernels"), 0, fields.seconds("self_ns")};
    if (parent > 0) range.name = ranges[parent - 1].name + " > " + range.name;
    range.total_s = range.self_s;
    if (fields.has("nccl_ns")) range.nccl_s = range.nccl_self_s = fields.seconds("nccl_ns");
    ranges.push_back(std::move(range));
    parents.push_back(parent);
  }
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (parents[i] == 0) continue;
    ranges[parents[i] - 1].total_s += ranges[i].total_s;
    ranges[parents[i] - 1].kernels += ranges[i].kernels;
    ranges[parents[i] - 1].nccl_s += ranges[i].nccl_s;
  }
  return ranges;
}

// What has a key once, with `add` for what comes again; in the order of `before`.
template <class T, class Key, class Add>
std::vector<T> gathered(const std::vector<T>& all, Key key, Add add) {
  std::map<std::string, T> by_key;
  for (const T& one : all) {
    const auto [place, fresh] = by_key.emplace(key(one), one);
    if (!fresh) add(place->second, one);
  }
  std::vector<T> list;
  for (auto& [unused, one] : by_key) list.push_back(std::move(one));
  std::stable_sort(list.begin(), list.end(), [](const T& a, const T& b) { return a.total_s > b.total_s; });
  return list;
}

void gather(Summary& summary) {
  summary.kernels = gathered(
      summary.kernels, [](const Kernel& kernel) { return kernel.name; },
      [](Kernel& into, const Kernel& more) {
        into.count += more.count;
        into.total_s += more.total_s;
        into.min_s = std::min(into.min_s, more.min_s);
        into.max_s = std::max(into.max_s, more.max_s);
      });
  summary.copies = gathered(
      summary.copies, [](const Copy& copy) { return copy.kind; },
      [](Copy& into, const Copy& more) {
        into.count += more.count;
        into.bytes += more.bytes;
        into.total_s += more.total_s;
      });
  summary.ranges = gathered(
      summary.ranges, [](const Range& range) { return range.name; },
      [](Range& into, const Range& more) {
        into.count += more.count;
        into.kernels += more.kernels;
        into.total_s += more.total_s;
        into.self_s += more.self_s;
        into.nccl_s += more.nccl_s;
        into.nccl_self_s += more.nccl_self_s;
      });
}

std::string words(const Process& process) { return fmt::format("process {} ({})", process.pid, process.command); }

// What may be missing or too much in sums that are used all the same. `cut` says which process has no end.
std::vector<std::string> doubts(const Summary& summary, const std::string& cut) {
  std::vector<std::string> all;
  if (!cut.empty()) all.push_back("the last records may be missing: " + cut);
  if (const auto count = summary.nameless_ranges; count > 0)
    all.push_back(
        fmt::format("{} ranges have no name of their own, and count for the ranges around them: a program has room for "
                    "4095 names, a thread for 64 ranges at once",
                    count));
  if (const auto count = summary.ranges_ended_elsewhere; count > 0)
    all.push_back(fmt::format("{} ended on another thread than {} began on, and may include work after that",
                              count == 1 ? "1 NVTX range" : fmt::format("{} NVTX ranges", count),
                              count == 1 ? "it" : "they"));
  return all;
}

// What is to be said of all processes together.
void judge(Summary& summary) {
  std::string untraced, cut;
  std::size_t untraced_count = 0;
  for (const Process& process : summary.processes) {
    summary.measured = summary.measured || process.records > 0;
    if (!process.why.empty() && untraced_count++ == 0) untraced = words(process) + ": " + process.why;
    if (!process.complete && cut.empty()) cut = words(process) + " was killed, or left by _exit";
  }
  if (summary.processes.empty()) {
    summary.why = "no CUDA was initialized in the command";
  } else if (untraced_count > 0) {
    summary.why = "tracing unavailable in " + untraced;
    if (untraced_count < summary.processes.size())
      summary.why += fmt::format("; {} of {} processes are missing", untraced_count, summary.processes.size());
  } else if (!summary.measured) {
    summary.why = "CUDA was initialized, and no work of a GPU was recorded";
    if (!cut.empty()) summary.why += ": " + cut;
  } else if (summary.dropped > 0) {
    summary.why = fmt::format("{} records were lost, so the sums are too small", summary.dropped);
  } else if (summary.kernels.empty() && !summary.copies.empty()) {
    summary.why = "copies were recorded, but no kernel: the command runs none, or its CUPTI is older than the GPU";
  } else {
    summary.ok = true;
    for (const std::string& doubt : doubts(summary, cut)) summary.why += (summary.why.empty() ? "" : "; ") + doubt;
  }
}

struct Parsed {
  Summary summary;
  std::uint64_t first_ns = 0, last_ns = 0;
};

Parsed parse(std::string_view text, const std::string& path) {
  const json value = parse_json<json>(text);
  if (value.is_discarded()) refuse(path, "it is not JSON");
  const Fields fields(value, path);
  if (fields.number("regengine_trace") != kVersion) refuse(path, "it was written by another version of regengine");
  Parsed parsed;
  Summary& summary = parsed.summary;
  Process process;
  process.pid = fields.number("pid");
  process.command = fields.text("command");
  process.complete = fields.flag("complete");
  if (fields.has("cupti")) process.cupti = fields.text("cupti");
  const std::string status = fields.text("status");
  if (status == "unavailable") {
    process.why = fields.text("why");
    if (process.why.empty()) refuse(path, "its 'why' is empty");
  } else if (status == "ok") {
    process.records = fields.number("records");
    parsed.first_ns = fields.number("first_ns");
    parsed.last_ns = fields.number("last_ns");
    if (parsed.last_ns < parsed.first_ns) refuse(path, "it ends before it begins");
    summary.busy_s = fields.seconds("busy_ns");
    summary.overhead_s = fields.seconds("overhead_ns");
    summary.dropped = fields.number("dropped");
    if (fields.has("nameless_ranges")) summary.nameless_ranges = fields.number("nameless_ranges");
    if (fields.has("ranges_ended_elsewhere")) summary.ranges_ended_elsewhere = fields.number("ranges_ended_elsewhere");
    if (fields.has("memory_peak_bytes")) summary.memory_peak_bytes = fields.number("memory_peak_bytes");
    for (const json& kernel : fields.list("kernels")) summary.kernels.push_back(kernel_of(Fields(kernel, path)));
    for (const json& copy : fields.list("copies")) summary.copies.push_back(copy_of(Fields(copy, path)));
    summary.ranges = ranges_of(fields.list("ranges"), path);
  } else {
    refuse(path, "its status is '" + status + "'");
  }
  summary.processes.push_back(std::move(process));
  return parsed;
}

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Summary merged(std::vector<Parsed> all) {
  Summary whole;
  std::uint64_t first_ns = 0, last_ns = 0;
  for (Parsed& one : all) {
    Summary& part = one.summary;
    append(whole.kernels, part.kernels);
    append(whole.copies, part.copies);
    append(whole.ranges, part.ranges);
    append(whole.processes, part.processes);
    whole.busy_s += part.busy_s;
    whole.overhead_s += part.overhead_s;
    whole.dropped += part.dropped;
    whole.nameless_ranges += part.nameless_ranges;
    whole.ranges_ended_elsewhere += part.ranges_ended_elsewhere;
    if (part.memory_peak_bytes)
      whole.memory_peak_bytes = std::max(*part.memory_peak_bytes, whole.memory_peak_bytes.value_or(0));
    if (one.first_ns == 0) continue;
    first_ns = first_ns == 0 ? one.first_ns : std::min(first_ns, one.first_ns);
    last_ns = std::max(last_ns, one.last_ns);
  }
  whole.span_s = static_cast<double>(last_ns - first_ns) * kNanosecond;
  gather(whole);
  judge(whole);
  return whole;
}

}  // namespace

Summary parse_summary(std::string_view text, const std::string& path) {
  std::vector<Parsed> one;
  one.push_back(parse(text, path));
  return merged(std::move(one));
}

Summary read_summaries(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  if (error)
    throw Error(ErrorKind::not_found, "no such folder: " + folder, "Pass the folder that reg.trace.run wrote.");
  std::sort(paths.begin(), paths.end());
  std::vector<Parsed> all;
  for (const std::string& path : paths) all.push_back(parse(read_file(path), path));
  return merged(std::move(all));
}

}  // namespace reg::trace
