# Makes the C file of viewer-cli/export/page.h: cmake -D PAGE=page.html -D OUTPUT=page.c -P page.cmake
file(READ ${PAGE} page)
string(FIND "${page}" "@DATA@" place)
if(place EQUAL -1)
    message(FATAL_ERROR "${PAGE} has no @DATA@")
endif()

function(write_bytes name bytes)
    string(HEX "${bytes}" digits)
    string(REGEX REPLACE "(..)" "0x\\1," numbers "${digits}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" numbers
                         "${numbers}")
    file(APPEND ${OUTPUT} "const char ${name}[] = {\n${numbers}0};\n")
endfunction()

string(SUBSTRING "${page}" 0 ${place} before)
math(EXPR place "${place} + 6")
string(SUBSTRING "${page}" ${place} -1 behind)
file(WRITE ${OUTPUT} "#include \"viewer-cli/export/page.h\"\n")
write_bytes(page_before_data "${before}")
write_bytes(page_behind_data "${behind}")
