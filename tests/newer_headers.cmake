# The tree compiles with Khronos headers of 2024-10 and later, too: those of the machine are changed to be like them
# in what clerk met: the slots of cl_icd_dispatch have types of other names, a slot came with OpenCL 3.1, and
# some enumerants went to headers of Windows. Run as: cmake -DSOURCE_DIRECTORY=... -DCOMPILER=... "-DFLAGS=a b c"
# -DHEADERS=(the directory of CL) -DOUTPUT=(a directory) -P tests/newer_headers.cmake
separate_arguments(FLAGS)
file(REMOVE_RECURSE ${OUTPUT})
file(COPY ${HEADERS}/CL DESTINATION ${OUTPUT})

function(change file pattern replacement)
    file(READ ${OUTPUT}/CL/${file} text)
    string(REGEX REPLACE "${pattern}" "${replacement}" changed "${text}")
    if(changed STREQUAL text)
        message(FATAL_ERROR "${HEADERS}/CL/${file} has nothing like ${pattern}")
    endif()
    file(WRITE ${OUTPUT}/CL/${file} "${changed}")
endfunction()

change(cl_icd.h "cl_api_" "newer_")
change(cl_icd.h "\n} cl_icd_dispatch;" "\nvoid *clGetKernelSuggestedLocalWorkSize;\n} cl_icd_dispatch;")
change(cl_ext.h "#define CL_(EXTERNAL_MEMORY|SEMAPHORE)_HANDLE_D3D[^\n]*\n" "")

set(failures 0)
file(GLOB api RELATIVE ${SOURCE_DIRECTORY} ${SOURCE_DIRECTORY}/trace/api/*.c)
foreach(source ${api} layer/launch_memory.c layer/wrappers.c replay/target.c viewer-cli/drivers.c tests/unit/api/test_entry.c)
    execute_process(COMMAND ${COMPILER} -I${OUTPUT} -I${SOURCE_DIRECTORY} ${FLAGS} -fsyntax-only ${source}
                    WORKING_DIRECTORY ${SOURCE_DIRECTORY} RESULT_VARIABLE status ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message("${source} does not compile with newer headers:\n${output}")
        math(EXPR failures "${failures} + 1")
    endif()
endforeach()
if(failures)
    message(FATAL_ERROR "${failures} files do not compile")
endif()
