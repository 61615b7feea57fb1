/* The user data of callbacks that are still to come: what of it the program has freed by then.
 * A part of memory.c, under its mutex. */
#ifndef CHECKERS_HOST_MEMORY_USER_DATA_H
#define CHECKERS_HOST_MEMORY_USER_DATA_H

#include "checkers/host/memory/watched.h"

struct user_data;

/* Does it take a callback and user data? */
bool user_data_concerns(uint32_t entry);
/* Such a call is about to be made; or it failed, so that there will be no callback. */
void user_data_given(struct user_data **list, struct watched *watched, const struct api_call *call);
void user_data_forget(struct user_data **list, struct watched *watched, uint64_t call_id);
void user_data_release(struct user_data **list, struct watched *watched);

/* The program frees this memory. */
void user_data_freed(struct user_data *list, const struct use_bytes *bytes,
                     const struct use_origin *now);
/* The callback that the call gave is about to be called. */
void user_data_called(struct user_data **list, struct watched *watched, uint64_t call_id);

#endif
