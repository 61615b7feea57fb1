#include "reference/icd/kernels/repeats.h"

#include "checkers/schedules.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/perform.h"
#include "reference/vm/code.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Instructions of the first run, and bytes that it may write, up to which it is run again. */
enum { OPERATIONS_MAX = 50000000, KEPT_MAX = 1 << 28 };

struct repeats {
    struct repeats_request request;
    struct findings_turns turns;
    struct vm_kept *kept;
    uint64_t owners; /* as it was before the launch */
    bool is_first;   /* of its kernel and size */
    struct arena arena;
    /* The first output that is another one than the first run's. */
    const char *difference; /* a sentence; NULL = there is none */
    const char *differs;    /* the schedule */
};

/* ---- which have been run ---- */

/* Of how many sizes a kernel is run again: one that has another with each launch would otherwise
 * never have done. */
enum { SIZES_MAX = 16 };

struct size {
    uint64_t global[3], local[3];
};

/* Kernels of one name and shape count as one: a program that builds the same source again has not
 * another kernel. Launches are executed one at a time. */
static struct seen {
    struct seen *next;
    char *name;
    uint32_t instruction_count, frame_units, constant_count;
    struct size sizes[SIZES_MAX];
    uint32_t size_count;
} * all_seen;

static bool is_of(const struct seen *seen, const struct vm_code *code)
{
    return seen->instruction_count == code->instruction_count &&
           seen->frame_units == code->frame_units && seen->constant_count == code->constant_count &&
           strcmp(seen->name, code->name) == 0;
}

/* NULL when memory is out. */
static struct seen *find_seen(const struct vm_code *code)
{
    struct seen *seen = all_seen;
    while (seen && !is_of(seen, code))
        seen = seen->next;
    if (seen)
        return seen;
    seen = alloc_zero(1, sizeof *seen);
    char *name = alloc_string(code->name);
    if (!seen || !name) {
        alloc_free(seen);
        alloc_free(name);
        return NULL;
    }
    *seen = (struct seen){.next = all_seen,
                          .name = name,
                          .instruction_count = code->instruction_count,
                          .frame_units = code->frame_units,
                          .constant_count = code->constant_count};
    return all_seen = seen;
}

/* Is it the first of its kernel and size? */
static bool is_first(const struct sched_launch *launch)
{
    struct seen *seen = find_seen(launch->code);
    struct size size;
    memcpy(size.global, launch->global_size, sizeof size.global);
    memcpy(size.local, launch->local_size, sizeof size.local);
    for (uint32_t i = 0; seen && i < seen->size_count; i++) {
        if (memcmp(&seen->sizes[i], &size, sizeof size) == 0)
            return false;
    }
    if (!seen || seen->size_count == SIZES_MAX)
        return false;
    seen->sizes[seen->size_count++] = size;
    return true;
}

/* ---- what is given up ---- */

enum loss { LOSS_LONG, LOSS_LARGE, LOSS_MEMORY, LOSS_EARLY, LOSS_IN_PART, LOSS_COUNT };

static const char *const loss_words[LOSS_COUNT] = {
    [LOSS_LONG] =
        "launches of more than 50 million instructions were not run under other schedules",
    [LOSS_LARGE] = "launches that may write more than 256 MiB were not run under other schedules",
    [LOSS_MEMORY] = "memory ran out, and launches were not run under other schedules",
    [LOSS_EARLY] = "under other schedules launches were ended early",
    [LOSS_IN_PART] = "under other schedules launches were looked at in part",
};

/* By kind: the kernels, of which so many are named. */
enum { NAMED_MAX = 3 };
static struct lost {
    char *names[NAMED_MAX];
    uint32_t count;
    bool more;
} losses[LOSS_COUNT];
static pthread_mutex_t losses_lock = PTHREAD_MUTEX_INITIALIZER;

static void lose(const struct repeats_request *request, enum loss kind)
{
    struct lost *lost = &losses[kind];
    const char *name = request->launch->code->name;
    bool known = false;
    pthread_mutex_lock(&losses_lock);
    for (uint32_t i = 0; i < lost->count; i++)
        known |= strcmp(lost->names[i], name) == 0;
    char *copy = !known && lost->count < NAMED_MAX ? alloc_string(name) : NULL;
    if (copy)
        lost->names[lost->count++] = copy;
    lost->more |= !known && !copy;
    pthread_mutex_unlock(&losses_lock);
}

