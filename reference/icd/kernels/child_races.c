#include "reference/icd/kernels/children.h"

#include "checkers/host/commands/clash.h"
#include "reference/icd/kernels/races.h"
#include "trace/base/alloc.h"

struct part {
    uint64_t group;
    struct ordered_command *command;
};

/* What a run did up to where something that another one did came to depend on it. */
struct segment {
    struct ordered_command *command;
    struct touched touched;
};

/* So often is a run cut into segments; then nothing is told of it and of those that it may
 * synchronise with. */
enum { SEGMENTS_MAX = 64 };

struct child_run {
    const struct vm_code *code;
    struct child_origin origin;
    uint64_t number; /* of the runs, from 0 */
    struct ordered_command *start;
    struct ordered_command *rest; /* what groups did that are not told apart, since the last cut */
    struct ordered_command *cut;  /* comes after all before the last cut; NULL = there was none */
    struct segment *segments;
    size_t segment_count, segment_capacity;
    struct touched atomics; /* by it, so far: what is atomic */
    bool hands_on;          /* it has updated something atomically since the last cut */
    bool lost;              /* cut too often, or memory is out */
    bool stepped;           /* it has gone on in steps, whose accesses are in `touched` */
    struct part *groups;
    size_t group_count, group_capacity;
    bool tangled;                  /* touched.h; or who waits for an event needs it as a whole */
    bool is_over;                  /* it has run, or never will */
    struct touched touched;        /* by it, until that can be judged */
    struct ordered_command **ends; /* of the children that have ended */
    size_t end_count, end_capacity;
};

struct child_races {
    struct child_report report;
    struct commands *commands;
    struct commands_queue *queue;
    struct uses *uses;
    struct child_run **runs; /* by number */
    size_t run_count, run_capacity;
    size_t judged_count; /* runs before which all are over: what they touched has been told */
    struct ordered_command **all; /* for their end */
    size_t all_count, all_capacity;
    bool beside_others;
};

/* ---- commands and what comes before them ---- */

struct list {
    struct ordered_command **commands;
    size_t count, capacity;
    bool lost;
};

static void list_add(struct list *list, struct ordered_command *command)
{
    struct ordered_command **grown =
        command ? alloc_grow(list->commands, list->count, &list->capacity, sizeof(*grown)) : NULL;
    list->lost |= command && !grown;
    if (!grown)
        return;
    list->commands = grown;
    grown[list->count++] = command;
}

/* What is still running then is told as a whole. */
static void list_add_parts(struct list *list, struct child_run *run)
{
    run->tangled |= !run->is_over;
    list_add(list, run->rest);
    for (size_t i = 0; i < run->group_count; i++)
        list_add(list, run->groups[i].command);
}

/* A command after those of the list, which is emptied. NULL, when memory is out, counts as ordered
 * with everything. */
static struct ordered_command *add_command(struct child_races *races, struct list *before)
{
    struct ordered_command **grown =
        alloc_grow(races->all, races->all_count, &races->all_capacity, sizeof(*grown));
    struct ordered_command *command = NULL;
    if (grown)
        races->all = grown;
    if (grown && !before->lost)
        command = commands_enqueue(races->commands,
                                   &(struct commands_request){.queue = races->queue,
                                                              .events = before->commands,
                                                              .event_count = before->count});
    if (command)
        grown[races->all_count++] = command;
    alloc_free(before->commands);
    *before = (struct list){0};
    return command;
}

/* ---- what they did ---- */

/* Bytes of what one site did. In fine-grained shared virtual memory a child sees what the work-item
 * that enqueued it did before; nothing is said of that. */
static void add_uses(struct child_races *races, const struct child_run *run,
                     struct ordered_command *command, const struct touched_object *object)
{
    const struct use_origin origin = {
        .function = "enqueue_kernel", .call_id = run->number, .stack = object->site};
    const enum observer_svm svm = vm_memory_find(icd_memory(), object->id)->identity.svm;
    if (svm != OBSERVER_SVM_NONE && svm != OBSERVER_SVM_COARSE)
        return;
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
        struct use use;
        if (!races_make_use(object, (enum touched_kind)kind, &use))
            continue;
        use.guaranteed = true; /* of a kernel and its children */
        if (use.reach == USE_REACHES_ALL)
            use.reach = USE_REACHES; /* the memory is this device's */
        uses_add(races->uses, command, &origin, &use, 1, true);
    }
}

static struct ordered_command *add_part(struct child_races *races, const struct child_run *run)
{
    struct list before = {0};
    list_add(&before, run->start);
    return add_command(races, &before);
}

