# Runs a case of freed.c with --probes, wrong and right: cmake -D FREED= -D CLERK= -D CASE= -D RULE= -D VENDORS= -D CACHE= -P
# freed.cmake. The wrong program must end, and have this one finding; the right one has none, and its launch is checked.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})

function(run_case status output)
    execute_process(COMMAND ${CLERK} run --probes -- ${FREED} ${CASE} ${ARGN} RESULT_VARIABLE ended OUTPUT_VARIABLE said
                    ERROR_VARIABLE said)
    set(${status} ${ended} PARENT_SCOPE)
    set(${output} "${said}" PARENT_SCOPE)
endfunction()

run_case(status output)
if(status EQUAL 77)
    return()
endif()
if(output MATCHES "pocl_release_dlhandle_cache: Assertion") # PoCL 6 ends the program that does so
    message("the driver ends the program")
    return()
endif()
string(REGEX MATCHALL "[a-z]+: \\[[a-z-]+\\]" found "${output}")
if(NOT status EQUAL 99 OR NOT found STREQUAL "error: [${RULE}]")
    message(FATAL_ERROR "${CASE} ended with ${status}, and has '${found}', not ${RULE}:\n${output}")
endif()
run_case(status output --clean)
if(NOT status EQUAL 0 OR NOT output MATCHES "clerk: no findings" OR NOT output MATCHES "1 of 1 launch checked")
    message(FATAL_ERROR "${CASE} --clean ended with ${status}:\n${output}")
endif()
