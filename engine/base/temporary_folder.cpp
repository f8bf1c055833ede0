#include "engine/base/temporary_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"

namespace reg {

TemporaryFolder::TemporaryFolder(const std::string& begin) : path_(begin + "XXXXXX"), maker_(::getpid()) {
  if (::mkdtemp(path_.data()) == nullptr) throw system_error(path_, errno);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (::getpid() == maker_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace reg
