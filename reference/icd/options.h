/* The device's settings: from the environment, then from clSetDeviceOptionCLERK. */
#ifndef REFERENCE_ICD_OPTIONS_H
#define REFERENCE_ICD_OPTIONS_H

#include "checkers/checks.h"
#include "checkers/sink.h"
#include "reference/sched/ndrange.h"

#include <stdbool.h>
#include <stdint.h>

/* What a launch takes with it when it is enqueued. */
struct launch_options {
    struct sched_launch sched; /* its options; the launch fills in the rest */
    struct checks checks;
    const struct sink_exploring *exploring; /* NULL = the launch is executed */
    struct sink_meter *meter;               /* NULL = none */
    const struct sink_profiling *profiling; /* NULL = none */
    sink_child *tell_child;                 /* NULL = nobody wants to know */
    void *child_user;
    bool repeats;       /* launches under further schedules, as kernels/repeats.h has it */
    uint32_t pct_count; /* each launch under so many of pct:N:K besides */
};

/* Gives it the schedule, a valid value of SETTING_SCHEDULE. */
void options_put_schedule(struct sched_launch *launch, const char *schedule);

/* Any thread. Values of the environment that are wrong are named once on standard error, and the
 * defaults taken. */
struct launch_options options_launch(void);
bool options_real_time(void);
/* How many root devices there are: 1 to 8. */
uint32_t options_device_count(void);

/* 0, or CL_INVALID_VALUE. */
int32_t options_set(const char *name, const char *value);

#endif