/* The part of the group, among the first `count`; number `start` is looked at first. NULL = it has
 * none. */
static const struct part *find_part(const struct child_run *run, uint64_t group, size_t start,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &run->groups[(start + i) % count];
        if (part->group == group)
            return part;
    }
    return NULL;
}

/* NULL when memory is out. */
static const struct part *add_group(struct child_races *races, struct child_run *run,
                                    uint64_t group)
{
    struct part *grown =
        alloc_grow(run->groups, run->group_count, &run->group_capacity, sizeof(*grown));
    if (!grown)
        return NULL;
    run->groups = grown;
    grown[run->group_count] = (struct part){group, add_part(races, run)};
    return &grown[run->group_count++];
}

/* Parts for the groups that are told apart; false when memory is out. */
static bool add_groups(struct child_races *races, struct child_run *run,
                       const struct touched *touched)
{
    const size_t count = run->group_count;
    for (size_t i = 0; i < touched->kept_count; i++) {
        const uint64_t group = touched->kept[i].group;
        const bool same = i > 0 && touched->kept[i - 1].group == group;
        if (!same && !find_part(run, group, 0, count) && !add_group(races, run, group))
            return false;
    }
    return true;
}

static void add_all_uses(struct child_races *races, const struct child_run *run,
                         struct ordered_command *command, const struct touched *touched)
{
    size_t last = 0;
    for (size_t i = 0; i < touched->count; i++)
        add_uses(races, run, command, &touched->objects[i]);
    for (size_t i = 0; i < touched->kept_count; i++) {
        const struct touched_object *object = &touched->kept[i];
        const struct part *part = find_part(run, object->group, last, run->group_count);
        last = part ? (size_t)(part - run->groups) : last;
        add_uses(races, run, part ? part->command : command, object);
    }
}

static void add_run(struct child_races *races, const struct child_run *run,
                    const struct touched *touched)
{
    for (size_t i = 0; i < run->segment_count; i++)
        add_all_uses(races, run, run->segments[i].command, &run->segments[i].touched);
    add_all_uses(races, run, run->rest, touched);
}

/* Uses are told in the order in which kernels began: whatever one waits for began before it. */
static void judge(struct child_races *races)
{
    while (races->judged_count < races->run_count && races->runs[races->judged_count]->is_over) {
        struct child_run *run = races->runs[races->judged_count++];
        add_run(races, run, &run->touched);
        touched_release(&run->touched);
    }
}

void child_races_ran(struct child_races *races, struct child_run *run, struct touched *touched)
{
    if (!run)
        return;
    const struct touched *all = run->stepped ? &run->touched : touched;
    const bool apart = !run->tangled && add_groups(races, run, all);
    run->tangled |= all->tangled || !apart;
    run->is_over = true;
    if (run->number > races->judged_count) {
        if (!run->stepped) {
            run->touched = *touched;
            *touched = (struct touched){.apart = true};
        }
        return;
    }
    add_run(races, run, all);
    races->judged_count++;
    judge(races);
}

/* ---- who has read what another one wrote ---- */

/* Kernels that release and acquire may order what others did. Members of a family run in steps, one
 * at a time: so a step can read by atomic operations what others updated in earlier ones. Where it
 * may have, all that those did so far comes before all that it does from this step on. That is more
 * than the letter orders, which knows work-items, orders and values: what is told is a race. */
static bool is_followed(const struct child_run *run)
{
    return run->code && run->code->uses_acquire;
}

static bool is_update(enum touched_kind kind)
{
    return touched_is_atomic(kind) && touched_writes(kind);
}

/* Did an atomic operation of the one use bytes that one of the other wrote? */
static bool objects_meet(const struct touched_object *object, const struct touched_object *written)
{
    for (int i = 0; object->id == written->id && i < TOUCHED_KIND_COUNT * TOUCHED_KIND_COUNT; i++) {
        const enum touched_kind kind = (enum touched_kind)(i / TOUCHED_KIND_COUNT);
        const enum touched_kind other = (enum touched_kind)(i % TOUCHED_KIND_COUNT);
        if (touched_is_atomic(kind) && is_update(other) &&
            touched_meet(object, kind, written, other))
            return true;
    }
    return false;
}

static bool may_read(const struct touched_object *objects, size_t count,
                     const struct child_run *other)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < other->atomics.count; j++) {
            if (objects_meet(&objects[i], &other->atomics.objects[j]))
                return true;
        }
    }
    return false;
}

