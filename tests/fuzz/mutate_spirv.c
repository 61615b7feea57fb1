/* Mutations of SPIR-V. A module under work is its words and, for each id, what defines it; both are
 * built anew after each change, which keeps the changes simple. */
#include "tests/fuzz/mutate_spirv.h"

#include "reference/spirv/grammar.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <string.h>

static uint64_t random_state;

void random_seed(uint64_t seed)
{
    random_state = UINT64_C(0x9e3779b97f4a7c15) * (seed + 1);
}

uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717) % limit;
}

static bool one_in(uint64_t count)
{
    return random_below(count) == 0;
}

/* ---- by words ---- */

void mutate_words(const struct module_words *from, struct module_words *to)
{
    uint32_t *words = to->words;
    size_t count = from->count;
    memcpy(words, from->words, count * 4);
    for (uint64_t n = 1 + random_below(4); n > 0; n--) {
        /* The header is left alone mostly: what is after it is more interesting. */
        const size_t at =
            one_in(16) ? (size_t)random_below(count)
                       : MODULE_WORDS_HEADER + (size_t)random_below(count - MODULE_WORDS_HEADER);
        const size_t source =
            MODULE_WORDS_HEADER + (size_t)random_below(count - MODULE_WORDS_HEADER);
        switch (random_below(7)) {
        case 0:
            words[at] ^= UINT32_C(1) << random_below(32);
            break;
        case 1:
            words[at] = (uint32_t)random_below(UINT64_C(1) << 32);
            break;
        case 2:
            words[at] = (uint32_t)random_below((uint64_t)words[3] + 2);
            break;
        case 3:
            words[at] = words[source];
            break;
        case 4:
            words[at] += (uint32_t)random_below(5) - 2;
            break;
        case 5: { /* a run of words, often whole instructions, from elsewhere */
            const size_t size = 1 + (size_t)random_below(12);
            if (at + size <= count && source + size <= count)
                memmove(words + at, from->words + source, size * 4);
            break;
        }
        default:
            if (one_in(8))
                count = at + 1 > 6 ? at + 1 : 6;
            break;
        }
        if (count < from->count)
            break;
    }
    to->count = count;
}

/* ---- a module under work ---- */

enum { IDS_MAX = 1 << 16, INSTRUCTIONS_MAX = 1 << 16 };

struct work {
    uint32_t *words;
    size_t count;
    uint32_t at[INSTRUCTIONS_MAX]; /* where instruction i begins */
    uint32_t instruction_count;
    uint32_t definition[IDS_MAX]; /* by id: instruction plus one; 0 = none */
    uint32_t bound;
};

static struct work mutated, donor;

static uint32_t word_count(const struct work *work, uint32_t i)
{
    return work->words[work->at[i]] >> 16;
}

static uint32_t opcode(const struct work *work, uint32_t i)
{
    return work->words[work->at[i]] & 0xFFFF;
}

/* The word of the instruction's result id; 0 = it has none. */
static uint32_t result_place(const struct work *work, uint32_t i)
{
    struct spv_grammar grammar;
    const uint32_t place = !spv_grammar_find(opcode(work, i), &grammar) || !grammar.has_result ? 0
                           : grammar.has_type                                                  ? 2
                                                                                               : 1;
    return place < word_count(work, i) ? place : 0;
}

/* Finds the instructions; stops where they end to make sense. */
static void index_work(struct work *work)
{
    const uint32_t bound = work->words[3];
    work->bound = bound < IDS_MAX ? bound : IDS_MAX;
    work->instruction_count = 0;
    memset(work->definition, 0, work->bound * sizeof work->definition[0]);
    for (size_t at = MODULE_WORDS_HEADER; at < work->count;) {
        const uint32_t size = work->words[at] >> 16;
        if (size == 0 || at + size > work->count || work->instruction_count == INSTRUCTIONS_MAX)
            break;
        const uint32_t i = work->instruction_count++;
        work->at[i] = (uint32_t)at;
        const uint32_t place = result_place(work, i);
        const uint32_t id = place ? work->words[at + place] : 0;
        if (id != 0 && id < work->bound)
            work->definition[id] = i + 1;
        at += size;
    }
}

