#include "engine/store/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::store {

void check_journal(const std::string& database) {
  std::error_code no_such_path;
  const std::string path = std::filesystem::weakly_canonical(database, no_such_path).string() + "-journal";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return;
  // What names a file ends with this, in SQLite's file format; every journal begins with it.
  constexpr std::string_view kEnd{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"};
  struct stat facts {};
  std::string end(kEnd.size(), '\0');
  const auto size = static_cast<off_t>(end.size());
  if (::fstat(file.get(), &facts) != 0 || facts.st_size <= size) return;
  if (::pread(file.get(), end.data(), end.size(), facts.st_size - size) != size || end != kEnd) return;
  throw Error(ErrorKind::corrupt, path + " names another file, which SQLite would delete",
              "No journal of regengine does. Remove it: rm " + shell_words({path}));
}

}  // namespace reg::store
