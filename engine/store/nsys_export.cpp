#include "engine/store/nsys_export.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/store/sqlite.h"

namespace reg::store {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr const char* kExport = "Export one: nsys export --type sqlite REPORT.nsys-rep";

}  // namespace

std::vector<NsysKernel> nsys_kernels(const std::string& path) {
  if (!std::filesystem::exists(path)) throw Error(ErrorKind::not_found, "no such file: " + path, kExport);
  std::vector<NsysKernel> kernels;
  try {
    Database database(path, Database::Mode::read_only);
    // nsys creates a table with its first row, so any table may be missing.
    if (!database.has_table("StringIds")) throw Error(ErrorKind::corrupt, "it has no table StringIds");
    if (!database.has_table("CUPTI_ACTIVITY_KIND_KERNEL")) return kernels;
    Statement rows(database.handle(),
                   "SELECT coalesce(s.value, '(no name)'), count(*), sum(k.end - k.start), min(k.end - k.start), "
                   "max(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds s "
                   "ON s.id = k.demangledName GROUP BY 1 ORDER BY 3 DESC, 1");
    const auto seconds = [&](int column) { return static_cast<double>(rows.integer(column)) * kNanosecond; };
    while (rows.step())
      kernels.push_back({std::string(rows.text(0)), rows.integer(1), seconds(2), seconds(3), seconds(4)});
  } catch (const Error& error) {
    throw Error(ErrorKind::corrupt, path + " is not an SQLite export of nsys: " + error.what(), kExport);
  }
  return kernels;
}

}  // namespace reg::store