void repeats_describe(sink_sentence *tell, void *user)
{
    pthread_mutex_lock(&losses_lock);
    for (int kind = 0; kind < LOSS_COUNT; kind++) {
        const struct lost *lost = &losses[kind];
        struct text sentence = TEXT_INIT;
        if (lost->count == 0 && !lost->more)
            continue;
        text_format(&sentence, "%s: ", loss_words[kind]);
        for (uint32_t i = 0; i < lost->count; i++)
            text_format(&sentence, "%s'%s'", i > 0 ? ", " : "", lost->names[i]);
        text_append(&sentence, lost->more ? " and others" : "");
        tell(user, sentence.failed ? loss_words[kind] : sentence.bytes);
        text_release(&sentence);
    }
    pthread_mutex_unlock(&losses_lock);
}

/* ---- its memory ---- */

static bool is_shared(const struct vm_object *object, uint32_t kinds)
{
    return object->identity.svm != OBSERVER_SVM_NONE && kinds >> object->identity.svm & 1 &&
           object->root == object;
}

/* Gives the numbers of what the launch may write: those of arguments, of what is listed, of
 * variables of program scope, and shared virtual memory of kinds that it may use all of. NULL when
 * memory is out. The caller frees it. */
static uint32_t *list_written(const struct repeats_request *request, size_t *count)
{
    const struct sched_launch *launch = request->launch;
    const struct vm_code *code = launch->code;
    const struct vm_object *object;
    size_t shared_count = 0;
    for (uint32_t n = 1; launch->svm_kinds && (object = vm_memory_find(launch->memory, n)); n++)
        shared_count += is_shared(object, launch->svm_kinds);
    uint32_t *written = alloc_zero(request->object_count + request->variable_count + shared_count,
                                   sizeof(*written));
    *count = 0;
    if (!written)
        return NULL;
    for (size_t i = 0; i < request->object_count; i++) {
        const struct vm_parameter *parameter =
            i < code->parameter_count ? &code->parameters[i] : NULL;
        if (!parameter || (!parameter->only_read && !parameter->read_only))
            written[(*count)++] = request->objects[i];
    }
    for (size_t i = 0; i < request->variable_count; i++)
        written[(*count)++] = request->variables[i];
    for (uint32_t n = 1; shared_count > 0; n++) {
        if (!is_shared(vm_memory_find(launch->memory, n), launch->svm_kinds))
            continue;
        written[(*count)++] = n;
        shared_count--;
    }
    return written;
}

/* False: that would be too much. */
static bool keep_memory(struct repeats *repeats)
{
    const struct vm_memory *memory = repeats->request.launch->memory;
    size_t count;
    icd_lock();
    uint32_t *written = list_written(&repeats->request, &count);
    const bool fits = written && vm_memory_kept_size(memory, written, count) <= KEPT_MAX;
    if (fits)
        repeats->kept = vm_memory_keep(memory, written, count);
    icd_unlock();
    if (!repeats->kept)
        lose(&repeats->request, written && !fits ? LOSS_LARGE : LOSS_MEMORY);
    alloc_free(written);
    return repeats->kept != NULL;
}

/* ---- outputs ---- */

/* How a value of a type is shown: the names that arguments have in OpenCL C. */
static const struct scalar {
    const char *name;
    uint32_t size;
    char kind; /* i, u or f */
} scalars[] = {
    {"char", 1, 'i'}, {"uchar", 1, 'u'}, {"short", 2, 'i'}, {"ushort", 2, 'u'}, {"int", 4, 'i'},
    {"uint", 4, 'u'}, {"long", 8, 'i'},  {"ulong", 8, 'u'}, {"float", 4, 'f'},  {"double", 8, 'f'},
};
static const struct scalar a_byte = {"byte", 1, 'u'};

/* What the elements of the argument are; bytes where that is not a matter of a word. */
static const struct scalar *scalar_of(const struct vm_parameter *parameter)
{
    static const char atomic[] = "atomic_";
    const char *name = parameter->type_name;
    if (strncmp(name, atomic, strlen(atomic)) == 0)
        name += strlen(atomic);
    const size_t length = strcspn(name, "*");
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (strlen(scalars[i].name) == length && strncmp(scalars[i].name, name, length) == 0)
            return &scalars[i];
    }
    return &a_byte;
}

