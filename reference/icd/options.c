/* The device's settings. */
#include "reference/icd/options.h"

#include "reference/icd/exports.h"
#include "reference/limits/limits.h"
#include "reference/native/native.h"
#include "reference/sched/pool.h"
#include "reference/vm/exec.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"

#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct launch_options current;
static bool real_time;
static uint32_t device_count = 1;

/* What follows the word and a colon; NULL: it is another one. */
static const char *behind(const char *value, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(value, word, length) == 0 && value[length] == ':' ? value + length + 1 : NULL;
}

static uint32_t take_number(const char *text)
{
    const unsigned long long number = strtoull(text, NULL, 10);
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void put_order(struct sched_launch *launch, const char *value)
{
    const char *seed = behind(value, "seed");
    launch->order = seed                         ? SCHED_SEEDED
                    : strcmp(value, "desc") == 0 ? SCHED_DESCENDING
                                                 : SCHED_ASCENDING;
    if (seed)
        launch->seed = strtoull(seed, NULL, 10);
}

/* "K:N". */
static void put_held(struct sched_launch *launch, const char *held)
{
    const uint32_t before = take_number(strchr(held, ':') + 1);
    launch->holds = true;
    launch->held = strtoull(held, NULL, 10);
    launch->held_before = before > 0 ? before : 1;
}

/* "asc", "desc" or "seed:K"; "items" with or without a colon and one of these; "turns:N",
 * "pct:N:K" or "hold:K:N". */
void options_put_schedule(struct sched_launch *launch, const char *schedule)
{
    const char *const of_items = behind(schedule, "items");
    const char *const turn = behind(schedule, "turns");
    const char *const depth = behind(schedule, "pct");
    const char *const held = behind(schedule, "hold");
    launch->items = of_items || turn || depth || held || strcmp(schedule, "items") == 0;
    launch->turn = turn ? take_number(turn) : depth || held;
    launch->depth = depth ? take_number(depth) : 0;
    put_order(launch, of_items ? of_items : schedule);
    if (depth)
        launch->seed = strtoull(strchr(depth, ':') + 1, NULL, 10);
    launch->holds = false;
    if (held)
        put_held(launch, held);
}

/* "auto", "0" or a number. */
static void set_schedules(const char *value)
{
    current.repeats = strcmp(value, "0") != 0;
    current.pct_count = strcmp(value, "auto") == 0 ? 0 : take_number(value);
}

/* "auto" or a number. */
static void set_workers(const char *value)
{
    const unsigned long long number = strtoull(value, NULL, 10);
    current.sched.workers = number == 0                 ? pool_processors()
                            : number < POOL_THREADS_MAX ? (uint32_t)number
                                                        : POOL_THREADS_MAX;
}

static enum status set_machine(const char *value, struct error *error)
{
    if (strcmp(value, "auto") == 0 || vm_machine_select(value))
        return STATUS_OK;
    return error_set(error, STATUS_INVALID, "this processor has not the instruction set '%s'",
                     value);
}

/* On a device of the other byte order, which is there to find what depends on it, rules about that
 * are usual. */
static enum status set_checks(const char *value, struct error *error)
{
    const bool has_usual = value[0] == '-' || strncmp(value, "usual", 5) == 0;
    char *list =
        limits_personality()->big_endian && has_usual
            ? alloc_format("usual,portability-cast,portability-swizzle,portability-pun,%s", value)
            : NULL;
    const enum status status = checks_parse(list ? list : value, &current.checks, error);
    alloc_free(list);
    return status;
}

static enum status apply(enum setting setting, const char *value, struct error *error)
{
    const enum status status = setting_check(setting, value, error);
    if (status != STATUS_OK)
        return status;
    switch (setting) {
    case SETTING_SCHEDULE:
        options_put_schedule(&current.sched, value);
        return STATUS_OK;
    case SETTING_SCHEDULES:
        set_schedules(value);
        return STATUS_OK;
    case SETTING_SUB_GROUP_SIZE:
        current.sched.sub_group_size = (uint32_t)strtoul(value, NULL, 10);
        return STATUS_OK;
    case SETTING_WORKERS:
        set_workers(value);
        return STATUS_OK;
    case SETTING_SHUFFLE_WORKERS:
        current.sched.shuffle_workers = (uint32_t)strtoul(value, NULL, 10);
        return STATUS_OK;
    case SETTING_INSTRUCTION_SET:
        return set_machine(value, error);
    case SETTING_OPERATION_LIMIT:
        current.sched.operation_limit = strtoull(value, NULL, 10);
        return STATUS_OK;
    case SETTING_SCOPE_RULE:
        current.sched.wide_scopes = strcmp(value, "3.1") == 0;
        return STATUS_OK;
    case SETTING_SEQ_CST_RULE:
        current.sched.seq_cst_alone = strcmp(value, "one") == 0;
        return STATUS_OK;
    case SETTING_NATIVE:
        native_set_mode(strcmp(value, "off") == 0      ? NATIVE_OFF
                        : strcmp(value, "always") == 0 ? NATIVE_ALWAYS
                                                       : NATIVE_AUTO);
        return STATUS_OK;
    case SETTING_CHECKS:
        return set_checks(value, error);
    default:
        return error_set(error, STATUS_INVALID, "%s cannot be set on a running device",
                         setting_get(setting)->name);
    }
}

static void init(void)
{
    static const enum setting settings[] = {
        SETTING_SCHEDULE,        SETTING_SCHEDULES,      SETTING_SUB_GROUP_SIZE,
        SETTING_OPERATION_LIMIT, SETTING_SCOPE_RULE,     SETTING_SEQ_CST_RULE,
        SETTING_NATIVE,          SETTING_CHECKS,         SETTING_WORKERS,
        SETTING_SHUFFLE_WORKERS, SETTING_INSTRUCTION_SET};
    current.sched.sub_group_size = 32;
    checks_set_all(&current.checks);
    current.sched.wide_scopes = limits_has_3_1();
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        struct error error;
        const char *value = setting_value(settings[i]);
        if (value[0] != '\0' && apply(settings[i], value, &error) != STATUS_OK)
            visible_tell("clerk: %s\n", error.text);
    }
    const uint64_t sub_group_size = limits_personality()->sub_group_size;
    if (sub_group_size != 0)
        current.sched.sub_group_size = (uint32_t)sub_group_size;
    real_time = setting_is_set(SETTING_REAL_TIME);
    struct error error;
    const char *devices = setting_value(SETTING_DEVICES);
    if (setting_check(SETTING_DEVICES, devices, &error) == STATUS_OK)
        device_count = (uint32_t)strtoul(devices, NULL, 10);
    else
        visible_tell("clerk: %s\n", error.text);
}