/* What the run does from now on gets a command of its own, after the list and all that it did. */
static void cut(struct child_races *races, struct child_run *run, struct list *before)
{
    struct segment *grown =
        run->segment_count < SEGMENTS_MAX
            ? alloc_grow(run->segments, run->segment_count, &run->segment_capacity, sizeof(*grown))
            : NULL;
    if (!grown) {
        run->lost = true;
        alloc_free(before->commands);
        *before = (struct list){0};
        return;
    }
    run->segments = grown;
    grown[run->segment_count++] = (struct segment){run->rest, run->touched};
    run->touched = (struct touched){0};
    list_add_parts(before, run);
    run->cut = add_command(races, before);
    list_add(before, run->cut);
    run->rest = add_command(races, before);
    run->tangled = true;
    run->hands_on = false;
}

static void note_atomics(struct child_run *run, const struct touched_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct touched_object object = objects[i];
        object.site = 0;
        object.group = TOUCHED_ALL_GROUPS;
        for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
            run->hands_on |= is_update((enum touched_kind)kind) && object.bits[kind];
            if (!touched_is_atomic((enum touched_kind)kind))
                object.bits[kind] = NULL;
        }
        touched_copy(&run->atomics, &(struct touched){.objects = &object, .count = 1});
    }
    run->lost |= run->atomics.out_of_memory;
}

/* What the other one did that the run does not come after yet is added to the list. */
static void follow(struct child_races *races, const struct child_run *run, struct child_run *other,
                   const struct touched *step, struct list *before)
{
    struct list none = {0};
    if (other == run || !is_followed(other) ||
        (!may_read(step->objects, step->count, other) &&
         !may_read(step->kept, step->kept_count, other)))
        return;
    if (other->hands_on)
        cut(races, other, &none);
    if (other->cut && !command_follows(races->commands, run->rest, other->cut))
        list_add(before, other->cut);
}

void child_races_step(struct child_races *races, struct child_run *run, struct touched *touched,
                      bool ended)
{
    struct list before = {0};
    if (!run || !touched || !is_followed(run))
        return;
    for (size_t i = 0; i < races->run_count; i++)
        follow(races, run, races->runs[i], touched, &before);
    if (before.count > 0 || before.lost)
        cut(races, run, &before);
    note_atomics(run, touched->objects, touched->count);
    note_atomics(run, touched->kept, touched->kept_count);
    run->lost |= touched->out_of_memory;
    if (ended && !run->stepped && run->segment_count == 0)
        return;
    run->stepped = true;
    touched_move(&run->touched, touched);
    for (size_t i = 0; ended && i < run->segment_count; i++)
        touched_copy(touched, &run->segments[i].touched);
    if (ended)
        touched_copy(touched, &run->touched);
}

/* ---- their beginning and end ---- */

/* What the flags of enqueue_kernel put before a child. Without a wait it is not even behind what
 * the work-item did before it enqueued: "only in the case of fine-grained SVM". */
static void list_add_parent(struct child_races *races, struct list *list,
                            const struct child_origin *origin)
{
    struct child_run *parent = origin->parent;
    if (!parent)
        return;
    list_add(list, parent->start);
    const bool waits_for_group = origin->wait == CHILD_WAITS_FOR_GROUP;
    if (origin->wait == CHILD_WAITS_FOR_KERNEL ||
        (waits_for_group && (parent->tangled || origin->tangled))) {
        list_add_parts(list, parent);
    } else if (waits_for_group) {
        const struct part *part = find_part(parent, origin->group, 0, parent->group_count);
        if (!part && !parent->is_over) /* others of its groups run still */
            part = add_group(races, parent, origin->group);
        list->lost |= !part && !parent->is_over;
        list_add(list, part ? part->command : NULL);
    }
}

struct child_run *child_races_begin(struct child_races *races, const struct vm_code *code,
                                    const struct child_origin *origin,
                                    const struct child_event *events, size_t event_count)
{
    struct child_run *run = races ? alloc_zero(1, sizeof(*run)) : NULL;
    struct child_run **grown =
        run ? alloc_grow(races->runs, races->run_count, &races->run_capacity, sizeof(*grown))
            : NULL;
    struct list before = {0};
    if (!grown) {
        alloc_free(run);
        return NULL;
    }
    races->runs = grown;
    run->number = races->run_count;
    grown[races->run_count++] = run;
    list_add_parent(races, &before, origin);
    for (size_t i = 0; i < event_count; i++) {
        list_add(&before, events[i].command);
        if (events[i].setter)
            list_add_parts(&before, events[i].setter);
    }
    run->code = code;
    run->origin = *origin;
    run->start = add_command(races, &before);
    run->rest = add_part(races, run);
    return run;
}

