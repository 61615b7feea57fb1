# Makes files a string of the program: cmake -D PARTS="cells.cl;checks.cl" -D HEADER=reference/probe/checks.h
# -D NAME=checks_text -D OUTPUT=checks_text.c -P text.cmake
set(digits)
foreach(part IN LISTS PARTS)
    file(READ ${part} more HEX)
    string(APPEND digits "${more}")
endforeach()
string(REGEX REPLACE "(..)" "0x\\1," numbers "${digits}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" numbers
                     "${numbers}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\nconst char ${NAME}[] = {\n${numbers}0};\n")
