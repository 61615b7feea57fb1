cmake_minimum_required(VERSION 3.25)
# Which error conditions of OpenCL clerk decides, and which test shows it: of the core, and of extensions.
#     cmake -D SOURCE= -D ROWS="FILE,FILE" -D PAGE= [-D WRITE=1] -P coverage.cmake
# The lists are tests/rules/core_conditions.tsv and extension_conditions.tsv: entry point, error code, a short id, the
# condition in our words, and the rule that finds it, or why none can. ROWS are what rules/errors, rules/conditions
# and rules/extensions wrote: an entry point, the error code and the rule of each finding that a wrong call had. The
# page is docs/COVERAGE.md. How many demands of statements.tsv are such conditions is counted beside them.
file(READ "${SOURCE}/checkers/rules.def" rule_text)
string(REPLACE "," ";" ROWS "${ROWS}")
set(shown "\n")
foreach(file IN LISTS ROWS)
    file(READ "${file}" text)
    string(APPEND shown "${text}")
endforeach()
set(handles handle-null handle-released handle-wrong-kind handle-foreign)

# The rows of a list, as a table of the page: sets all, by_rule, by_driver, answers, own and table.
function(count_rows list)
    file(STRINGS "${SOURCE}/tests/rules/${list}.tsv" lines)
    set(by_rule 0)
    set(by_driver 0)
    set(answers 0)
    set(own 0)
    set(seen "\n")
    set(table "")
    foreach(line IN LISTS lines)
        string(REPLACE "\t" ";" row "${line}")
        list(GET row 0 function)
        list(GET row 1 code)
        list(GET row 2 id)
        list(GET row 3 words)
        list(GET row 4 cover)
        string(FIND "${seen}" "\n${function} ${code} ${id}\n" place)
        if(NOT place EQUAL -1)
            message(SEND_ERROR "${function} ${code} ${id} stands there twice")
        endif()
        string(APPEND seen "${function} ${code} ${id}\n")
        if(cover MATCHES "^(driver|answer): (.*)")
            if(CMAKE_MATCH_1 STREQUAL "driver")
                math(EXPR by_driver "${by_driver} + 1")
                set(cell "only the driver knows: ${CMAKE_MATCH_2}")
            else()
                math(EXPR answers "${answers} + 1")
                set(cell "no mistake: ${CMAKE_MATCH_2}")
            endif()
            set(test "-")
        else()
            math(EXPR by_rule "${by_rule} + 1")
            set(rules "${cover}")
            if(cover STREQUAL "handle")
                set(rules ${handles})
            endif()
            set(test "")
            foreach(rule IN LISTS rules)
                string(FIND "${rule_text}" "\"${rule}\"" known)
                if(known EQUAL -1)
                    message(SEND_ERROR "${function} ${code} ${id}: there is no rule '${rule}'")
                endif()
                string(FIND "${shown}" "\n${function}\t${code}\t${rule}\n" place)
                if(NOT place EQUAL -1)
                    set(test "this call")
                endif()
            endforeach()
            if(test STREQUAL "")
                # Stated once for all entry points that have such a parameter: shown for another of them.
                foreach(rule IN LISTS rules)
                    string(FIND "${shown}" "\t${code}\t${rule}\n" place)
                    if(NOT place EQUAL -1)
                        set(test "another call")
                    endif()
                endforeach()
            else()
                math(EXPR own "${own} + 1")
            endif()
            if(test STREQUAL "")
                message(SEND_ERROR "${function} ${code} ${id}: no test shows ${cover} with this code")
            endif()
            list(JOIN rules ", " cell)
        endif()
        string(APPEND table "| ${function} | ${code} | ${id} | ${words} | ${cell} | ${test} |\n")
    endforeach()
    math(EXPR all "${by_rule} + ${by_driver} + ${answers}")
    foreach(result all by_rule by_driver answers own table)
        set(${result} "${${result}}" PARENT_SCOPE)
    endforeach()
endfunction()

file(STRINGS "${SOURCE}/tests/rules/statements.tsv" demands REGEX "\terror: ")
list(LENGTH demands demanded)

set(columns
    "| entry point | error | id | condition | rule, or why there is none | shown by |
|---|---|---|---|---|---|
")
set(page
    "# Error conditions

Written by tests/rules/coverage.cmake from tests/rules/core_conditions.tsv and extension_conditions.tsv, and from
what the tests rules/errors, rules/conditions and rules/extensions found. A condition is one line of the list of
errors of an entry point in the OpenCL 3.1 specification, or of an extension, that the call itself can be at fault
for; failures of resources are left out. A rule that is stated once for a kind of parameter is shown by a wrong call
of that very entry point (\"this call\") or of another one with the same error. What only the driver decides is
reported as driver-error when it happens. ${demanded} demands that the specification makes in sentences are such
conditions too: [STATEMENTS.md](STATEMENTS.md) names them, beside those that no error tells.
")
count_rows(core_conditions)
string(APPEND page "
## The core

${all} conditions: ${by_rule} have a rule, ${by_driver} only the driver can decide, ${answers} are not mistakes.
Of those with a rule ${own} are shown by a wrong call of that very entry point.

${columns}${table}")
count_rows(extension_conditions)
string(APPEND page "
## Extensions

Conditions of entry points that belong to extensions, and those that extensions add to others.

${all} conditions: ${by_rule} have a rule, ${by_driver} only the driver can decide, ${answers} are not mistakes.
Of those with a rule ${own} are shown by a wrong call of that very entry point.

${columns}${table}")

# Built-ins and restrictions of Intel's sub-group extensions: what, the extension, and the kernel or test.
file(STRINGS "${SOURCE}/tests/kernels/sub_groups/intel.tsv" lines)
string(APPEND page "
## Sub-groups of Intel

What cl_intel_subgroups, cl_intel_subgroups_short, _char and _long define, and what they leave undefined, on the
reference device; files are those of tests/kernels/sub_groups.

| built-in or restriction | extension | shown by |
|---|---|---|
")
foreach(line IN LISTS lines)
    string(REPLACE "\t" ";" row "${line}")
    list(GET row 0 what)
    list(GET row 1 extension)
    list(GET row 2 test)
    if(test MATCHES "^([a-z_]+[.]cl) ([a-z_]+)$")
        file(READ "${SOURCE}/tests/kernels/sub_groups/${CMAKE_MATCH_1}" kernels)
        if(NOT kernels MATCHES " -k ${CMAKE_MATCH_2} ")
            message(SEND_ERROR "${what}: no line of ${CMAKE_MATCH_1} runs ${CMAKE_MATCH_2}")
        endif()
    endif()
    string(APPEND page "| ${what} | ${extension} | ${test} |\n")
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/keep_page.cmake)
keep_page()
