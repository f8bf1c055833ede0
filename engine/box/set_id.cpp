#include "engine/box/set_id.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/stat.h>

#include <array>
#include <utility>

namespace reg::box {
namespace {

constexpr std::array<scmp_datum_t, 2> kBits{S_ISUID, S_ISGID};

// Newer than Debian 12's headers.
constexpr int kFchmodat2 = 452;

std::string make_instructions() {
  Filter filter;
  filter.add_sister_architectures();
  refuse_new_set_id(filter);
  // With S_ISGID they also serve folders, where tar and cp set again what these got from the folder around them.
  for (const auto& [call, mode] :
       {std::pair{SCMP_SYS(chmod), 1U}, std::pair{SCMP_SYS(fchmod), 1U}, std::pair{SCMP_SYS(fchmodat), 2U}})
    filter.refuse(call, masked(mode, S_ISUID, S_ISUID));
  // Their arguments are in memory, where a filter cannot look; fchmodat2 is for what chmod can do.
  for (const int call : {SCMP_SYS(openat2), SCMP_SYS(io_uring_setup), kFchmodat2}) filter.lack(call);
  return filter.instructions();
}

}  // namespace

void refuse_new_set_id(Filter& filter) {
  constexpr scmp_datum_t kTemporary = O_TMPFILE & ~O_DIRECTORY;
  for (const scmp_datum_t bit : kBits) {
    for (const scmp_datum_t makes : {scmp_datum_t{O_CREAT}, kTemporary}) {
      filter.refuse(SCMP_SYS(open), masked(1, makes, makes), masked(2, bit, bit));
      filter.refuse(SCMP_SYS(openat), masked(2, makes, makes), masked(3, bit, bit));
    }
    for (const auto& [call, mode] :
         {std::pair{SCMP_SYS(creat), 1U}, std::pair{SCMP_SYS(mknod), 1U}, std::pair{SCMP_SYS(mknodat), 2U}})
      filter.refuse(call, masked(mode, bit, bit));
  }
}

NoSetId::NoSetId() : instructions_(make_instructions()) {}

bool NoSetId::enter() const noexcept {
  // Without this flag kernels before 5.16 slow down the programs that are measured.
  return enter_instructions(instructions_, SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}

}  // namespace reg::box