static void print_value(const struct scalar *scalar, const uint8_t *bytes, struct text *text)
{
    uint64_t bits = 0;
    float single;
    double value;
    memcpy(&bits, bytes, scalar->size);
    if (scalar->kind == 'f' && scalar->size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        text_format(text, "%.9g", (double)single);
    } else if (scalar->kind == 'f') {
        memcpy(&value, bytes, sizeof value);
        text_format(text, "%.17g", value);
    } else if (scalar->kind == 'i') {
        const uint32_t unused = 64 - scalar->size * 8;
        text_format(text, "%" PRIi64, (int64_t)(bits << unused) >> unused);
    } else {
        text_format(text, "%" PRIu64, bits);
    }
}

static void note_difference(struct repeats *repeats, uint32_t index, uint64_t element,
                            const uint8_t *first, const uint8_t *second, const char *schedule)
{
    const struct vm_code *code = repeats->request.launch->code;
    const struct scalar *scalar = scalar_of(&code->parameters[index]);
    struct text text = TEXT_INIT;
    text_format(
        &text, "argument %" PRIu32 " ('%s') of kernel '%s' ends with other values under %s:", index,
        code->parameters[index].name, code->name, schedule);
    text_format(&text, " %s %" PRIu64 " is ", scalar == &a_byte ? "byte" : "element", element);
    print_value(scalar, second, &text);
    text_append(&text, ", and was ");
    print_value(scalar, first, &text);
    text_append(&text, " under asc");
    repeats->differs = schedule;
    repeats->difference = text.failed ? NULL : arena_string(&repeats->arena, text.bytes);
    text_release(&text);
}

/* Notes where the output is another one than that of the first run, which is still in memory. */
static void compare_output(struct repeats *repeats, const struct vm_memory *memory, uint32_t index,
                           const char *schedule)
{
    const struct sched_launch *launch = repeats->request.launch;
    const struct sched_argument *argument = &launch->arguments[index];
    const struct vm_object *first = vm_memory_find(launch->memory, argument->object);
    const struct vm_object *second = vm_memory_find(memory, argument->object);
    if (launch->code->parameters[index].kind != VM_PARAMETER_GLOBAL || !second || second->sealed ||
        second->freed || first->freed)
        return;
    const uint32_t size = scalar_of(&launch->code->parameters[index])->size;
    uint64_t at = argument->offset;
    while (at < first->size && first->bytes[at] == second->bytes[at])
        at++;
    const uint64_t element = (at - argument->offset) / size;
    const uint64_t start = argument->offset + element * size;
    if (at < first->size && first->size - start >= size)
        note_difference(repeats, index, element, first->bytes + start, second->bytes + start,
                        schedule);
}

static void compare_outputs(struct repeats *repeats, const struct vm_memory *memory,
                            const char *schedule)
{
    const struct vm_code *code = repeats->request.launch->code;
    for (uint32_t i = 0; i < code->parameter_count && !repeats->difference; i++)
        compare_output(repeats, memory, i, schedule);
}

/* Outputs that differ, though nothing wrong was found. */
static void tell_difference(const struct repeats *repeats)
{
    const struct repeats_request *request = &repeats->request;
    const char *kernel = request->launch->code->name;
    const struct finding_place place = {
        .kind = FINDING_PLACE_KERNEL, .label = "this kernel", .function = kernel};
    if (!repeats->difference || repeats->turns.warned ||
        !checks_has(&request->options->checks, RULE_SCHEDULE_DEPENDENT))
        return;
    findings_receive(
        NULL,
        &(struct finding){.rule = RULE_SCHEDULE_DEPENDENT,
                          .message = repeats->difference,
                          .reason = "no data race was found in either run, so it is the order of "
                                    "atomic operations, or what they return, that makes the "
                                    "difference",
                          .kernel = kernel,
                          .schedule = repeats->differs,
                          .places = &place,
                          .place_count = 1,
                          .call_id = request->launch->call_id,
                          .count = 1});
}

/* ---- runs ---- */

/* What is printed was printed before. */
static void print_nothing(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
}

