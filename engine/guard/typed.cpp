#include "engine/guard/typed.h"

#include "engine/base/error.h"
#include "engine/guard/describe.h"

namespace reg {

void Typed::join(const std::string& file, std::string_view, bool own) {
  if (own) return;
  const std::string name = one_line(file);
  throw Error(ErrorKind::permission, name + " is not trusted: it cannot be loaded into what you type",
              "If the file is your own, run regengine trust " + name +
                  ". Otherwise require it in a script, which runs in a sandbox: regengine FILE, or .load FILE.");
}

}  // namespace reg
