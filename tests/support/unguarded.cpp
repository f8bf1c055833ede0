// regengine_unguarded, for the attacks on the box alone: in the process that runs an untrusted script no permission is
// missing, SQL may do all that SQLite can, and no journal beside a store is looked at. What stops a script then
// is the kernel, or the broker, which checks as always. The linker puts these functions in the place of the engine's
// (--wrap), for every caller in another file.

#include <string>

#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/guard/policy.h"
#include "engine/store/sqlite.h"

#define ADMIT "_ZN3reg5Guard5admitERKNS_6EffectE"
#define CONFINE "_ZN3reg5store7confineEP7sqlite3NS0_3MayE"
#define CHECK_JOURNAL "_ZN3reg5store13check_journalERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

namespace reg {

bool real_admit(Guard* guard, const Effect& effect) asm("__real_" ADMIT);
bool admit_all(Guard* guard, const Effect& effect) asm("__wrap_" ADMIT);
void real_confine(sqlite3* database, store::May may) asm("__real_" CONFINE);
void confine_nothing(sqlite3* database, store::May may) asm("__wrap_" CONFINE);
void real_check_journal(const std::string& database) asm("__real_" CHECK_JOURNAL);
void check_no_journal(const std::string& database) asm("__wrap_" CHECK_JOURNAL);

bool admit_all(Guard* guard, const Effect& effect) {
  try {
    return real_admit(guard, effect);
  } catch (const Error& refused) {
    if (!is_boxed() || refused.kind() != ErrorKind::permission) throw;
    return true;
  }
}

void confine_nothing(sqlite3* database, store::May may) {
  if (!is_boxed()) real_confine(database, may);
}

void check_no_journal(const std::string& database) {
  if (!is_boxed()) real_check_journal(database);
}

}  // namespace reg
