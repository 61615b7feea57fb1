#include "trace/api/selection.h"

#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "trace/base/hash.h"

enum why { WHY_KERNELS, WHY_LAUNCHES, WHY_SAMPLE, WHY_TIME_LIMIT, WHY_COUNT };

static const struct {
    enum setting setting;
    const char *reason;
} whys[WHY_COUNT] = {
    [WHY_KERNELS] = {SETTING_KERNELS, "--kernels leaves it out"},
    [WHY_LAUNCHES] = {SETTING_LAUNCHES, "--launches leaves launches out"},
    [WHY_SAMPLE] = {SETTING_SAMPLE, "--sample leaves launches out"},
    [WHY_TIME_LIMIT] = {SETTING_TIME_LIMIT, "--time-limit leaves launches out"},
};

/* How many launches of a kernel the other settings have let pass. */
struct passed {
    uint64_t count;
    UT_hash_handle hh;
    char name[];
};

struct selection {
    bool has_kernels;
    regex_t kernels;
    uint64_t first, last;
    uint64_t every;
    uint64_t time_limit_ns, begin_ns; /* 0 = none; since the first launch */
    pthread_mutex_t mutex;            /* of what follows */
    struct passed *passed;
    uint64_t launches;
    uint64_t left_out[WHY_COUNT];
};

static const char *value_of(enum setting setting)
{
    struct error error;
    const char *value = setting_value(setting);
    if (value[0] == '\0' || setting_check(setting, value, &error) == STATUS_OK)
        return value;
    visible_tell("clerk: %s\n", error.text);
    return setting_get(setting)->initial;
}

struct selection *selection_create(void)
{
    enum { SECOND_NS = 1000000000 };
    struct selection *selection = alloc_zero(1, sizeof *selection);
    if (!selection)
        return NULL;
    const char *kernels = value_of(SETTING_KERNELS);
    pthread_mutex_init(&selection->mutex, NULL);
    selection->has_kernels =
        kernels[0] != '\0' && regcomp(&selection->kernels, kernels, REG_EXTENDED | REG_NOSUB) == 0;
    value_of(SETTING_LAUNCHES); /* says what is wrong */
    setting_range(SETTING_LAUNCHES, &selection->first, &selection->last);
    selection->every = setting_fraction(value_of(SETTING_SAMPLE));
    selection->time_limit_ns = strtoull(value_of(SETTING_TIME_LIMIT), NULL, 10) * SECOND_NS;
    return selection;
}

void selection_destroy(struct selection *selection)
{
    if (!selection)
        return;
    struct passed *each;
    struct passed *next;
    HASH_ITER(hh, selection->passed, each, next)
    {
        HASH_DEL(selection->passed, each);
        alloc_free(each);
    }
    if (selection->has_kernels)
        regfree(&selection->kernels);
    pthread_mutex_destroy(&selection->mutex);
    alloc_free(selection);
}

/* How many launches of the kernel there were before; where memory is out, none. */
static uint64_t pass(struct selection *selection, const char *kernel)
{
    const size_t length = strlen(kernel);
    struct passed *passed = NULL;
    HASH_FIND(hh, selection->passed, kernel, length, passed);
    if (passed)
        return passed->count++;
    passed = alloc_zero(1, sizeof *passed + length + 1);
    if (!passed)
        return 0;
    memcpy(passed->name, kernel, length);
    passed->count = 1;
    HASH_ADD_KEYPTR(hh, selection->passed, passed->name, length, passed);
    return 0;
}

static bool is_over(struct selection *selection)
{
    if (selection->time_limit_ns == 0)
        return false;
    const uint64_t now = clock_monotonic_ns();
    if (selection->begin_ns == 0)
        selection->begin_ns = now;
    return now - selection->begin_ns >= selection->time_limit_ns;
}

/* Locked. WHY_COUNT = it is to be checked. */
static enum why judge(struct selection *selection, const char *kernel)
{
    const uint64_t number = ++selection->launches;
    const bool over = is_over(selection);
    if (selection->has_kernels && regexec(&selection->kernels, kernel, 0, NULL, 0) != 0)
        return WHY_KERNELS;
    if (number < selection->first || number > selection->last)
        return WHY_LAUNCHES;
    if (over)
        return WHY_TIME_LIMIT;
    return selection->every > 1 && pass(selection, kernel) % selection->every != 0 ? WHY_SAMPLE
                                                                                   : WHY_COUNT;
}

const char *selection_leaves_out(struct selection *selection, const char *kernel)
{
    pthread_mutex_lock(&selection->mutex);
    const enum why why = judge(selection, kernel);
    if (why != WHY_COUNT)
        selection->left_out[why]++;
    pthread_mutex_unlock(&selection->mutex);
    return why == WHY_COUNT ? NULL : whys[why].reason;
}

bool selection_describe(struct selection *selection, struct text *text)
{
    uint64_t sum = 0;
    pthread_mutex_lock(&selection->mutex);
    for (size_t i = 0; i < WHY_COUNT; i++)
        sum += selection->left_out[i];
    if (sum > 0)
        text_format(text, "%" PRIu64 " of %" PRIu64 " launch%s %s not checked", sum,
                    selection->launches, selection->launches == 1 ? "" : "es",
                    sum == 1 ? "was" : "were");
    const char *before = ": ";
    for (size_t i = 0; i < WHY_COUNT; i++) {
        if (selection->left_out[i] == 0)
            continue;
        text_format(text, "%s--%s leaves out %" PRIu64, before, setting_get(whys[i].setting)->name,
                    selection->left_out[i]);
        before = ", ";
    }
    pthread_mutex_unlock(&selection->mutex);
    return sum > 0;
}
