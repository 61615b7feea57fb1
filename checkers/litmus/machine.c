#include "checkers/litmus/machine.h"

#include "trace/base/assert.h"

#include <string.h>

/* That the thread's next read has. */
static uint32_t next_number(const struct machine_thread *machine)
{
    return machine->read_count < MACHINE_LAST_READ ? machine->read_count : MACHINE_LAST_READ;
}

/* The values that were read decide where the thread goes, in each loop that it is in. */
static void note_decision(struct machine_thread *machine, const struct litmus_thread *thread)
{
    for (uint32_t i = 0; i < thread->loop_count; i++) {
        machine->loops[i].depends = true;
    }
}

static void begin_round(struct machine_thread *machine, const struct litmus_thread *thread,
                        uint32_t loop)
{
    machine->loops[loop].depends = false;
    machine->loops[loop].performed = false;
    machine->loops[loop].changed = false;
    machine->loops[loop].writes = false;
    memcpy(machine->loops[loop].variables, machine->registers,
           thread->variable_count * sizeof(int64_t));
}

static void start(const struct litmus_test *test, uint32_t index, struct machine_thread *machine)
{
    const struct litmus_thread *thread = &test->threads[index];
    memset(machine, 0, sizeof *machine);
    for (size_t i = 0; i < thread->variable_count; i++) {
        machine->registers[i] = thread->variables[i].initial;
    }
}

/* A loop whose rounds do not depend on what is read is run to its end, which is far if it has none.
 */
static bool is_too_often(struct machine_loop *loop, uint32_t rounds)
{
    if (!loop->depends && loop->counted < MACHINE_ROUNDS_MAX) {
        loop->counted++;
        return false;
    }
    return loop->rounds++ >= rounds;
}

/* Unless it is sure that the round is none of those that are left out, what was read says so. */
static void note_going_on(struct machine_thread *machine, const struct litmus_thread *thread,
                          const struct machine_loop *loop)
{
    bool sure = loop->writes;
    for (size_t i = 0; i < thread->variable_count; i++) {
        sure = sure || (machine->sources[i] == 0 && machine->registers[i] != loop->variables[i]);
    }
    machine->went_on |= sure ? 0 : (UINT64_C(2) << next_number(machine)) - 1;
}

static void go_round(struct machine_thread *machine, const struct litmus_thread *thread,
                     const struct litmus_instruction *back, uint32_t rounds)
{
    struct machine_loop *loop = &machine->loops[back->loop];
    ASSERT(back->op == LITMUS_LOOP_BACK && loop->runs);
    const bool same =
        memcmp(loop->variables, machine->registers, thread->variable_count * sizeof(int64_t)) == 0;
    machine->pc = back->target;
    note_going_on(machine, thread, loop);
    if (same && !loop->changed) {
        machine->state = MACHINE_IDLE;
    } else if (is_too_often(loop, rounds)) {
        machine->state = MACHINE_CUT;
    } else {
        begin_round(machine, thread, back->loop);
    }
}

/* One instruction that is not a memory operation. */
static void step(struct machine_thread *machine, const struct litmus_thread *thread,
                 uint32_t rounds)
{
    const struct litmus_instruction *instruction = &thread->instructions[machine->pc++];
    int64_t *const registers = machine->registers;
    switch (instruction->op) {
    case LITMUS_CONSTANT:
        registers[instruction->dst] = instruction->constant;
        machine->sources[instruction->dst] = 0;
        break;
    case LITMUS_OPERATION:
        registers[instruction->dst] =
            litmus_operate(instruction->operation, instruction->type, registers[instruction->a],
                           registers[instruction->b]);
        machine->sources[instruction->dst] =
            machine->sources[instruction->b] |
            (instruction->operation == LITMUS_SECOND ? 0 : machine->sources[instruction->a]);
        break;
    case LITMUS_JUMP:
        machine->pc = instruction->target;
        break;
    case LITMUS_JUMP_IF_ZERO:
        if (machine->sources[instruction->a] != 0) {
            note_decision(machine, thread);
        }
        machine->decided |= machine->sources[instruction->a];
        machine->pc = registers[instruction->a] == 0 ? instruction->target : machine->pc;
        break;
    case LITMUS_LOOP_BEGIN:
        ASSERT(instruction->loop < thread->loop_count);
        machine->loops[instruction->loop].runs = true;
        machine->loops[instruction->loop].rounds = 0;
        machine->loops[instruction->loop].counted = 0;
        begin_round(machine, thread, instruction->loop);
        break;
    case LITMUS_LOOP_END:
        machine->loops[instruction->loop].runs = false;
        break;
    default:
        go_round(machine, thread, instruction, rounds);
        break;
    }
}

