# Which folder may include which (docs/ARCHITECTURE.md). Reads every #include "..." of the tree and fails on
# an arrow that is not listed here. Run as: cmake -DSOURCE_DIRECTORY=... -P tests/architecture.cmake

# Folders, the longest path first, so that a file belongs to the first that matches.
set(folders
    trace/base trace/api trace/debug trace/effect trace checkers/oracle checkers/litmus checkers/order checkers/host/host.h
    checkers/host/objects checkers/host/conditions checkers/host/commands checkers/host/memory checkers/host
    checkers/kernel checkers/probe checkers
    reference/icd reference/debug reference/probe reference/compiler reference/limits reference/spirv reference/lower reference/native reference/vm
    reference/sched
    reference/explore replay layer viewer-cli)

# What each folder may include besides itself: folders, or single headers.
set(arrows_trace/base)
set(arrows_trace/api trace/base)
set(arrows_trace/debug trace/base)
set(arrows_trace/effect trace/base trace/api)
set(arrows_trace trace/base trace/api trace/effect)
set(arrows_checkers trace/base trace/api)
set(arrows_checkers/oracle trace/base)
set(arrows_checkers/litmus trace/base checkers/oracle)
set(arrows_checkers/order trace/base)
set(arrows_checkers/host trace/base trace/api trace/effect checkers/order checkers)
list(APPEND arrows_checkers/host checkers/host/objects checkers/host/conditions checkers/host/commands checkers/host/memory)
# Its rooms: besides what all may include, the two headers that they share, and each other as far as is said here.
set(shared trace/base trace/api trace/effect checkers checkers/order checkers/host/host.h checkers/host/checker.h)
set(arrows_checkers/host/objects ${shared} checkers/host/commands/recordings.h)
set(arrows_checkers/host/conditions ${shared} checkers/host/objects checkers/host/commands/commands.h)
set(arrows_checkers/host/commands
    ${shared} checkers/host/objects checkers/host/memory/memory.h checkers/host/memory/watched.h)
set(arrows_checkers/host/memory
    ${shared} checkers/host/objects checkers/host/commands/commands.h checkers/host/commands/recordings.h)
set(arrows_checkers/kernel trace/base checkers/order checkers)
set(arrows_checkers/probe trace/base trace/api checkers)
set(arrows_reference/spirv trace/base)
set(arrows_reference/vm trace/base reference/spirv checkers/kernel/observer.h checkers/probe/apart.h)
set(arrows_reference/lower trace/base reference/spirv reference/vm checkers/probe/apart.h)
set(arrows_reference/limits trace/base trace/api)
set(arrows_reference/compiler trace/base trace/api reference/spirv reference/limits checkers/sink.h)
set(arrows_reference/native trace/base trace/api reference/compiler reference/vm)
set(arrows_reference/sched trace/base reference/vm checkers/kernel/observer.h checkers/probe/apart.h)
set(arrows_reference/debug
    trace/base trace/api trace/debug reference/spirv reference/vm reference/sched checkers/kernel/observer.h
    checkers/image_words.h)
set(arrows_reference/explore
    trace/base checkers/oracle checkers/litmus checkers/kernel/observer.h reference/vm reference/sched)
set(arrows_reference/icd
    trace/base trace/api checkers checkers/order checkers/host/host.h checkers/host/commands/clash.h
    checkers/kernel reference/spirv
    reference/compiler reference/limits reference/lower reference/native reference/vm reference/sched reference/explore
    reference/probe reference/debug trace/debug
    checkers/probe)
set(arrows_reference/probe
    trace/base trace/api checkers/probe reference/spirv reference/compiler reference/limits reference/lower
    reference/vm)
set(arrows_replay trace/base trace/api trace/effect trace)
set(arrows_layer
    trace/base trace/api trace/effect trace checkers checkers/order checkers/kernel checkers/probe checkers/host/host.h
    checkers/host/objects/device_facts.def)
set(arrows_viewer-cli
    trace/base trace/api trace/debug trace/effect trace checkers checkers/oracle checkers/litmus checkers/order checkers/host/host.h
    checkers/kernel checkers/probe replay)

function(folder_of path result)
    foreach(folder IN LISTS folders)
        if(path MATCHES "^${folder}/")
            set(${result} ${folder} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(${result} "" PARENT_SCOPE)
endfunction()

set(failures 0)
set(include_count 0)
macro(complain)
    math(EXPR failures "${failures} + 1")
    message("${file}: ${ARGV0}")
endmacro()

cmake_policy(SET CMP0057 NEW)
foreach(top trace checkers reference replay layer viewer-cli)
    file(GLOB_RECURSE files RELATIVE ${SOURCE_DIRECTORY}
         ${SOURCE_DIRECTORY}/${top}/*.c ${SOURCE_DIRECTORY}/${top}/*.h ${SOURCE_DIRECTORY}/${top}/*.def
         ${SOURCE_DIRECTORY}/${top}/*.inc)
    foreach(file IN LISTS files)
        folder_of(${file} from)
        if(from STREQUAL "")
            complain("lies in no folder that the architecture knows")
            continue()
        endif()
        file(STRINGS ${SOURCE_DIRECTORY}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1" included "${line}")
            math(EXPR include_count "${include_count} + 1")
            if(included MATCHES "^[a-z_]+\\.inc$") # generated into the build tree
                continue()
            endif()
            folder_of(${included} to)
            if(to STREQUAL "" OR NOT EXISTS ${SOURCE_DIRECTORY}/${included})
                complain("\"${included}\" is not written as \"folder/file.h\" from the root")
            elseif(NOT to STREQUAL from AND NOT to IN_LIST arrows_${from}
                   AND NOT included IN_LIST arrows_${from})
                complain("${from} may not include \"${included}\"")
            endif()
        endforeach()
    endforeach()
endforeach()

if(failures)
    message(FATAL_ERROR "${failures} includes break the architecture")
endif()
if(include_count LESS 10)
    message(FATAL_ERROR "found only ${include_count} includes below ${SOURCE_DIRECTORY}: is it the tree?")
endif()
message("${include_count} includes, all along the arrows")