/* NULL when memory is out. */
static struct vm_memory *copy_memory(const struct repeats *repeats)
{
    icd_lock();
    struct vm_memory *copy = vm_memory_create_copy(repeats->request.launch->memory, repeats->kept);
    icd_unlock();
    if (!copy)
        lose(&repeats->request, LOSS_MEMORY);
    return copy;
}

/* Runs it on the copy. `spent`: it was ended early. */
static cl_int run_on(const struct repeats *repeats, struct vm_memory *copy,
                     const struct observer *observer, const char *schedule, uint64_t most,
                     bool *spent)
{
    struct sched_launch launch = *repeats->request.launch;
    struct sched_budget budget = {.operations = most};
    uint64_t owners = repeats->owners;
    uint64_t cost = 0;
    options_put_schedule(&launch, schedule);
    launch.memory = copy;
    launch.observer = observer;
    launch.scouts = NULL;
    launch.run_others = NULL;
    launch.mixes = false;
    launch.budget = &budget;
    launch.owners = &owners;
    launch.print = print_nothing;
    const cl_int status = launch_perform(&launch, &cost);
    *spent = budget.spent;
    if (budget.spent)
        lose(&repeats->request, LOSS_EARLY);
    return status;
}

/* Was it run to its end, and looked at? */
static bool run_under(struct repeats *repeats, const char *schedule, uint64_t most)
{
    const struct repeats_request *request = &repeats->request;
    struct vm_memory *copy = copy_memory(repeats);
    bool spent;
    if (!copy)
        return false;
    const struct observer *observer = findings_observer(request->options, NULL);
    findings_begin_turn(&repeats->turns);
    const cl_int status = run_on(repeats, copy, observer, schedule, most, &spent);
    const bool complete = findings_end_turn(&repeats->turns, schedule);
    if (!complete)
        lose(request, LOSS_IN_PART);
    if (status == CL_SUCCESS && complete && !request->options->meter)
        compare_outputs(repeats, copy, schedule);
    vm_memory_destroy_copy(copy);
    return status == CL_SUCCESS && complete && !spent;
}

/* ---- predictions ---- */

/* Races that only reads hide on which nothing depends, and what would be told of each: NULL when
 * memory was out. */
struct predictions {
    struct arena arena;
    struct kernel_prediction races[KERNEL_EXPECTED_MAX];
    struct finding *findings[KERNEL_EXPECTED_MAX];
    uint32_t count;
};

static void take_prediction(void *user, const struct kernel_prediction *what,
                            const struct finding *finding)
{
    struct predictions *predictions = user;
    if (predictions->count == KERNEL_EXPECTED_MAX)
        return;
    predictions->races[predictions->count] = *what;
    predictions->findings[predictions->count++] = finding_copy(&predictions->arena, finding);
}

static void find_predictions(const struct repeats *repeats, struct predictions *predictions,
                             uint64_t most)
{
    const struct observer *observer = findings_predictor(take_prediction, predictions);
    struct vm_memory *copy = observer ? copy_memory(repeats) : NULL;
    bool spent;
    if (!copy)
        return;
    run_on(repeats, copy, observer, "asc", most, &spent);
    vm_memory_destroy_copy(copy);
}

/* Whoever releases what came first waits until the reader has gone on. True: that was looked at,
 * and the two did not race. */
static bool is_not_shown(struct repeats *repeats, const struct kernel_prediction *what,
                         uint64_t most)
{
    const uint64_t *size = repeats->request.launch->local_size;
    const uint64_t item = what->group * (size[0] * size[1] * size[2]) + what->item;
    const char *schedule =
        arena_format(&repeats->arena, "hold:%" PRIu64 ":%" PRIu32, item, what->operation);
    findings_expect(what, 1);
    const bool complete = schedule && run_under(repeats, schedule, most);
    return complete && !findings_have_shown();
}

/* A race is told if a run shows it; else, if none shows any, that there may be one. */
static void show(struct repeats *repeats, const struct predictions *predictions, uint64_t most)
{
    bool open[KERNEL_EXPECTED_MAX] = {0};
    for (uint32_t i = 0; i < predictions->count && !repeats->turns.wrong; i++)
        open[i] = is_not_shown(repeats, &predictions->races[i], most);
    for (uint32_t i = 0; i < predictions->count && !repeats->turns.wrong; i++) {
        if (open[i] && predictions->findings[i] &&
            checks_has(&repeats->request.options->checks, RULE_ACQUIRE_UNUSED))
            findings_receive(NULL, predictions->findings[i]);
    }
}

