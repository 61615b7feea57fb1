cmake_minimum_required(VERSION 3.25)
# What OpenCL leaves to the implementation, and what the reference device does.
#     cmake -D SOURCE= -D BUILD= -D CTEST= -D PAGE= [-D WRITE=1] -P implementation_defined.cmake
# The list is tests/rules/implementation_defined.tsv: after the name of a specification its sections, what each leaves
# open, the device's choice, and the test that shows it, or "none" and a reason. The page is
# docs/IMPLEMENTATION_DEFINED.md.
execute_process(COMMAND "${CTEST}" --test-dir "${BUILD}" -N OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "ctest -N ended with ${result}")
endif()
file(STRINGS "${SOURCE}/tests/rules/implementation_defined.tsv" lines)
set(count 0)
set(shown_count 0)
set(table "")
foreach(line IN LISTS lines)
    if(line MATCHES "^# (.*)")
        string(APPEND table "\n## ${CMAKE_MATCH_1}\n\n| section | what is left open | what the device does | shown by |\n|---|---|---|---|\n")
        continue()
    endif()
    if(NOT line MATCHES "^([^\t]+)\t([^\t]+)\t([^\t]+)\t([^\t]+)$")
        message(FATAL_ERROR "implementation_defined.tsv: not the four columns: ${line}")
    endif()
    set(what "${CMAKE_MATCH_2}")
    set(shown "${CMAKE_MATCH_4}")
    string(APPEND table "| ${CMAKE_MATCH_1} | ${what} | ${CMAKE_MATCH_3} | ${shown} |\n")
    math(EXPR count "${count} + 1")
    if(shown MATCHES "^none: ")
        continue()
    endif()
    math(EXPR shown_count "${shown_count} + 1")
    if(NOT tests MATCHES ": ${shown}[/\n]")
        message(SEND_ERROR "${what}: there is no test '${shown}'")
    endif()
endforeach()
math(EXPR unshown_count "${count} - ${shown_count}")
set(page "# What is left to the implementation

Written by tests/rules/implementation_defined.cmake from tests/rules/implementation_defined.tsv. The specifications of the
OpenCL API, of OpenCL C and of the SPIR-V environment leave ${count} things to the implementation, which has to document
them. This is what the reference device does. A test shows ${shown_count} of them; of the other ${unshown_count} the last
column tells why none does. What is undefined instead stands in [UNDEFINED.md](UNDEFINED.md).
${table}")
include(${CMAKE_CURRENT_LIST_DIR}/keep_page.cmake)
keep_page()
