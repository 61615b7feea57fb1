# Makes the text of reference/probe/checks.h: cmake -D CHECKS="cells.cl;checks.cl" -D NAME=checks_text -D OUTPUT=checks_text.c -P checks.cmake
set(digits)
foreach(part IN LISTS CHECKS)
    file(READ ${part} more HEX)
    string(APPEND digits "${more}")
endforeach()
string(REGEX REPLACE "(..)" "0x\\1," numbers "${digits}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" numbers
                     "${numbers}")
file(WRITE ${OUTPUT} "#include \"reference/probe/checks.h\"\nconst char ${NAME}[] = {\n${numbers}0};\n")
