#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/store/sqlite.h"

namespace reg::store {

/// The files of an open store. SQLite goes on writing to a file that was deleted or moved, so this notices it.
class Place {
 public:
  /// Also notes the file itself as it is now.
  void watch(const std::string& path);

  struct Lost {
    std::string path;
    std::string where;   ///< the new path of a file that was moved; "" if it is gone
    bool other = false;  ///< whether another file is in its place
  };
  /// What happened to the first file that is not in its place. Its `path` is "" while all are there.
  Lost lost() const;

 private:
  struct File {
    std::string path;
    Fd file;  // O_PATH: closing any other descriptor would drop SQLite's locks on the file
  };
  std::vector<File> files_;
};

/// Whether other machines may have the file open, too: it lies on NFS, Lustre, GPFS and the like, or on FUSE, as sshfs.
bool is_network_file_system(const std::string& path);

/// The end of one file that a trial's commands wrote.
struct Output {
  std::string name;        ///< "BUILD", "OUT", "OUT-2"
  std::string text;        ///< its last bytes, from the start of a line
  std::int64_t bytes = 0;  ///< what the whole file has
  std::int64_t changed_ns = 0;
};

/// The files named BUILD... and OUT... of the trial's folder `name`, in the order they were last written; {} where
/// there are none. A store may be somebody else's: `name` is one folder directly below "<store>.out", no link is
/// followed, and only plain files are read.
std::vector<Output> read_output(const std::string& store_path, const std::string& name, std::size_t keep_bytes);

/// Makes a folder for output, with a mark by which `gc` knows it. Throws corrupt for a link.
void make_output(const std::string& folder);

/// Whether make_output made this folder: other programs have folders and locks of the same names.
bool is_made_output(const std::string& folder);

using Samples = std::map<std::string, std::vector<double>>;

/// What an investigation was started with. JSON where it says so.
struct NewInvestigation {
  std::string name;
  std::string script;
  std::string text;
  std::string options_json = "{}";
  std::string facts_json = "{}";
};

/// How a trial ended.
struct Result {
  std::string status;
  std::string message;
  Samples samples;
  std::string command_json = "[]";
  std::string env_json = "{}";
  std::string info_json = "{}";
  std::optional<double> wall_s, user_s, sys_s;
  std::optional<std::int64_t> peak_bytes;
};

struct Trial {
  std::int64_t id = 0;
  std::int64_t investigation = 0;
  std::string uid, subject, kind, key, folder;
  std::string config_json = "{}";
  Result result;
  double started = 0;
  std::optional<double> ended;
};

struct Filter {
  std::optional<std::int64_t> investigation;
  std::vector<std::string> keys;  ///< one of these; {} = any
  std::optional<std::vector<std::int64_t>> ids;
  bool any_machine = false;  ///< compare keys only up to '@', behind which they name the machine
  std::optional<std::string> subject, status;
  std::optional<std::int64_t> limit;
};

/// Results in one SQLite file (WAL), and each trial's output in plain files below "<path>.out". One engine writes at a
/// time: the store holds a lock on "<path>.lock" for as long as it lives. It runs nothing and decides nothing.
/// What writes throws Busy while another program has the file locked, and conflict once the file is not in its place.
class Store {
 public:
  /// nullptr when another engine writes to it; lock_holder() then says who. The same path opened twice is the same
  /// store.
  static std::shared_ptr<Store> try_open(const std::string& path, Access access = Access::write);
  static std::string lock_holder(const std::string& path);
  /// Whether an engine, this one perhaps, has the store open to write to it.
  bool is_written() const;

  const std::string& path() const { return path_; }

  /// The id of a new investigation, or of an unfinished one with the same script and options: that one goes on.
  std::int64_t begin(const NewInvestigation& investigation);
  void finish_investigation(std::int64_t id, const std::string& verdict_json);

  /// This trial of an investigation under way, with an id and a folder for its output. One that is never finished is
  /// "interrupted" at the next start.
  Trial start(Trial trial);
  /// The result and all samples in one transaction. Throws usage for a sample that is not finite or an unknown status,
  /// and conflict for a trial that has ended: a result is never replaced.
  void finish(std::int64_t trial, const Result& result);
  /// Ended trials whose numbers are not to be believed: kept, with the reason, and "set_aside" from now on.
  void set_aside(std::int64_t trial, const std::string& why);
  void add_samples(std::int64_t trial, const std::string& metric, const std::vector<double>& values);

  /// Oldest first, with their samples, one by one: all of them may be more than there is memory for. The user is told
  /// of a trial that is damaged, or for which `take` throws corrupt; it is skipped. Returns how many were.
  int each_trial(const Filter& filter, const std::function<void(Trial)>& take);
  /// The key of a trial; nullopt if the trial does not exist.
  std::optional<std::string> key_of(std::int64_t trial);
  /// What the trial's commands wrote, the end of each file. Throws not_found for an id that is none.
  std::vector<Output> output(std::int64_t trial, std::size_t keep_bytes);
  /// Adds a finished trial of another store; false when it is here already (by uid).
  bool add(const Trial& trial, const std::string& investigation_json);

  /// A connection that can only read, for queries of the user's.
  Database& reader();
  Database& writer() { return database_; }

 private:
  Store(std::string path, Fd lock);
  /// `ended`: how many trials have ended whose results it was about to keep.
  void check_can_write(int ended);
  void say_damaged(std::int64_t trial, const std::string& why);
  std::int64_t insert(const NewInvestigation& investigation, const std::string& hash);
  std::int64_t subject_id(const std::string& name, const std::string& kind);
  [[noreturn]] void fail_missing(const char* noun, std::int64_t id) const;
  void put_samples(std::int64_t trial, const Samples& samples);

  std::string path_;
  Fd lock_;  // none when it is only read
  Place place_;
  Database database_;
  std::unique_ptr<Database> reader_;
};

// Which answers the user's own scripts stored. A store may come from somebody else, and an untrusted script may write
// one: what it says to run is then not the user's. A list of hashes beside what the user trusts tells them apart.

/// Remembers the investigation as it is now. Without a folder for state nothing is remembered.
void remember(Store& store, std::int64_t investigation);

/// What commands are made from: columns of an investigation.
struct Answer {
  std::string name, options, facts, verdict;
};

/// Whether an investigation like this was remembered.
bool is_remembered(const Answer& answer);

/// Whether `status` is one that a finished trial may have.
bool is_status(const std::string& status);

}  // namespace reg::store
