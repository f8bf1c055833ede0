# Finds what the engine stands on, says in one line each what was found and what is left out, and stops with the
# command that mends it where a required part is missing. cmake/packages installs everything named here.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(regengine_say name state)
  message(STATUS "regengine: ${name}: ${state}")
endfunction()

# A portable binary takes all but glibc and libgcc_s from archives; CMake and FindPkgConfig look for those first then.
if(REGENGINE_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

# regengine_archives(TARGET LIBRARY...): what an archive needs beyond the libraries its users name.
function(regengine_archives target)
  foreach(library IN LISTS ARGN)
    if(library MATCHES "^(m|dl|rt|pthread)$")
      continue()
    endif()
    find_library(REGENGINE_ARCHIVE_${library} ${library})
    if(NOT REGENGINE_ARCHIVE_${library})
      message(FATAL_ERROR "regengine: lib${library}.a was not found, and a portable binary needs it.\n"
                          "  packaging/packages installs what the packages are built with")
    endif()
    mark_as_advanced(REGENGINE_ARCHIVE_${library})
    target_link_libraries(${target} INTERFACE ${REGENGINE_ARCHIVE_${library}})
  endforeach()
endfunction()

macro(regengine_pkg prefix module package why)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    message(FATAL_ERROR "regengine needs ${why}, and pkg-config does not know '${module}'.\n"
                        "  Install it: apt-get install ${package}   (or everything at once: cmake/packages)")
  endif()
  regengine_say("${module}" "${${prefix}_VERSION}")
  if(REGENGINE_PORTABLE)
    regengine_archives(PkgConfig::${prefix} ${${prefix}_STATIC_LIBRARIES})
  endif()
endmacro()

regengine_pkg(LUA lua5.4-c++ liblua5.4-dev "Lua 5.4 built as C++ (its errors are exceptions, so destructors run)")
# The functions of Debian 13's library have the names that C++ gives them, and its lua.hpp declares those of C.
file(WRITE ${CMAKE_BINARY_DIR}/lua_names.cpp "#include <lua.hpp>\nint main() { lua_close(luaL_newstate()); }\n")
try_compile(REGENGINE_LUA_HAS_C_NAMES ${CMAKE_BINARY_DIR}/lua_names SOURCES ${CMAKE_BINARY_DIR}/lua_names.cpp
            LINK_LIBRARIES PkgConfig::LUA ${CMAKE_DL_LIBS})
if(NOT REGENGINE_LUA_HAS_C_NAMES)
  file(WRITE ${CMAKE_BINARY_DIR}/lua_names/lua.hpp "#include <lua.h>\n#include <lualib.h>\n#include <lauxlib.h>\n")
  set_target_properties(PkgConfig::LUA PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_BINARY_DIR}/lua_names;${LUA_INCLUDE_DIRS}")
endif()
regengine_pkg(LIBGIT2 libgit2 libgit2-dev "libgit2")
regengine_pkg(PCRE2 libpcre2-8 libpcre2-dev "PCRE2, for the regular expressions of filters")
regengine_pkg(SECCOMP libseccomp libseccomp-dev "libseccomp, for the box of untrusted scripts")
regengine_pkg(CMARK libcmark libcmark-dev "libcmark, for scripts in Markdown")
regengine_pkg(EDIT libedit libedit-dev "libedit, for the prompt")
set(no_kerberos ${CMAKE_SOURCE_DIR}/packaging/portable/no_kerberos.c)
add_library(regengine_no_kerberos STATIC EXCLUDE_FROM_ALL ${no_kerberos})
if(REGENGINE_PORTABLE)
  regengine_archives(PkgConfig::EDIT md)  # libbsd.a needs it, and its .pc file does not say so
  target_link_libraries(PkgConfig::LIBGIT2 INTERFACE regengine_no_kerberos)
elseif(REGENGINE_LINK_IN)
  # Loading libgit2 and libcrypto, and the ten libraries that they load, takes a third of a start.
  list(JOIN LIBGIT2_STATIC_LIBRARIES ",-l" libraries)
  set(archives -Wl,-Bstatic,-l${libraries},-lpcre2-8,-Bdynamic)
  file(WRITE ${CMAKE_BINARY_DIR}/archives.c "int git_libgit2_init(void);\nint main(void) { return git_libgit2_init(); }\n")
  try_compile(REGENGINE_LINKS_IN ${CMAKE_BINARY_DIR}/archives SOURCES ${CMAKE_BINARY_DIR}/archives.c ${no_kerberos}
              LINK_LIBRARIES ${archives} -l:libcrypto.a)
  if(REGENGINE_LINKS_IN)
    set_target_properties(PkgConfig::LIBGIT2 PROPERTIES INTERFACE_LINK_LIBRARIES "${archives};regengine_no_kerberos")
    set_target_properties(PkgConfig::PCRE2 PROPERTIES INTERFACE_LINK_LIBRARIES -l:libpcre2-8.a)
    set(OPENSSL_USE_STATIC_LIBS ON)
    regengine_say("libgit2, PCRE2, libcrypto" "linked in; the shared ones: -DREGENGINE_LINK_IN=OFF")
  endif()
endif()
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
set(REGENGINE_FMT $<IF:$<BOOL:${REGENGINE_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)  # Debian ships no libfmt.a
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
regengine_say("SQLite" "${SQLite3_VERSION}")

if(POLICY CMP0167)
  cmake_policy(SET CMP0167 OLD)  # CMake's own module finds headers without Boost's package for CMake
endif()
find_package(Boost 1.81 QUIET)
if(NOT Boost_FOUND)
  message(FATAL_ERROR "regengine needs Boost 1.81 or newer (Asio, Process v2).\n"
                      "  Install it: apt-get install libboost1.81-dev   (newer systems: libboost-dev; or cmake/packages)")
endif()
regengine_say("Boost" "${Boost_VERSION_STRING}")
add_library(regengine_boost INTERFACE)
target_link_libraries(regengine_boost INTERFACE Boost::headers)
target_compile_definitions(regengine_boost INTERFACE BOOST_PROCESS_USE_STD_FS BOOST_PROCESS_V2_HEADER_ONLY)
if(Boost_VERSION_STRING VERSION_GREATER_EQUAL 1.86)
  # Process v2 became a compiled library there.
  find_package(Boost 1.86 REQUIRED COMPONENTS process filesystem)
  target_link_libraries(regengine_boost INTERFACE Boost::process Boost::filesystem)
endif()

find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  regengine_say("CUDA Toolkit" "${CUDAToolkit_VERSION} (${CUDAToolkit_INCLUDE_DIRS})")
else()
  regengine_say("CUDA Toolkit" "not found; left out: checking the driver declarations against its headers")
endif()
find_path(REGENGINE_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)
if(REGENGINE_NVTX_INCLUDE)
  regengine_say("NVTX" "${REGENGINE_NVTX_INCLUDE}/nvtx3")
else()
  regengine_say("NVTX" "not found; left out: ranges in nsys captures. It comes with the CUDA Toolkit")
endif()
