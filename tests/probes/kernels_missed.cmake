# What kernels.cmake does not find: missed_FILE_LINE, the number being that of the line among those that are tried.
set(missed_pointers_3 "nothing is said of pointers that a kernel makes of numbers; the program faults as it does without checks")
