# The tree is formatted as .clang-format says. Only version 14 decides: others differ in small things. Run as:
# cmake -DSOURCE_DIRECTORY=... -DCLANG_FORMAT=... -P tests/format.cmake
set(files)
foreach(top trace checkers reference replay layer viewer-cli tests docs/examples)
    file(GLOB_RECURSE found ${SOURCE_DIRECTORY}/${top}/*.c ${SOURCE_DIRECTORY}/${top}/*.h)
    list(APPEND files ${found})
endforeach()
list(LENGTH files count)
if(count LESS 10)
    message(FATAL_ERROR "found only ${count} files below ${SOURCE_DIRECTORY}: is it the tree?")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${files} RESULT_VARIABLE status
                WORKING_DIRECTORY ${SOURCE_DIRECTORY})
if(NOT status EQUAL 0)
    message(FATAL_ERROR "some files are not formatted: run ${CLANG_FORMAT} -i on them")
endif()
message("${count} files are formatted")
