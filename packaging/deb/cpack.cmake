# What CPack needs for the Debian package; packaging/build deb runs it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME regengine)
set(CPACK_PACKAGE_CONTACT "regengine maintainers <maintainers@users.noreply.github.com>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_VERSION ${REGENGINE_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS git)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "docker.io | podman, gnuplot")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds the night, the hour and the commit that made it slower")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "regengine investigates performance regressions: nightly images, hourly
checkouts of several repositories, bisection by a number, an exit code or a
crash, and benchmark suites. The strategies are short Lua scripts that you can
copy and change.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/policy.cmake)
include(CPack)
