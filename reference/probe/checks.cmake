# Makes the text of reference/probe/checks.h: cmake -D CHECKS=checks.cl -D OUTPUT=checks_text.c -P checks.cmake
file(READ ${CHECKS} digits HEX)
string(REGEX REPLACE "(..)" "0x\\1," numbers "${digits}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" numbers
                     "${numbers}")
file(WRITE ${OUTPUT} "#include \"reference/probe/checks.h\"\nconst char checks_text[] = {\n${numbers}0};\n")
