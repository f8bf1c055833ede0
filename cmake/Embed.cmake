# regengine_embed(OUT-VARIABLE FOLDER... [FILES NAME=PATH...]): puts the text of every .lua file under the folders, and of the
# other files under the names that are given, into the binary, so that it runs from anywhere. bindings/runtime/source.h declares what
# the generated file defines.
function(regengine_embed out_variable)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "" "FILES")
  set(files)
  foreach(folder IN LISTS embed_UNPARSED_ARGUMENTS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${folder}/*.lua)
    list(APPEND files ${found})
  endforeach()
  list(SORT files)
  set(generated ${CMAKE_BINARY_DIR}/embedded.cpp)
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  foreach(file IN LISTS embed_FILES)
    list(APPEND files ${file})
    string(REGEX REPLACE "^[^=]*=" "" path ${file})
    list(APPEND inputs ${path})
  endforeach()
  string(REPLACE ";" "," file_list "${files}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFILES=${file_list} -DOUT=${generated}
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Embedding the Lua sources and what the report is made of")
  set(${out_variable} ${generated} PARENT_SCOPE)
endfunction()
