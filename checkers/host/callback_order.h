/* Objects that one callback of an event makes and another one uses. OpenCL calls them in any order,
 * so that the second may come first. Whether the program then does without the object is not seen:
 * what is found is a note. Any thread. */
#ifndef CHECKERS_HOST_CALLBACK_ORDER_H
#define CHECKERS_HOST_CALLBACK_ORDER_H

#include "trace/api/call.h"
#include "trace/base/spin.h"

#include <stdatomic.h>
#include <stdint.h>

struct host_checker;
struct judged;

enum { CALLBACK_BIRTHS = 64 };

/* The objects that were made last in callbacks of events that have several: what is older is
 * forgotten, and nothing said of it. */
struct callback_births {
    struct spin lock;
    _Atomic uint32_t count; /* ever made: the next one has the place count % CALLBACK_BIRTHS */
    struct callback_birth {
        uint64_t handle, serial; /* 0 = none */
        uint64_t event_serial;
        struct api_event_callback callback; /* in which it was made */
    } births[CALLBACK_BIRTHS];
};

/* A call that is made in a callback of an event is about to be made; has come back. */
void judge_callback_order(struct judged *judged);
void learn_callback_order(struct host_checker *checker, const struct api_call *call);

#endif
