cmake_minimum_required(VERSION 3.25)
# cmake -D SOURCE= -D BUILD= -D CTEST= -P complete.cmake: every rule of kind HOST has twins, a bad program and a good
# one, that run over the same drivers: the stub, PoCL where it is installed, and the reference device, but for those
# listed here. Every folder of twins belongs to a rule.

# The reference device and PoCL have no objects of other interfaces, multi-sampled or mipmapped images, immutable memory
# or contexts that end commands; they refuse no argument of a kernel because memory ran out, and let a wait for an event that
# nobody sets wait for ever.
set(without_device acquired-twice context-terminated descriptor-imported event-never-set gl-object-changed image-multi-sampled interop-context interop-unordered kernel-argument-lost
    memory-immutable mip-level object-acquired object-not-shared)
# PoCL has no queues on the device, no semaphores, and command-buffers whose functions had other parameters; a command
# that waits for itself stops the program.
set(without_pocl ${without_device} command-buffer-in-threads command-buffer-queue command-buffer-state event-aliased
    mutable-command queue-on-device semaphore-order sync-point-list)
# It knows the bytes that a kernel touches: its races are clear.
list(APPEND without_device race-commands-unclear)

# The stub has no kernels of which anything is known.
set(without_stub host-pointer-unread)

file(READ "${SOURCE}/checkers/rules.def" rows)
string(REGEX REPLACE "[\r\n]+" " " rows "${rows}")
string(REPLACE ";" "," rows "${rows}")
string(REPLACE "RULE(" ";" rows "${rows}")
set(ids "")
foreach(row IN LISTS rows)
    if(row MATCHES "^[A-Z_]+, \"([a-z-]+)\".*\", HOST, \"")
        list(APPEND ids ${CMAKE_MATCH_1})
    endif()
endforeach()
list(LENGTH ids count)
if(count LESS 10)
    message(FATAL_ERROR "only ${count} host rules were read from checkers/rules.def")
endif()
execute_process(COMMAND "${CTEST}" --test-dir "${BUILD}" -N OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "ctest -N ended with ${result}")
endif()
set(drivers stub device)
if(EXISTS /etc/OpenCL/vendors/pocl.icd)
    list(APPEND drivers pocl)
endif()
foreach(driver stub pocl device)
    set(count_${driver} 0)
endforeach()
foreach(id IN LISTS ids)
    foreach(kind bad good)
        string(REGEX MATCHALL ": rules/${id}/${kind}/[a-z]+" ${kind} "${tests}")
        string(REPLACE "/${kind}/" "/" ${kind} "${${kind}}")
    endforeach()
    if(NOT bad STREQUAL good)
        message(SEND_ERROR "the bad program of the rule ${id} and the good one do not run over the same drivers")
    endif()
    foreach(driver IN LISTS drivers)
        if(": rules/${id}/${driver}" IN_LIST bad)
            math(EXPR count_${driver} "${count_${driver}} + 1")
            if(id IN_LIST without_${driver})
                message(SEND_ERROR "the rule ${id} has programs over ${driver}: it is not to be listed here")
            endif()
        elseif(NOT id IN_LIST without_${driver})
            message(SEND_ERROR "the rule ${id} has no bad program over ${driver}: a folder here, or one of twins/")
        endif()
    endforeach()
endforeach()
message(STATUS "${count} rules; with programs over the stub ${count_stub}, PoCL ${count_pocl}, the device ${count_device}")
file(GLOB folders RELATIVE "${SOURCE}/tests/rules" "${SOURCE}/tests/rules/*/bad.c")
foreach(folder IN LISTS folders)
    string(REPLACE "/bad.c" "" id "${folder}")
    if(NOT id IN_LIST ids)
        message(SEND_ERROR "tests/rules/${id} belongs to no host rule")
    endif()
endforeach()
