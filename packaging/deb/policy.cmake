# Run by CPack on the files of the package: what Debian's policy wants in another form than other systems do.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/regengine)

file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: regengine

Files: *
Copyright: 2026 the authors of regengine
License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
file(REMOVE ${doc}/LICENSE)

# The time of the commit, so that the same source gives the same package.
execute_process(COMMAND git log -1 --format=%aD WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR} OUTPUT_VARIABLE date
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(version ${CPACK_DEBIAN_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(WRITE ${doc}/changelog.Debian "regengine (${version}) unstable; urgency=medium

  * The changes are in /usr/share/doc/regengine/changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(WRITE ${share}/lintian/overrides/regengine "# It runs in containers of any kind, which may have no C library.
regengine: statically-linked-binary [usr/lib/*/regengine-usage]
")
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