static bool may_predict(const struct repeats *repeats)
{
    const struct repeats_request *request = &repeats->request;
    const struct checks *checks = &request->options->checks;
    return request->launch->code->has_inert_reads && repeats->is_first && !repeats->turns.wrong &&
           (checks_has(checks, RULE_RACE_GLOBAL) || checks_has(checks, RULE_RACE_LOCAL));
}

static void run_all(struct repeats *repeats, uint64_t operations)
{
    const struct launch_options *options = repeats->request.options;
    const uint64_t most = schedules_budget(operations, options->sched.operation_limit);
    const uint32_t pct_count = options->meter ? 0 : options->pct_count;
    struct predictions predictions = {0};
    if (may_predict(repeats)) {
        find_predictions(repeats, &predictions, most);
        findings_expect(predictions.races, predictions.count);
    }
    if (repeats->is_first && !options->meter)
        run_under(repeats, SCHEDULES_TURNS, most);
    for (uint32_t seed = 1; seed <= pct_count && !repeats->turns.wrong; seed++) {
        const char *schedule =
            arena_format(&repeats->arena, "pct:%d:%" PRIu32, SCHEDULES_PCT_DEPTH, seed);
        if (schedule)
            run_under(repeats, schedule, most);
    }
    if (!options->meter || options->meter->predicts == SINK_PREDICTS_RACES) {
        show(repeats, &predictions, most);
        findings_expect(NULL, 0);
    }
    arena_release(&predictions.arena);
}

/* ---- a launch ---- */

static bool may_repeat(const struct repeats_request *request)
{
    const struct launch_options *options = request->options;
    const struct sched_launch *launch = request->launch;
    const struct vm_code *code = launch->code;
    const bool wanted =
        options->meter ? options->meter->predicts != SINK_PREDICTS_NOTHING && code->has_inert_reads
                       : options->repeats;
    return code->communicates && wanted && !launch->debugger && !options->sched.items &&
           options->sched.order == SCHED_ASCENDING &&
           checks_has_any(&options->checks, RULE_WHERE_KERNEL) && code->device_call_count == 0 &&
           !request->is_beside_host;
}

static bool has_pipes(const struct vm_code *code)
{
    bool has = false;
    for (uint32_t i = 0; i < code->parameter_count; i++)
        has |= code->parameters[i].kind == VM_PARAMETER_PIPE;
    for (uint32_t i = 0; i < code->instruction_count; i++)
        has |= (vm_op_traits((enum vm_op)code->instructions[i].op) & VM_PIPE) != 0;
    return has;
}

static void repeats_destroy(struct repeats *repeats)
{
    findings_turns_release(&repeats->turns);
    vm_kept_destroy(repeats->kept);
    arena_release(&repeats->arena);
    alloc_free(repeats);
}

struct repeats *repeats_begin(const struct repeats_request *request)
{
    if (!may_repeat(request))
        return NULL;
    const bool first = request->options->meter || is_first(request->launch);
    if ((!first && request->options->pct_count == 0) || has_pipes(request->launch->code))
        return NULL;
    struct repeats *repeats = alloc_zero(1, sizeof(*repeats));
    if (!repeats)
        return NULL;
    repeats->request = *request;
    repeats->is_first = first;
    repeats->owners = __atomic_load_n(request->launch->owners, __ATOMIC_RELAXED);
    if (!keep_memory(repeats)) {
        repeats_destroy(repeats);
        return NULL;
    }
    findings_follow(&repeats->turns);
    return repeats;
}

void repeats_end(struct repeats *repeats, cl_int status, uint64_t operations)
{
    if (!repeats)
        return;
    struct vm_memory *memory = repeats->request.launch->memory;
    const bool is_long = operations >= OPERATIONS_MAX;
    if (status == CL_SUCCESS && is_long)
        lose(&repeats->request, LOSS_LONG);
    if (status == CL_SUCCESS && !is_long && !repeats->turns.wrong &&
        !vm_memory_met_system(memory)) { /* of which nothing is kept */
        vm_memory_begin_launch(memory);
        run_all(repeats, operations);
        vm_memory_end_launch(memory);
    }
    findings_follow(NULL);
    tell_difference(repeats);
    repeats_destroy(repeats);
}