static uint32_t fresh_id(struct work *work)
{
    return work->words[3] < IDS_MAX ? work->words[3]++ : 1;
}

/* Puts `size` words before instruction `i`; false when they do not fit. */
static bool insert_at(struct work *work, uint32_t i, const uint32_t *words, size_t size)
{
    const size_t at = i < work->instruction_count ? work->at[i] : work->count;
    if (work->count + size > MODULE_WORDS_MAX)
        return false;
    memmove(work->words + at + size, work->words + at, (work->count - at) * 4);
    memcpy(work->words + at, words, size * 4);
    work->count += size;
    index_work(work);
    return true;
}

static void remove_at(struct work *work, uint32_t i)
{
    const size_t at = work->at[i];
    const size_t size = word_count(work, i);
    memmove(work->words + at, work->words + at + size, (work->count - at - size) * 4);
    work->count -= size;
    index_work(work);
}

/* ---- choosing ---- */

/* An instruction, of a function three times in four. */
static uint32_t any_instruction(const struct work *work)
{
    uint32_t i = (uint32_t)random_below(work->instruction_count);
    for (uint32_t tries = 0; tries < 8 && !one_in(4); tries++) {
        uint32_t before = i;
        while (before > 0 && opcode(work, before) != SpvOpFunction &&
               opcode(work, before) != SpvOpFunctionEnd)
            before--;
        if (opcode(work, before) == SpvOpFunction)
            break;
        i = (uint32_t)random_below(work->instruction_count);
    }
    return i;
}

enum class { CLASS_NONE, CLASS_TYPE, CLASS_CONSTANT, CLASS_LABEL, CLASS_FUNCTION, CLASS_OTHER };

static enum class class_of(const struct work *work, uint32_t id) {
    if (id >= work->bound || work->definition[id] == 0) return CLASS_NONE;
    const uint32_t op = opcode(work, work->definition[id] - 1);
    if (op >= SpvOpTypeVoid && op <= SpvOpTypePipe) return CLASS_TYPE;
    if (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) return CLASS_CONSTANT;
    return op == SpvOpLabel      ? CLASS_LABEL
           : op == SpvOpFunction ? CLASS_FUNCTION
                                 : CLASS_OTHER;
}

/* The id of the result type of what defines the id; 0 = none. */
static uint32_t type_of(const struct work *work, uint32_t id)
{
    if (id >= work->bound || work->definition[id] == 0)
        return 0;
    const uint32_t i = work->definition[id] - 1;
    return result_place(work, i) == 2 ? work->words[work->at[i] + 1] : 0;
}

static uint32_t any_id(const struct work *work)
{
    return (uint32_t)random_below((uint64_t)work->bound + (one_in(16) ? 2 : 0));
}

/* An id to stand where `id` stands: of its type, of its class, nearby, or any. */
static uint32_t other_id(const struct work *work, uint32_t id)
{
    const uint64_t how = random_below(8);
    const uint32_t type = type_of(work, id);
    const enum class class = class_of(work, id);
    for (uint32_t tries = 0; tries < 200 && how < 6; tries++) {
        uint32_t found = any_id(work);
        if (one_in(2)) {
            const uint64_t near = (uint64_t)id + random_below(64);
            found = near > 32 ? (uint32_t)(near - 32) : 1;
        }
        if (found == id || class_of(work, found) != class)
            continue;
        if (how < 4 && type_of(work, found) != type)
            continue;
        return found;
    }
    return any_id(work);
}

/* An id of a class; any when there is none. */
static uint32_t id_of_class(const struct work *work, enum class class)
{
    for (uint32_t tries = 0; tries < 400; tries++) {
        const uint32_t found = any_id(work);
        if (class_of(work, found) == class)
            return found;
    }
    return any_id(work);
}