struct ordered_command *child_races_end(struct child_races *races, struct child_run *run)
{
    struct list before = {0};
    if (!run)
        return NULL;
    run->is_over = true;
    judge(races);
    list_add(&before, run->start);
    list_add_parts(&before, run);
    for (size_t i = 0; i < run->end_count; i++)
        list_add(&before, run->ends[i]);
    struct ordered_command *end = add_command(races, &before);
    struct child_run *parent = run->origin.parent;
    void *grown = parent && end ? alloc_grow(parent->ends, parent->end_count, &parent->end_capacity,
                                             sizeof(*parent->ends))
                                : NULL;
    if (grown) {
        parent->ends = grown;
        parent->ends[parent->end_count++] = end;
    }
    return end;
}

/* ---- what is told ---- */

static enum child_relation relation_of(const struct child_run *earlier,
                                       const struct child_run *later)
{
    if (later->origin.parent != earlier)
        return CHILD_OF_OTHERS;
    return later->origin.wait == CHILD_WAITS_FOR_GROUP ? CHILD_WITH_GROUP_WAIT : CHILD_WITHOUT_WAIT;
}

static struct child_side side_of(const struct child_run *run, const struct use_side *side)
{
    return (struct child_side){
        .code = run->code,
        .site = (uint32_t)side->origin->stack,
        .kind = side->kind,
        .parent_code = run->origin.parent ? run->origin.parent->code : NULL,
        .parent_site = run->origin.site,
    };
}

/* By releases and acquires that were not followed to their end, or those of others between. */
static bool may_synchronise(const struct child_races *races, const struct child_run *run,
                            const struct child_run *other)
{
    return is_followed(run) && is_followed(other) &&
           (races->beside_others || run->lost || other->lost);
}

/* Work-groups of one kernel are the business of the rules about its work-items. What was enqueued
 * first is told as the earlier one, whichever ran first: so all schedules tell the same. */
static void report(void *user, const struct uses_conflict *conflict)
{
    const struct child_races *races = user;
    const struct use_side *sides[2] = {&conflict->earlier, &conflict->later};
    const struct child_run *runs[2];
    for (int i = 0; i < 2; i++)
        runs[i] = races->runs[sides[i]->origin->call_id];
    const enum rule_index rule =
        conflict->clash == USES_RACE ? RULE_RACE_CHILD : clash_rule(conflict);
    if (runs[0] == runs[1] || may_synchronise(races, runs[0], runs[1]) ||
        !checks_has(races->report.checks, rule))
        return;
    char what[RACES_WHAT_SIZE];
    races_describe(conflict, what);
    const int first = runs[0]->origin.number > runs[1]->origin.number;
    child_report_race(&races->report, &(struct child_race){
                                          .what = what,
                                          .rule = rule,
                                          .relation = relation_of(runs[first], runs[!first]),
                                          .earlier = side_of(runs[first], sides[first]),
                                          .later = side_of(runs[!first], sides[!first]),
                                      });
}

/* ---- life ---- */

bool child_races_wanted(const struct checks *checks)
{
    return checks_has(checks, RULE_RACE_CHILD) || checks_has(checks, RULE_RACE_ATOMIC_SCOPE) ||
           checks_has(checks, RULE_ATOMIC_SCOPE_UNCLEAR);
}

struct child_races *child_races_create(const struct child_report *report_to, bool beside_others)
{
    struct child_races *races =
        child_races_wanted(report_to->checks) ? alloc_zero(1, sizeof(*races)) : NULL;
    if (!races)
        return NULL;
    races->report = *report_to;
    races->beside_others = beside_others;
    races->commands = commands_create();
    if (races->commands)
        races->queue = commands_queue_create(races->commands, false);
    if (races->queue)
        races->uses = uses_create(races->commands, report, races);
    if (!races->uses) {
        child_races_destroy(races);
        return NULL;
    }
    return races;
}

static void run_destroy(struct child_run *run)
{
    for (size_t i = 0; i < run->segment_count; i++)
        touched_release(&run->segments[i].touched);
    touched_release(&run->touched);
    touched_release(&run->atomics);
    alloc_free(run->segments);
    alloc_free(run->groups);
    alloc_free(run->ends);
    alloc_free(run);
}

void child_races_destroy(struct child_races *races)
{
    if (!races)
        return;
    if (races->uses)
        uses_destroy(races->uses);
    for (size_t i = 0; i < races->all_count; i++)
        command_drop(races->all[i]);
    for (size_t i = 0; i < races->run_count; i++)
        run_destroy(races->runs[i]);
    if (races->queue)
        commands_queue_destroy(races->commands, races->queue);
    commands_destroy(races->commands);
    alloc_free(races->all);
    alloc_free(races->runs);
    alloc_free(races);
}