static const struct litmus_instruction *run(const struct litmus_test *test, uint32_t index,
                                            struct machine_thread *machine, uint32_t rounds)
{
    const struct litmus_thread *thread = &test->threads[index];
    while (machine->state == MACHINE_RUNS) {
        if (machine->pc == thread->instruction_count) {
            machine->state = MACHINE_ENDED;
        } else if (thread->instructions[machine->pc].op >= LITMUS_READ) {
            return &thread->instructions[machine->pc];
        } else if (thread->instructions[machine->pc].op == LITMUS_FAULT) {
            machine->state = MACHINE_FAULT;
            return &thread->instructions[machine->pc];
        } else if (machine->steps++ == MACHINE_STEPS_MAX) {
            machine->state = MACHINE_LONG;
        } else {
            step(machine, thread, rounds);
        }
    }
    return NULL;
}

static bool exchanges(const struct machine_thread *machine,
                      const struct litmus_instruction *instruction, int64_t old)
{
    return litmus_convert(machine->registers[instruction->a], instruction->type) == old;
}

static int64_t written(const struct machine_thread *machine,
                       const struct litmus_instruction *instruction, int64_t old)
{
    const int64_t *const registers = machine->registers;
    switch (instruction->op) {
    case LITMUS_UPDATE:
        return litmus_operate(instruction->operation, instruction->type, old,
                              registers[instruction->a]);
    case LITMUS_COMPARE_EXCHANGE:
        return litmus_convert(registers[instruction->b], instruction->type);
    default:
        return litmus_convert(registers[instruction->a], instruction->type);
    }
}

static void performed(const struct litmus_test *test, uint32_t index,
                      struct machine_thread *machine, int64_t old, bool changed)
{
    const struct litmus_thread *thread = &test->threads[index];
    const struct litmus_instruction *instruction = &thread->instructions[machine->pc++];
    ASSERT(machine->state == MACHINE_RUNS && instruction->op >= LITMUS_READ);
    if (instruction->op == LITMUS_READ || instruction->op == LITMUS_UPDATE ||
        instruction->op == LITMUS_COMPARE_EXCHANGE) {
        machine->registers[instruction->dst] = old;
        machine->sources[instruction->dst] = UINT64_C(1) << next_number(machine);
        machine->read_count++;
    }
    for (uint32_t i = 0; i < thread->loop_count; i++) {
        machine->loops[i].performed = true;
        machine->loops[i].writes = machine->loops[i].writes || instruction->op == LITMUS_WRITE ||
                                   instruction->op == LITMUS_BARRIER;
        machine->loops[i].changed = machine->loops[i].changed || changed;
    }
}

static struct machine_needs needs(const struct litmus_test *test, uint32_t index,
                                  const struct machine_thread *machine,
                                  const struct litmus_instruction *instruction, uint64_t reads)
{
    (void)test;
    (void)index;
    (void)reads;
    struct machine_needs found = {.values = machine->decided, .follows = machine->went_on};
    if (instruction->op != LITMUS_READ) {
        found.values |= machine->sources[instruction->a];
    }
    if (instruction->op == LITMUS_COMPARE_EXCHANGE) {
        found.values |= machine->sources[instruction->b];
    }
    return found;
}

static bool is_open(const struct litmus_test *test, uint32_t index,
                    const struct machine_thread *machine)
{
    const struct litmus_thread *thread = &test->threads[index];
    for (uint32_t i = 0; i < thread->loop_count; i++) {
        const struct machine_loop *loop = &machine->loops[i];
        if (loop->runs && loop->performed && !loop->changed) {
            return false;
        }
    }
    return true;
}

static bool same_instruction(const struct litmus_instruction *a, const struct litmus_instruction *b)
{
    return a->op == b->op && a->dst == b->dst && a->a == b->a && a->b == b->b &&
           a->loop == b->loop && a->operation == b->operation && a->type.size == b->type.size &&
           a->type.is_signed == b->type.is_signed && a->target == b->target &&
           a->constant == b->constant && a->kind == b->kind && a->location == b->location &&
           a->order == b->order && a->failure_order == b->failure_order && a->scope == b->scope &&
           a->flags == b->flags && a->commuting == b->commuting && !a->fault == !b->fault;
}

static bool alike(const struct litmus_test *test, uint32_t a, uint32_t b)
{
    const struct litmus_thread *x = &test->threads[a];
    const struct litmus_thread *y = &test->threads[b];
    bool same = x->instruction_count == y->instruction_count &&
                x->variable_count == y->variable_count && x->loop_count == y->loop_count;
    for (size_t i = 0; same && i < x->instruction_count; i++) {
        same = same_instruction(&x->instructions[i], &y->instructions[i]);
    }
    for (size_t i = 0; same && i < x->variable_count; i++) {
        same = x->variables[i].initial == y->variables[i].initial;
    }
    return same;
}

const struct machine litmus_text_machine = {
    .start = start,
    .run = run,
    .exchanges = exchanges,
    .written = written,
    .performed = performed,
    .needs = needs,
    .is_open = is_open,
    .alike = alike,
};
