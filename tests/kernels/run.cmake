# Runs the command lines that stand in the comments of one kernel file, and compares what clerk prints and
# its exit statuses with the transcript beside it, byte for byte.
#
#   cmake -DCLERK=... -DKERNEL=FILE -DCACHE=DIRECTORY -DPAIR=19 [-DEMULATOR=...] [-DUPDATE=1] -P run.cmake
#
# EMULATOR is what runs a clerk that is built for another processor.
# PAIR is the version of the compilers. NAME.17.txt takes the place of NAME.txt from version 17 on, where these give a
# place in a line otherwise. With UPDATE the transcript is written instead: read it before it is committed.
cmake_minimum_required(VERSION 3.25)

cmake_path(GET KERNEL PARENT_PATH folder)
cmake_path(GET KERNEL STEM name)
set(expected ${folder}/${name}.txt)
if(PAIR GREATER_EQUAL 17 AND EXISTS ${folder}/${name}.17.txt)
    set(expected ${folder}/${name}.17.txt)
endif()
file(READ ${KERNEL} source)
string(REPLACE ";" "//" source "${source}") # comments of assembly; in a list they would part items
separate_arguments(EMULATOR UNIX_COMMAND "${EMULATOR}")
string(REGEX MATCHALL "// [$] clerk (kernel|debug) [^\n]*" commands "${source}")
list(LENGTH commands count)
if(count EQUAL 0)
    message(FATAL_ERROR "${KERNEL} has no line that runs it")
endif()

set(ENV{CLERK_CACHE} ${CACHE})
file(MAKE_DIRECTORY ${CACHE})
set(transcript "")
foreach(command IN LISTS commands)
    string(REPLACE "// $ clerk " "" line "${command}")
    separate_arguments(arguments UNIX_COMMAND "${line}")
    execute_process(COMMAND ${EMULATOR} ${CLERK} ${arguments} WORKING_DIRECTORY ${folder}
                    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    string(APPEND transcript "$ clerk ${line}\n${output}[exit status ${status}]\n\n")
endforeach()

if(UPDATE)
    file(WRITE ${expected} "${transcript}")
    return()
endif()
file(READ ${expected} wanted)
if(NOT transcript STREQUAL wanted)
    file(WRITE ${CACHE}/${name}.${PAIR}.actual.txt "${transcript}")
    execute_process(COMMAND diff -u ${expected} ${CACHE}/${name}.${PAIR}.actual.txt OUTPUT_VARIABLE difference)
    message(FATAL_ERROR "${name}: not as expected\n${difference}")
endif()
