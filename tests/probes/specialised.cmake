# Checks a program from IL whose specialisation constant decides whether it is right: cmake -D SPECIALISED= -D CLERK=
# -D VENDORS= -D CACHE= -P specialised.cmake
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY ${CACHE}/pocl)
set(ENV{POCL_CACHE_DIR} ${CACHE}/pocl)
set(ENV{CLERK_CACHE} ${CACHE}/clerk)
set(ENV{OCL_ICD_VENDORS} ${VENDORS})
unset(ENV{OPENCL_LAYERS})

# try(NUMBER EXPECTED): the output matches that, and the launch was checked.
function(try number expected)
    execute_process(COMMAND ${CLERK} run --probes -- ${SPECIALISED} ${number} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(status EQUAL 77)
        message("the device takes no IL")
    elseif(NOT output MATCHES "${expected}" OR NOT output MATCHES "1 of 1 kernel, 1 of 1 launch checked")
        message(FATAL_ERROR "with '${number}' the output does not match '${expected}':\n${output}")
    endif()
endfunction()

set(shown "the[ \n]+reference[ \n]+device[ \n]+shows")
try(15 "no findings")
try(16 "element 16 of.*${shown}")
try("" "element 17 of.*${shown}")
