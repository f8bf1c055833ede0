#include "engine/base/helper.h"

#include <array>
#include <filesystem>

#include "engine/base/error.h"

namespace reg {

namespace fs = std::filesystem;

std::string helper_file(const std::string& name, const std::string& purpose) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  // The build folder (its tests lie one deeper), and what is installed: PREFIX/bin beside PREFIX/lib/regengine.
  for (const fs::path& folder :
       std::array{program, program.parent_path(), program.parent_path() / REGENGINE_INJECT_FOLDER})
    if (fs::exists(folder / name)) return (folder / name).string();
  throw Error(ErrorKind::unavailable, purpose + " needs " + name + ", which is not beside " + program.string(),
              "Install regengine whole: cmake --install build/release");
}

}  // namespace reg
