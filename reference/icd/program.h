/* What the files about programs share. */
#ifndef REFERENCE_ICD_PROGRAM_H
#define REFERENCE_ICD_PROGRAM_H

#include "reference/icd/types.h"

/* A program without source, IL or binary; NULL when memory is out. Unlocked. */
cl_program program_create(cl_context context, enum program_origin origin);

/* Frees what the last build left. Locked. */
void program_clear_build(cl_program program);

#endif
