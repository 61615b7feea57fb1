#include "reference/vm/exec.h"

#include "reference/vm/lane.h"
#include "reference/vm/machine.h"
#include "reference/vm/native.h"
#include "reference/vm/plan.h"
#include "reference/vm/undefined_rows.h"
#include "trace/base/assert.h"

#include <string.h>

typedef void run_function(struct vm_vector *vector);
typedef void copy_function(struct vm_vector *vector, const struct vm_copy *copy);

/* The sets that CMakeLists.txt compiles, the best first. */
#if defined(__x86_64__)
run_function vm_vector_run_v4, vm_vector_run_v3;
copy_function vm_vector_copy_v4, vm_vector_copy_v3;
#endif
run_function vm_vector_run_base;
copy_function vm_vector_copy_base;
extern vm_op_function *const vm_op_functions_base[VM_OP_COUNT];

static const struct machine {
    const char *name;
    run_function *run;
    copy_function *copy;
} machines[] = {
#if defined(__x86_64__)
    {"v4", vm_vector_run_v4, vm_vector_copy_v4},
    {"v3", vm_vector_run_v3, vm_vector_copy_v3},
#endif
    {"base", vm_vector_run_base, vm_vector_copy_base},
};
enum { MACHINE_COUNT = sizeof machines / sizeof machines[0] };

static bool machine_supported(const char *name)
{
#if defined(__x86_64__)
    if (strcmp(name, "v4") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && machine_supported("v3");
    if (strcmp(name, "v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(name, "base") == 0;
}

static const struct machine *selected;

const char *vm_machine_name(size_t index)
{
    return index < MACHINE_COUNT ? machines[index].name : NULL;
}

bool vm_machine_select(const char *name)
{
    for (size_t i = 0; i < MACHINE_COUNT; i++) {
        if (strcmp(machines[i].name, name) == 0 && machine_supported(name)) {
            __atomic_store_n(&selected, &machines[i], __ATOMIC_RELAXED);
            return true;
        }
    }
    return false;
}

bool vm_vector_runnable(const struct vm_vector *vector)
{
    const uint32_t words = vm_vector_ready_words(vector->run->code);
    if (vector->paused)
        return true;
    for (uint32_t word = vector->ready_hint; word < words; word++) {
        if (vector->ready[word])
            return true;
    }
    return false;
}

uint64_t vm_vector_held(const struct vm_vector *vector)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < vector->run->code->spin_count; i++)
        held |= vector->waiting[i].held;
    return held;
}

void vm_vector_resume(struct vm_vector *vector)
{
    const struct vm_code *code = vector->run->code;
    for (uint32_t i = 0; i < code->spin_count; i++) {
        struct vm_waiting *waiting = &vector->waiting[i];
        vm_vector_release(vector, waiting->held, code->instructions[waiting->site].a);
        waiting->held = 0;
        waiting->idle = 0;
    }
    vector->rounds = VM_SPIN_ROUNDS;
}

/* On a frame of four rows. Every set gives the same bits, so any of them does. */
uint64_t vm_combine(enum vm_op op, uint32_t width, uint64_t a, uint64_t b)
{
    uint8_t units[4 * VM_UNIT_SIZE] __attribute__((aligned(VM_UNIT_SIZE)));
    uint64_t undefined[4] = {0};
    struct vm_vector vector;
    const struct vm_instruction in = {.op = (uint16_t)op, .dst = 1, .a = 2, .b = 3};
    vector.units = units;
    vector.undefined = undefined;
    vector.active = 1;
    lane_put(units + 2 * VM_UNIT_SIZE, width, a);
    lane_put(units + 3 * VM_UNIT_SIZE, width, b);
    vm_op_functions_base[op](&vector, &in);
    return lane_get(units + VM_UNIT_SIZE, width);
}

bool vm_sub_group_agrees(const struct vm_vector *vector, const struct vm_barrier *barrier,
                         uint64_t lanes)
{
    const bool names_lane = barrier->collective == VM_COLLECTIVE_MEET;
    bool agrees = true;
    for (uint32_t i = 0; i < barrier->argument_count; i++) {
        const uint8_t *row = vector->units + (size_t)barrier->arguments[i] * VM_UNIT_SIZE;
        const uint64_t value = lane_get(row + (size_t)__builtin_ctzll(lanes) * 8, 8);
        FOR_EACH_LANE(lane, lanes)
            agrees &= lane_get(row + lane * 8, 8) == value;
        agrees &= !names_lane || value < (uint64_t)__builtin_popcountll(lanes);
    }
    return agrees;
}

void vm_tell_undefined_arguments(const struct vm_vector *vector, uint32_t site, uint64_t lanes)
{
    const struct vm_instruction *in = &vector->run->code->instructions[site];
    const struct vm_barrier *barrier = &vector->run->code->barriers[in->aux];
    for (uint32_t i = 0; i < barrier->argument_count; i++)
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ARGUMENT, barrier->arguments[i], lanes);
}

void vm_tell_barrier(const struct vm_run *run, uint32_t site, uint32_t vector, uint64_t mask)
{
    const struct observer *observer = run->observer;
    const struct vm_barrier *barrier = &run->code->barriers[run->code->instructions[site].aux];
    /* OpenCL C 3.0, 6.15.16: collectives order no memory. */
    if (!observer || !observer->barrier ||
        (barrier->collective != VM_COLLECTIVE_NONE && barrier->collective != VM_COLLECTIVE_NAMED))
        return;
    const struct observer_barrier told = {.site = site,
                                          .flags = barrier->flags,
                                          .execution = barrier->execution,
                                          .memory = barrier->memory,
                                          .vector = vector,
                                          .mask = mask};
    observer->barrier(observer->state, &told);
}

static const struct machine *selected_machine(void)
{
    const struct machine *machine = __atomic_load_n(&selected, __ATOMIC_RELAXED);
    for (size_t i = 0; i < MACHINE_COUNT && !machine; i++) {
        if (vm_machine_select(machines[i].name))
            machine = &machines[i];
    }
    ASSERT(machine);
    return machine;
}

const char *vm_machine_selected(void)
{
    return selected_machine()->name;
}

/* Every set gives the same bits. */
void vm_debugger_settle(struct vm_debugger *debugger)
{
    if (debugger->plans && debugger->plans->pending)
        vm_plan_settle(debugger->vector, debugger->plans, UINT64_MAX, vm_op_functions_base);
}

/* Tells what was executed, and learns what native code there is by now. */
static void ask_for_native(struct vm_run *run)
{
    const uint64_t done = run->operation_count - run->native_asked;
    uint64_t next;
    run->native = run->native_source->get(run->native_source, done, &next);
    run->native_asked = run->operation_count;
    run->native_next = run->operation_count + next;
}

void vm_run_end(struct vm_run *run)
{
    if (run->native_source)
        ask_for_native(run);
}

void vm_vector_run(struct vm_vector *vector)
{
    struct vm_run *run = vector->run;
    if (run->native_source && run->operation_count >= run->native_next &&
        (!run->debugger || vm_debugger_lets_go(run->debugger)))
        ask_for_native(run);
    selected_machine()->run(vector);
}

void vm_vector_copy(struct vm_vector *vector, const struct vm_copy *copy)
{
    selected_machine()->copy(vector, copy);
}
