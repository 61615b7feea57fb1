cmake_minimum_required(VERSION 3.25)
# cmake -D CLERK= -D STATUS= -D TEXT= -D ARGUMENTS= -P verb.cmake: runs `clerk rules` and looks for TEXT on either stream.
execute_process(COMMAND "${CLERK}" rules ${ARGUMENTS} OUTPUT_VARIABLE output ERROR_VARIABLE output
                RESULT_VARIABLE result)
string(FIND "${output}" "${TEXT}" place)
if(NOT result EQUAL STATUS)
    message(FATAL_ERROR "clerk rules ${ARGUMENTS} ended with ${result}\n${output}")
elseif(place EQUAL -1)
    message(FATAL_ERROR "clerk rules ${ARGUMENTS} did not print \"${TEXT}\" but\n${output}")
endif()