static uint32_t any_literal(uint32_t was)
{
    static const uint32_t interesting[] = {
        0,   1,    2,    3,     4,     5,       6,          7,          8,          9,         12,
        15,  16,   17,   31,    32,    33,      63,         64,         65,         127,       128,
        255, 1024, 4096, 65535, 65536, 1 << 20, 0x7FFFFFFF, 0x80000000, 0x3F800000, 0x7F800000};
    switch (random_below(4)) {
    case 0:
        return interesting[random_below(sizeof interesting / sizeof interesting[0])];
    case 1:
        return was + (uint32_t)random_below(5) - 2;
    case 2:
        return was ^ UINT32_C(1) << random_below(32);
    default:
        return one_in(4) ? (uint32_t)random_below(UINT64_C(1) << 32) : (uint32_t)random_below(256);
    }
}

/* What word `place` of an instruction is, as a letter of the grammar's patterns. */
static char letter_at(const struct work *work, uint32_t i, uint32_t place)
{
    struct spv_grammar grammar;
    if (place == 0 || !spv_grammar_find(opcode(work, i), &grammar))
        return 'l';
    uint32_t at = 1;
    for (const char *p = grammar.pattern; *p != '\0'; p++) {
        const char letter = *p;
        const bool any = p[1] == '*';
        if (p[1] == '*' || p[1] == '?')
            p++;
        if (letter == 's') {
            while (at < word_count(work, i) && work->words[work->at[i] + at] >> 24 != 0)
                if (at++ == place)
                    return 's';
            if (at++ == place)
                return 's';
            continue;
        }
        const uint32_t size = letter == 'p' || letter == 'q' || letter == 'd' ? 2 : 1;
        if (letter == 'a' || letter == 'c' || (any && size == 1))
            return letter;
        if (place < at + size || any) {
            const bool second = (place - at) % 2 == 1;
            return letter == 'd'   ? 'i'
                   : letter == 'p' ? (second ? 'i' : 'l')
                   : letter == 'q' ? (second ? 'l' : 'i')
                                   : letter;
        }
        at += size;
    }
    return 'l';
}

/* ---- the changes ---- */

static void change_operand(struct work *work)
{
    const uint32_t i = any_instruction(work);
    if (word_count(work, i) < 2)
        return;
    const uint32_t place = 1 + (uint32_t)random_below(word_count(work, i) - 1);
    uint32_t *word = &work->words[work->at[i] + place];
    switch (letter_at(work, i, place)) {
    case 't':
        *word = one_in(8) ? any_id(work) : id_of_class(work, CLASS_TYPE);
        break;
    case 'r':
        *word = one_in(4) ? fresh_id(work) : other_id(work, *word);
        break;
    case 'i':
        *word = other_id(work, *word);
        break;
    case 's':
        *word ^= one_in(4) ? UINT32_C(1) << random_below(32) : 0;
        break;
    default: /* masks bring ids along now and then */
        *word = one_in(8) ? any_id(work) : any_literal(*word);
        break;
    }
    index_work(work);
}

static void delete_instruction(struct work *work)
{
    if (work->instruction_count > 1)
        remove_at(work, any_instruction(work));
}

static void copy_instruction(const struct work *work, uint32_t i, uint32_t *copy, size_t *size)
{
    *size = word_count(work, i) < 64 ? word_count(work, i) : 0;
    memcpy(copy, work->words + work->at[i], *size * 4);
}

