/* For portable binaries alone: the functions that Debian 12's archives and this code take from glibc 2.35 and 2.36,
 * made from what glibc 2.34 has. packaging/build refuses a binary that needs more. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* Libraries that are loaded at run time keep glibc's own. */
#define HIDDEN __attribute__((visibility("hidden")))

/* libstdc++'s std::random_device. It never fails there, so neither may it here. */
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

/* glibc 2.35 gave hypot a version that leaves errno alone. That of long doubles kept its old one. */
HIDDEN double hypot(double x, double y) { return (double)hypotl(x, y); }
