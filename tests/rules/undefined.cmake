cmake_minimum_required(VERSION 3.25)
# What OpenCL leaves undefined or to the application, and no error code covers: which rule finds it, and which test
# shows that, or why none does.
#     cmake -D SOURCE= -D BUILD= -D CTEST= -D PAGE= [-D WRITE=1] -P undefined.cmake
# The list is tests/rules/undefined.tsv: what the program does, what tells of it (its calls, the memory of the host, or
# what kernels do on a device), the rules, what `clerk run` has to be asked for, and the test or the reason. The page is
# docs/UNDEFINED.md; undefined_shown.cmake tries each row.
include("${CMAKE_CURRENT_LIST_DIR}/undefined_rows.cmake")
file(READ "${SOURCE}/checkers/rules.def" rules)
execute_process(COMMAND "${CTEST}" --test-dir "${BUILD}" -N OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "ctest -N ended with ${result}")
endif()
undefined_rows("${SOURCE}/tests/rules/undefined.tsv")
set(count 0)
set(found 0)
set(asked 0)
foreach(by calls memory device)
    set(count_${by} 0)
    set(found_${by} 0)
endforeach()
set(table "")
foreach(row IN LISTS rows)
    set(what "${row_${row}_what}")
    set(by "${row_${row}_by}")
    set(names "${row_${row}_rules}")
    set(needs "${row_${row}_needs}")
    set(shown "${row_${row}_shown}")
    if(row_${row}_section)
        string(APPEND table "\n## ${row_${row}_section}\n\n| a program that | told by | rule | needs | shown by, or why there is none |\n|---|---|---|---|---|\n")
    endif()
    math(EXPR count "${count} + 1")
    math(EXPR count_${by} "${count_${by}} + 1")
    if(names)
        math(EXPR found "${found} + 1")
        math(EXPR found_${by} "${found_${by}} + 1")
        string(REPLACE ", " ";" list "${names}")
        foreach(name IN LISTS list)
            string(FIND "${rules}" "\"${name}\"" place)
            if(place EQUAL -1)
                message(SEND_ERROR "${what}: there is no rule '${name}'")
            endif()
        endforeach()
        if(NOT tests MATCHES ": ${shown}[/\n]")
            message(SEND_ERROR "${what}: there is no test '${shown}'")
        endif()
    else()
        set(names "-")
    endif()
    if(needs)
        math(EXPR asked "${asked} + 1")
    endif()
    if(needs MATCHES "^--")
        set(needs "`${needs}`")
    endif()
    string(APPEND table "| ${what} | ${by} | ${names} | ${needs} | ${shown} |\n")
endforeach()
file(STRINGS "${SOURCE}/tests/rules/statements.tsv" demands REGEX "\tapplication\t(rule|none): ")
list(LENGTH demands demanded)
list(FILTER demands INCLUDE REGEX "\trule: ")
list(LENGTH demands demands_found)
set(page "# What no error code covers

Written by tests/rules/undefined.cmake from tests/rules/undefined.tsv. OpenCL leaves it undefined, or to the
application, and no call returns an error for it: ${count} kinds, ${found} of which a rule finds. Of ${count_calls} that calls
could tell of ${found_calls} are found, of ${count_memory} that the memory of the host could, when it is watched, ${found_memory}, and of ${count_device} that
only a device which shows what kernels do could tell of ${found_device}.

`clerk run` finds them as it is, over any driver that has what they use, but for ${asked} that *need* something more: an option, or clerk's own device.
A test runs the program of each row so. Rules that end in `unclear` are what is found of kernels over other drivers than
clerk's: a note, since the driver does not tell which bytes a kernel touches. What else limits them stands in
[LIMITATIONS.md](LIMITATIONS.md).

[STATEMENTS.md](STATEMENTS.md) goes through the sentences of the specification: of ${demanded} demands on programs that
no error tells of, rules find ${demands_found}.
${table}")
include(${CMAKE_CURRENT_LIST_DIR}/keep_page.cmake)
keep_page()
