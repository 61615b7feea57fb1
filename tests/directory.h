/* What tests leave behind them is removed. */
#ifndef TESTS_DIRECTORY_H
#define TESTS_DIRECTORY_H

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

static inline int directory_remove_one(const char *path, const struct stat *facts, int kind,
                                       struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

/* Removes a directory with all that is in it. 0; -1 if there is none, or something stays. */
static inline int directory_remove(const char *path)
{
    enum { DESCRIPTORS = 8 };
    return nftw(path, directory_remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0 &&
                   access(path, F_OK) != 0
               ? 0
               : -1;
}

#endif