/* Copies or moves one to another place, nearby as a rule. */
static void move_instruction(struct work *work, bool keep)
{
    uint32_t copy[64];
    size_t size;
    const uint32_t i = any_instruction(work);
    copy_instruction(work, i, copy, &size);
    if (size == 0)
        return;
    const uint32_t place = result_place(work, i);
    if (keep && place && !one_in(4))
        copy[place] = fresh_id(work);
    uint32_t to = any_instruction(work);
    if (one_in(2)) {
        const uint64_t near = (uint64_t)i + random_below(16);
        to = near > 8 ? (uint32_t)(near - 8) : 0;
    }
    if (to > work->instruction_count)
        to = work->instruction_count;
    if (!keep)
        remove_at(work, i);
    insert_at(work, to < work->instruction_count ? to : work->instruction_count, copy, size);
}

static void swap_instructions(struct work *work)
{
    uint32_t copy[64];
    size_t size;
    const uint32_t i = any_instruction(work);
    if (i + 1 >= work->instruction_count)
        return;
    copy_instruction(work, i, copy, &size);
    if (size == 0)
        return;
    remove_at(work, i);
    insert_at(work, i + 1, copy, size);
}

/* Another instruction with the same operands: OpIAdd becomes OpFDiv, OpSelect OpVectorShuffle. */
static void change_opcode(struct work *work)
{
    struct spv_grammar was;
    struct spv_grammar is;
    const uint32_t i = any_instruction(work);
    if (!spv_grammar_find(opcode(work, i), &was))
        return;
    for (uint32_t tries = 0; tries < 300; tries++) {
        const uint32_t op = (uint32_t)random_below(450);
        if (op == opcode(work, i) || !spv_grammar_find(op, &is))
            continue;
        if (!one_in(50) && strcmp(was.pattern, is.pattern) != 0)
            continue;
        work->words[work->at[i]] = word_count(work, i) << 16 | op;
        break;
    }
    index_work(work);
}

/* Any instruction of the grammar, with operands as its pattern asks for. */
static void insert_instruction(struct work *work)
{
    uint32_t words[32];
    uint32_t size = 1;
    struct spv_grammar grammar;
    const uint32_t op = (uint32_t)random_below(one_in(8) ? 7000 : 450);
    if (!spv_grammar_find(op, &grammar))
        return;
    for (const char *p = grammar.pattern; *p != '\0' && size < 24; p++) {
        uint64_t times = 1;
        if (p[1] == '?')
            times = random_below(2);
        else if (p[1] == '*')
            times = random_below(5);
        for (; times > 0; times--) {
            switch (*p) {
            case 't':
                words[size++] = id_of_class(work, CLASS_TYPE);
                break;
            case 'r':
                words[size++] = fresh_id(work);
                break;
            case 'i':
                words[size++] = id_of_class(work, one_in(3) ? CLASS_CONSTANT : CLASS_OTHER);
                break;
            case 'd':
                words[size++] = any_id(work);
                words[size++] = any_id(work);
                break;
            case 'p':
                words[size++] = any_literal(0);
                words[size++] = any_id(work);
                break;
            case 'q':
                words[size++] = any_id(work);
                words[size++] = any_literal(0);
                break;
            case 's':
                words[size++] = 0x61;
                break;
            default:
                words[size++] = any_literal(0);
                break;
            }
        }
        if (p[1] == '?' || p[1] == '*')
            p++;
    }
    words[0] = size << 16 | op;
    const uint32_t at = any_instruction(work);
    if (!insert_at(work, at, words, size) || !grammar.has_type || one_in(4))
        return;
    /* Somebody uses it. */
    const uint32_t id = words[2];
    for (uint32_t i = at + 1; i < work->instruction_count && i < at + 12; i++) {
        const uint32_t place = 1 + (uint32_t)random_below(word_count(work, i));
        if (place < word_count(work, i) && letter_at(work, i, place) == 'i' && one_in(2)) {
            work->words[work->at[i] + place] = id;
            return;
        }
    }
}

