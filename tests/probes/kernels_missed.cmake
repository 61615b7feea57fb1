# What kernels.cmake does not find: missed_FILE_LINE, the number being that of the line among those that are tried.
