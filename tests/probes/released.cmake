# Runs a case of released.c with --probes: cmake -D RELEASED= -D CLERK= -D CASE= -D RULE= -D SAYS= -D TOLD= -D VENDORS= -D
# CACHE= -P released.cmake. It has one finding, of RULE, and the report, as the recording, has the words SAYS; the program is told TOLD times
# that its buffer is no more.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})

set(trace ${CACHE}/released-${CASE}.db)
file(REMOVE ${trace})
execute_process(COMMAND ${CLERK} run --probes -o ${trace} -- ${RELEASED} ${CASE} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE report)
string(REGEX MATCHALL "[a-z]+: \\[[a-z-]+\\]" found "${report}")
string(REGEX REPLACE "[ \n]+" " " words "${report}")
string(FIND "${words}" "${SAYS}" place)
if(NOT status EQUAL 99 OR NOT found STREQUAL "error: [${RULE}]")
    message(FATAL_ERROR "${CASE} ended with ${status}, and has '${found}', not ${RULE}:\n${report}")
endif()
if(place EQUAL -1)
    message(FATAL_ERROR "the report does not say '${SAYS}':\n${report}")
endif()
if(NOT output STREQUAL "told ${TOLD} times\n")
    message(FATAL_ERROR "the program says '${output}'")
endif()
# What became of the finding after the run stands in the recording too.
execute_process(COMMAND ${CLERK} show ${trace} findings OUTPUT_VARIABLE recorded ERROR_VARIABLE recorded)
string(REGEX MATCHALL "[a-z]+: \\[[a-z-]+\\]" found "${recorded}")
string(REGEX REPLACE "[ \n]+" " " words "${recorded}")
string(FIND "${words}" "${SAYS}" place)
if(NOT found STREQUAL "error: [${RULE}]" OR place EQUAL -1)
    message(FATAL_ERROR "the recording has '${found}', and does not say '${SAYS}':\n${recorded}")
endif()
