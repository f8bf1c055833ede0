# Puts the text of every .lua file under the given folders into the binary, so that it runs from anywhere.
# bindings/embedded.h declares what the generated file defines.
function(regengine_embed out_variable)
  set(files)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${folder}/*.lua)
    list(APPEND files ${found})
  endforeach()
  list(SORT files)
  set(generated ${CMAKE_BINARY_DIR}/embedded.cpp)
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  string(REPLACE ";" "," file_list "${files}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFILES=${file_list} -DOUT=${generated}
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Embedding the Lua sources")
  set(${out_variable} ${generated} PARENT_SCOPE)
endfunction()