/* Adds words to an instruction or takes some away: members, phi operands, cases, arguments. */
static void resize_instruction(struct work *work)
{
    uint32_t copy[72];
    size_t size;
    const uint32_t i = any_instruction(work);
    copy_instruction(work, i, copy, &size);
    if (size == 0)
        return;
    if (one_in(2)) {
        const uint32_t added = 1 + (uint32_t)random_below(2);
        for (uint32_t n = 0; n < added; n++, size++)
            copy[size] = one_in(2) ? any_id(work) : copy[1 + random_below(size - 1 ? size - 1 : 1)];
    } else if (size > 1) {
        size -= 1 + (size_t)random_below(size - 1 < 2 ? size - 1 : 2);
    }
    copy[0] = (uint32_t)size << 16 | (copy[0] & 0xFFFF);
    remove_at(work, i);
    insert_at(work, i, copy, size);
}

/* ---- control flow ---- */

static bool is_label_of(const struct work *work, uint32_t id, uint32_t first, uint32_t end)
{
    if (class_of(work, id) != CLASS_LABEL)
        return false;
    const uint32_t i = work->definition[id] - 1;
    return i > first && i < end;
}

/* Another edge of the control-flow graph: a terminator of a function gets other targets, of the
 * same function. */
static void change_edge(struct work *work)
{
    uint32_t i = any_instruction(work);
    while (i + 1 < work->instruction_count && opcode(work, i) != SpvOpBranch &&
           opcode(work, i) != SpvOpBranchConditional && opcode(work, i) != SpvOpSwitch &&
           opcode(work, i) != SpvOpReturn && opcode(work, i) != SpvOpUnreachable)
        i++;
    uint32_t first = i;
    uint32_t end = i;
    while (first > 0 && opcode(work, first) != SpvOpFunction)
        first--;
    while (end + 1 < work->instruction_count && opcode(work, end) != SpvOpFunctionEnd)
        end++;
    uint32_t label = 0;
    uint32_t condition = 0;
    for (uint32_t tries = 0; tries < 2000 && label == 0; tries++) {
        const uint32_t id = any_id(work);
        label = is_label_of(work, id, first, end) ? id : 0;
    }
    if (label == 0)
        return;
    if (opcode(work, i) == SpvOpBranchConditional && one_in(2)) {
        work->words[work->at[i] + 2 + random_below(2)] = label;
        return;
    }
    for (uint32_t k = first; k < i; k++) {
        if (opcode(work, k) >= SpvOpIEqual && opcode(work, k) <= SpvOpFUnordGreaterThanEqual &&
            (condition == 0 || one_in(3)))
            condition = work->words[work->at[k] + 2];
    }
    const uint32_t was = opcode(work, i) == SpvOpBranch ? work->words[work->at[i] + 1] : label;
    const uint32_t branch[2] = {2 << 16 | SpvOpBranch, label};
    const uint32_t branch_if[4] = {4 << 16 | SpvOpBranchConditional, condition, was, label};
    remove_at(work, i);
    if (condition != 0 && !one_in(3))
        insert_at(work, i, branch_if, 4);
    else
        insert_at(work, i, branch, 2);
}

/* ---- splicing ---- */

/* The id in `work` that means what `id` means in `donor`: the same literals after the same opcode,
 * else any of its class. */
static uint32_t translate_id(const struct work *work, const struct work *from, uint32_t id)
{
    if (id >= from->bound || from->definition[id] == 0)
        return id;
    const uint32_t defined = from->definition[id] - 1;
    const uint32_t place = result_place(from, defined);
    const uint32_t size = word_count(from, defined);
    const uint32_t *words = from->words + from->at[defined];
    const uint32_t start = (uint32_t)random_below(work->instruction_count);
    for (uint32_t n = 0; n < work->instruction_count; n++) {
        const uint32_t i = (start + n) % work->instruction_count;
        const uint32_t *found = work->words + work->at[i];
        if (found[0] != words[0])
            continue;
        bool same = true;
        for (uint32_t w = place + 1; w < size; w++)
            same &= letter_at(from, defined, w) == 'i' || found[w] == words[w];
        if (same)
            return found[place];
    }
    return id_of_class(work, class_of(from, id));
}

