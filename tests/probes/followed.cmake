# Runs a case of followed.c with --probes: cmake -D FOLLOWED= -D CLERK= -D CASE= -D HAS_BUG= -D VENDORS= -D CACHE= -P
# followed.cmake. It has no findings, and with its bug, if it has one, the one that the reference device shows.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})

function(run_case)
    execute_process(COMMAND ${CLERK} run --probes -- ${FOLLOWED} ${CASE} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${CASE} ${ARGN} ended with ${status}:\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

run_case()
if(NOT output MATCHES "clerk: no findings" OR NOT output MATCHES "probes: [0-9]+ of [0-9]+ kernel")
    message(FATAL_ERROR "${CASE}: findings, or nothing was checked:\n${output}")
endif()
if(HAS_BUG)
    run_case(--bug)
    if(NOT output MATCHES "clerk: 1 warning" OR NOT output MATCHES "warning: .uninitialised-output."
       OR NOT output MATCHES "shown by the")
        message(FATAL_ERROR "${CASE}: not the one finding that the reference device shows:\n${output}")
    endif()
endif()
