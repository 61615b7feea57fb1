#include "reference/icd/kernels/children.h"

#include "checkers/host/commands/clash.h"
#include "reference/icd/kernels/races.h"
#include "trace/base/alloc.h"

struct part {
    uint64_t group;
    struct ordered_command *command;
};

struct child_run {
    const struct vm_code *code;
    struct child_origin origin;
    uint64_t number; /* of the runs, from 0 */
    struct ordered_command *start;
    struct ordered_command *rest; /* what groups did that are not told apart */
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
        uses_add(races->uses, command, &origin, &use, 1, true);
    }
}

static struct ordered_command *add_part(struct child_races *races, const struct child_run *run)
{
    struct list before = {0};
    list_add(&before, run->start);
    return add_command(races, &before);
}

/* Parts for the groups that are told apart; false when memory is out. */
static bool add_groups(struct child_races *races, struct child_run *run,
                       const struct touched *touched)
{
    for (size_t i = 0; i < touched->kept_count; i++) {
        const uint64_t group = touched->kept[i].group;
        if (run->group_count > 0 && run->groups[run->group_count - 1].group == group)
            continue;
        struct part *grown =
            alloc_grow(run->groups, run->group_count, &run->group_capacity, sizeof(*grown));
        if (!grown)
            return false;
        run->groups = grown;
        grown[run->group_count++] = (struct part){group, add_part(races, run)};
    }
    return true;
}

static void add_all_uses(struct child_races *races, const struct child_run *run,
                         const struct touched *touched)
{
    size_t part = 0;
    for (size_t i = 0; i < touched->count; i++)
        add_uses(races, run, run->rest, &touched->objects[i]);
    for (size_t i = 0; i < touched->kept_count; i++) {
        const struct touched_object *object = &touched->kept[i];
        while (part < run->group_count && run->groups[part].group != object->group)
            part++;
        add_uses(races, run, part < run->group_count ? run->groups[part].command : run->rest,
                 object);
    }
}

/* Uses are told in the order in which kernels began: whatever one waits for began before it. */
static void judge(struct child_races *races)
{
    while (races->judged_count < races->run_count && races->runs[races->judged_count]->is_over) {
        struct child_run *run = races->runs[races->judged_count++];
        add_all_uses(races, run, &run->touched);
        touched_release(&run->touched);
    }
}

void child_races_ran(struct child_races *races, struct child_run *run, struct touched *touched)
{
    if (!run)
        return;
    const bool apart = !run->tangled && add_groups(races, run, touched);
    run->tangled |= touched->tangled || !apart;
    run->is_over = true;
    if (run->number > races->judged_count) {
        run->touched = *touched;
        *touched = (struct touched){.apart = true};
        return;
    }
    add_all_uses(races, run, touched);
    races->judged_count++;
    judge(races);
}

/* ---- their beginning and end ---- */

/* What the flags of enqueue_kernel put before a child. Without a wait it is not even behind what
 * the work-item did before it enqueued: "only in the case of fine-grained SVM". */
static void list_add_parent(struct list *list, const struct child_origin *origin)
{
    struct child_run *parent = origin->parent;
    if (!parent)
        return;
    list_add(list, parent->start);
    if (origin->wait == CHILD_WAITS_FOR_KERNEL ||
        (origin->wait == CHILD_WAITS_FOR_GROUP && parent->tangled))
        list_add_parts(list, parent);
    for (size_t i = 0; i < parent->group_count && origin->wait == CHILD_WAITS_FOR_GROUP; i++) {
        if (parent->groups[i].group == origin->group)
            list_add(list, parent->groups[i].command);
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
    list_add_parent(&before, origin);
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

/* By releases and acquires, which are not followed from one kernel to another. */
static bool may_synchronise(const struct child_run *run, const struct child_run *other)
{
    return run->code->uses_acquire && other->code->uses_acquire;
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
    if (runs[0] == runs[1] || may_synchronise(runs[0], runs[1]) ||
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

struct child_races *child_races_create(const struct child_report *report_to)
{
    struct child_races *races =
        child_races_wanted(report_to->checks) ? alloc_zero(1, sizeof(*races)) : NULL;
    if (!races)
        return NULL;
    races->report = *report_to;
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

void child_races_destroy(struct child_races *races)
{
    if (!races)
        return;
    if (races->uses)
        uses_destroy(races->uses);
    for (size_t i = 0; i < races->all_count; i++)
        command_drop(races->all[i]);
    for (size_t i = 0; i < races->run_count; i++) {
        alloc_free(races->runs[i]->groups);
        touched_release(&races->runs[i]->touched);
        alloc_free(races->runs[i]->ends);
        alloc_free(races->runs[i]);
    }
    if (races->queue)
        commands_queue_destroy(races->commands, races->queue);
    commands_destroy(races->commands);
    alloc_free(races->all);
    alloc_free(races->runs);
    alloc_free(races);
}
