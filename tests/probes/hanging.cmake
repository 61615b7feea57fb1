# Runs a case of hanging.c with --probes: cmake -D HANGING= -D CLERK= -D CASE= -D RULES= -D VENDORS= -D CACHE= -P
# hanging.cmake. A signal ends it; it has a finding of each of RULES, and if there are any the launch had not ended.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})

execute_process(COMMAND ${CLERK} run --probes -- ${HANGING} ${CASE} RESULT_VARIABLE status ERROR_VARIABLE report)
string(REGEX MATCHALL "[a-z]+: \\[[a-z-]+\\]" found "${report}")
list(TRANSFORM RULES REPLACE "(.+)" "error: [\\1]" OUTPUT_VARIABLE wanted)
if(NOT status EQUAL 142 OR NOT found STREQUAL "${wanted}")
    message(FATAL_ERROR "${CASE} ended with ${status}, and has '${found}', not '${wanted}':\n${report}")
endif()
string(FIND "${report}" "clerk: the launch of kernel '${CASE}' by call " place)
if((RULES AND place EQUAL -1) OR NOT (RULES OR place EQUAL -1))
    message(FATAL_ERROR "had the launch ended?\n${report}")
endif()
