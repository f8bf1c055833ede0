# Sets REGENGINE_VERSION, the full version, and REGENGINE_RELEASE, its three numbers:
#   at the tag v1.2.3             1.2.3
#   4 commits after it            1.2.3+4.g1a2b3c4
#   no tag (a shallow clone)      the newest release that CHANGELOG.md names
# It is taken when CMake configures, and has the same form in the tool, the wheel and the Debian package.
find_package(Git QUIET)
set(described)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --tags --match "v[0-9]*.[0-9]*.[0-9]*"
                  WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/.. OUTPUT_VARIABLE described ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)$")
  set(REGENGINE_RELEASE ${CMAKE_MATCH_1})
  set(REGENGINE_VERSION ${CMAKE_MATCH_1})
elseif(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)-([0-9]+)-(g[0-9a-f]+)$")
  set(REGENGINE_RELEASE ${CMAKE_MATCH_1})
  set(REGENGINE_VERSION ${CMAKE_MATCH_1}+${CMAKE_MATCH_2}.${CMAKE_MATCH_3})
else()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md headings REGEX "^## [0-9]+\\.[0-9]+\\.[0-9]+")
  if(NOT headings MATCHES "^## ([0-9]+\\.[0-9]+\\.[0-9]+)")
    message(FATAL_ERROR "regengine: no git tag v1.2.3, and no heading '## 1.2.3' in CHANGELOG.md to take the version from")
  endif()
  set(REGENGINE_RELEASE ${CMAKE_MATCH_1})
  set(REGENGINE_VERSION ${CMAKE_MATCH_1})
endif()
set(REGENGINE_FULL_VERSION ${REGENGINE_VERSION} CACHE INTERNAL "for packaging/build")
