#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/file.h"

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

}  // namespace reg::store
