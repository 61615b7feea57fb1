/* The inside of the host checker, shared by its files.
 *
 * At creation each entry point gets a *plan*: the steps that judge a call of it, made from the
 * roles of its parameters (plan.c) and from the rows of conditions.def. A step is a function with
 * its parameters, so a new rule is a new row or a new function, and a call runs only the steps that
 * concern it. */
#ifndef CHECKERS_HOST_CHECKER_H
#define CHECKERS_HOST_CHECKER_H

#include "checkers/host/host.h"
#include "checkers/host/object.h"
#include "checkers/host/repeat.h"
#include "checkers/host/svm.h"
#include "trace/api/entry.h"

#include <stdatomic.h>

struct host_commands;
struct judged;

/* One thing to judge of a call. Which members mean what is the function's business. */
struct step {
    void (*judge)(struct judged *judged, const struct step *step);
    enum rule_index rule; /* of conditions */
    int32_t error;        /* what the entry point returns */
    uint8_t argument;     /* index of the parameter that a finding names */
    uint8_t other;        /* another parameter, or API_PARAMETER_NONE */
};

struct plan {
    struct step *steps; /* in the checker's arena */
    size_t count;
    bool counts;  /* the call retains or releases its first argument, and that is all it does */
    bool teaches; /* objects may be learned from its result or OUT arguments */
    bool concerns_commands; /* host_commands_concern */
};

struct host_checker {
    struct host_options options;
    struct object_table *objects;
    struct repeats *repeats;
    struct svm_table *svm;
    struct host_commands *commands; /* NULL: no rule about them is on */
    struct arena arena;
    struct plan plans[API_ENTRY_COUNT];
    /* Objects may be there that we did not see: the options say so, or the program obtained
     * extension functions that may make or end objects behind our back. */
    atomic_bool blind;
};

/* A call under judgement. */
struct judged {
    struct host_checker *checker;
    const struct api_call *call;
    const struct api_entry_info *info;
    struct host_verdict *verdict;
    uint64_t context; /* serial of the context of an enqueuing call's queue; 0 = unknown, or no such
                         call */
};

/* Fills checker->plans; false when memory is out. */
bool plan_make_all(struct host_checker *checker);

/* ---- steps by role (judge_handle.c, judge_argument.c) ---- */
void judge_handle(struct judged *judged, const struct step *step);
void judge_handles(struct judged *judged, const struct step *step);
void judge_wait_list(struct judged *judged, const struct step *step);
void judge_required_pointer(struct judged *judged, const struct step *step);
void judge_list(struct judged *judged, const struct step *step);
/* ---- steps of conditions.def ---- */
void judge_zero(struct judged *judged, const struct step *step);
void judge_region_zero(struct judged *judged, const struct step *step);
void judge_sub_buffer_size(struct judged *judged, const struct step *step);
void judge_count_without_list(struct judged *judged, const struct step *step);
void judge_both_null(struct judged *judged, const struct step *step);

/* ---- findings (blame.c) ---- */

/* What is wrong with a call; strings live until blame_call returns. */
struct blame {
    enum rule_index rule;
    int32_t error;                     /* CL_... that the entry point returns */
    uint8_t argument;                  /* index of the parameter */
    int64_t element;                   /* of a list; -1 = the parameter itself */
    const struct object_facts *object; /* whose creation and release are places; NULL = none */
    bool refuse;                       /* even without fail_calls */
    const char *reason;                /* NULL = what the entry point returns */
};

/* Is the rule on? To be asked before a message is made. */
bool blame_wanted(const struct judged *judged, enum rule_index rule);
/* Reports a finding about one argument: "clFoo: ARGUMENT " and the message. Sets the verdict. */
void blame_call(struct judged *judged, const struct blame *blame, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "buffer#3 (4096 bytes)" */
void blame_print_object(const struct object_facts *facts, struct text *text);
/* Reports an object that was never released; `count` of them were made in the same place. */
void blame_leak(struct host_checker *checker, const struct object_facts *first, uint64_t count);

/* What a call did to objects (learn.c): after it came back. */
void learn_from_call(struct host_checker *checker, const struct api_call *call,
                     const struct api_entry_info *info);

/* What it taught of their traits (learn_traits.c); it succeeded. */
void learn_traits(struct host_checker *checker, const struct api_call *call);
/* Does it teach any? */
bool teaches_traits(uint32_t entry);

/* CL_INVALID_MEM_OBJECT ... for a handle of this kind that is not one. */
int32_t handle_error(enum api_object_kind kind);
/* The stack of the running call as options.capture_stack gives it; 0 = none. */
uint64_t checker_stack(struct host_checker *checker);

#endif