/* Copies instructions [first, end) of the donor after the last function, or into one. */
static void splice_run(struct work *work, const struct work *from, uint32_t first, uint32_t end,
                       uint32_t to)
{
    enum { RUN_MAX = 4096, RUN_IDS_MAX = 1024 };
    static uint32_t run[RUN_MAX];
    static uint32_t old_ids[RUN_IDS_MAX];
    static uint32_t new_ids[RUN_IDS_MAX];
    uint32_t id_count = 0;
    const size_t size = (size_t)from->at[end - 1] + word_count(from, end - 1) - from->at[first];
    if (size > RUN_MAX)
        return;
    memcpy(run, from->words + from->at[first], size * 4);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t place = result_place(from, i);
        if (!place || id_count == RUN_IDS_MAX)
            continue;
        old_ids[id_count] = from->words[from->at[i] + place];
        new_ids[id_count++] = fresh_id(work);
    }
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t w = 1; w < word_count(from, i); w++) {
            const char letter = letter_at(from, i, w);
            if (letter != 't' && letter != 'r' && letter != 'i')
                continue;
            uint32_t *word = &run[from->at[i] - from->at[first] + w];
            uint32_t k = 0;
            while (k < id_count && old_ids[k] != *word)
                k++;
            *word = k < id_count ? new_ids[k] : translate_id(work, from, *word);
        }
    }
    insert_at(work, to, run, size);
}

/* A whole function, called in the place of another now and then; or a few instructions. */
static void splice(struct work *work, const struct work *from)
{
    uint32_t first = any_instruction(from);
    if (one_in(2)) {
        uint32_t end = first + 1 + (uint32_t)random_below(10);
        if (end > from->instruction_count)
            end = from->instruction_count;
        splice_run(work, from, first, end, any_instruction(work));
        return;
    }
    while (first > 0 && opcode(from, first) != SpvOpFunction)
        first--;
    if (opcode(from, first) != SpvOpFunction)
        return;
    uint32_t end = first;
    while (end < from->instruction_count && opcode(from, end) != SpvOpFunctionEnd)
        end++;
    if (end == from->instruction_count)
        return;
    const uint32_t at = work->instruction_count;
    splice_run(work, from, first, end + 1, at);
    if (work->instruction_count == at)
        return;
    for (uint32_t i = 0; i < at; i++) {
        if (opcode(work, i) == SpvOpFunctionCall && word_count(work, i) > 3 && one_in(4))
            work->words[work->at[i] + 3] = work->words[work->at[at] + 2];
        else if (opcode(work, i) == SpvOpEntryPoint && word_count(work, i) > 2 && one_in(4))
            work->words[work->at[i] + 2] = work->words[work->at[at] + 2];
    }
}

static void change(struct work *work)
{
    switch (random_below(20)) {
    case 0:
    case 1:
        delete_instruction(work);
        break;
    case 2:
    case 3:
        move_instruction(work, true);
        break;
    case 4:
        move_instruction(work, false);
        break;
    case 5:
        swap_instructions(work);
        break;
    case 6:
    case 7:
    case 8:
        change_opcode(work);
        break;
    case 9:
    case 10:
        insert_instruction(work);
        break;
    case 11:
        resize_instruction(work);
        break;
    case 12:
    case 13:
        change_edge(work);
        break;
    case 14:
        splice(work, &donor);
        break;
    default:
        change_operand(work);
        break;
    }
}

void mutate_instructions(const struct module_words *from, const struct module_words *other,
                         struct module_words *to)
{
    memcpy(to->words, from->words, from->count * 4);
    mutated.words = to->words;
    mutated.count = from->count;
    donor.words = other->words;
    donor.count = other->count;
    index_work(&mutated);
    index_work(&donor);
    for (uint64_t n = 1 + random_below(one_in(4) ? 12 : 3); n > 0; n--) {
        if (mutated.instruction_count == 0)
            break;
        change(&mutated);
    }
    to->count = mutated.count;
}
