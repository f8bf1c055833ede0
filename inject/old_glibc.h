/* Binds functions that newer C libraries have moved or changed to their oldest version, so that a library built on a
 * new system loads in a container with an old one. Include it before their first use;
 * tests/scripts/test_trace_library.sh checks that the result needs at most GLIBC_2.17. */
#ifndef REGENGINE_INJECT_OLD_GLIBC_H
#define REGENGINE_INJECT_OLD_GLIBC_H

#if defined(__x86_64__)
#define RG_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define RG_OLDEST "GLIBC_2.17"
#endif

#ifdef RG_OLDEST
__asm__(".symver dlopen,dlopen@" RG_OLDEST);
__asm__(".symver dladdr,dladdr@" RG_OLDEST);
__asm__(".symver dlsym,dlsym@" RG_OLDEST);
__asm__(".symver pthread_create,pthread_create@" RG_OLDEST);
#endif

#endif