struct launch_options options_launch(void)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    const struct launch_options options = current;
    pthread_mutex_unlock(&mutex);
    return options;
}

bool options_real_time(void)
{
    pthread_once(&once, init);
    return real_time;
}

uint32_t options_device_count(void)
{
    pthread_once(&once, init);
    return device_count;
}

int32_t options_set(const char *name, const char *value)
{
    pthread_once(&once, init);
    const enum setting setting = name && value ? setting_find(name) : SETTING_COUNT;
    if (setting == SETTING_COUNT)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&mutex);
    const enum status status = apply(setting, value, NULL);
    pthread_mutex_unlock(&mutex);
    return status == STATUS_OK ? CL_SUCCESS : CL_INVALID_VALUE;
}

void clerk_set_exploring(const struct sink_exploring *exploring)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    current.exploring = exploring;
    pthread_mutex_unlock(&mutex);
}

void clerk_set_meter(struct sink_meter *meter)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    current.meter = meter;
    pthread_mutex_unlock(&mutex);
}

void clerk_set_profiling(const struct sink_profiling *profiling)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    current.profiling = profiling;
    pthread_mutex_unlock(&mutex);
}

void clerk_set_child_sink(sink_child *tell, void *user)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    current.tell_child = tell;
    current.child_user = user;
    pthread_mutex_unlock(&mutex);
}

void clerk_set_printing(sink_print *print, void *user)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&mutex);
    current.sched.print = print;
    current.sched.user = user;
    pthread_mutex_unlock(&mutex);
}

void clerk_try_native(sink_native *tell, void *user)
{
    struct text sentence = TEXT_INIT;
    const bool works = native_try(&sentence);
    tell(user, works, sentence.bytes);
    text_release(&sentence);
}
