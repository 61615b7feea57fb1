# Runs a case of stressed.c with --probes, also recorded: cmake -D STRESSED= -D CLERK= -D CASE= -D NAME= -D VENDORS= -D CACHE= -P
# stressed.cmake. All launches must be checked, nothing be found, and a recording be whole.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})
if(CASE STREQUAL "devices") # PoCL has as many as it is told
    set(ENV{POCL_DEVICES} "pthread basic")
endif()

# Nothing orders these launches, and a recording does not tell which bytes they use. Those of threads use atomics, which
# is a note of its own.
set(checks)
set(live_checks)
if(CASE MATCHES "^(threads|apart)$")
    set(checks --checks -race-commands-unclear)
endif()
if(CASE STREQUAL "threads")
    set(live_checks --checks -atomics-across-kernels)
endif()

function(run_case)
    execute_process(COMMAND ${CLERK} run --probes ${live_checks} ${ARGN} -- ${STRESSED} ${CASE} RESULT_VARIABLE status
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(status EQUAL 77)
        return()
    elseif(NOT status EQUAL 0)
        message(FATAL_ERROR "${CASE} ${ARGN} ended with ${status}:\n${output}")
    elseif(NOT output MATCHES "clerk: no findings")
        message(FATAL_ERROR "${CASE} ${ARGN}: findings:\n${output}")
    elseif(NOT output MATCHES "probes: ([0-9]+) of ([0-9]+) kernels?, ([0-9]+) of ([0-9]+) launche?s? checked")
        message(FATAL_ERROR "${CASE} ${ARGN}: no closing line:\n${output}")
    elseif(NOT CMAKE_MATCH_1 EQUAL CMAKE_MATCH_2 OR NOT CMAKE_MATCH_3 EQUAL CMAKE_MATCH_4)
        message(FATAL_ERROR "${CASE} ${ARGN}: not all was checked:\n${output}")
    endif()
endfunction()

run_case()
set(trace ${CACHE}/stressed-${NAME}.db)
run_case(-o ${trace})
execute_process(COMMAND ${CLERK} check ${checks} ${trace} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 AND NOT output MATCHES "no findings")
    message(FATAL_ERROR "the recording of ${CASE}:\n${output}")
endif()
