/* For binaries that libgit2 is linked into. Debian's libgit2.a calls Kerberos, and Debian ships no static Kerberos.
 * regengine leaves the network to the git command, so nothing gets here; if something did, it would see a Kerberos
 * without mechanisms. Of the parameters in RFC 2744 only the first, the minor status, is declared; the rest is
 * ignored. */
#include <stdint.h>

enum { GSS_S_UNAVAILABLE = 16 << 16 };

const void* GSS_C_NT_HOSTBASED_SERVICE = 0;

#define UNAVAILABLE(name)          \
  uint32_t name(uint32_t* minor);  \
  uint32_t name(uint32_t* minor) { \
    *minor = 0;                    \
    return GSS_S_UNAVAILABLE;      \
  }

UNAVAILABLE(gss_delete_sec_context)
UNAVAILABLE(gss_display_status)
UNAVAILABLE(gss_import_name)
UNAVAILABLE(gss_indicate_mechs)
UNAVAILABLE(gss_init_sec_context)
UNAVAILABLE(gss_release_buffer)
UNAVAILABLE(gss_release_name)
UNAVAILABLE(gss_release_oid_set)
