/* What tests leave behind them is removed. */
#ifndef TESTS_DIRECTORY_H
#define TESTS_DIRECTORY_H

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Removes the files in a directory, and then the directory; does not descend. 0, or -1. */
static inline int directory_remove(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    if (!directory)
        return -1;
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    return rmdir(path);
}

#endif
