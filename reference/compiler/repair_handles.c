/* Where LLVM has types of their own for queues and events of the device, clang compares them by
 * instructions that are for numbers and pointers, and llvm-spirv ends with an assertion at
 * constants of them:
 *
 *     store target("spirv.Queue") zeroinitializer, ptr %none
 *     %same = icmp eq target("spirv.Queue") %q, null
 *
 * Here CLK_NULL_QUEUE and CLK_NULL_EVENT become values of their own in each function that has them,
 * made of the numbers that they are, and numbers are what is compared. The functions are those that
 * llvm-spirv takes for SPIR-V's instructions:
 *
 *     %clerk.no_queue = call spir_func target("spirv.Queue") @_Z27__spirv_ConvertUToPtr_Rqueuem(i64
 * 0) %clerk.0.a = call spir_func i64 @_Z28__spirv_ConvertPtrToU_Rulong9ocl_queue(... %q) %clerk.0.b
 * = call spir_func i64 @_Z28__spirv_ConvertPtrToU_Rulong9ocl_queue(... %clerk.no_queue) %same =
 * icmp eq i64 %clerk.0.a, %clerk.0.b */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"

struct handle {
    const char *type;
    const char *none[3]; /* the constants that stand for no such thing; NULL ends them */
    const char *name;    /* of the value in their place */
    const char *number;  /* which that is */
    const char *maker, *taker;
};

static const struct handle handles[] = {
    {"target(\"spirv.Queue\")",
     {"zeroinitializer", "null", NULL},
     "%clerk.no_queue",
     "0",
     "@_Z27__spirv_ConvertUToPtr_Rqueuem",
     "@_Z28__spirv_ConvertPtrToU_Rulong9ocl_queue"},
    {"target(\"spirv.DeviceEvent\")",
     {"bitcast (i64 -1 to target(\"spirv.DeviceEvent\"))", NULL},
     "%clerk.no_event",
     "-1",
     "@_Z27__spirv_ConvertUToPtr_Reventm",
     "@_Z28__spirv_ConvertPtrToU_Rulong12ocl_clkevent"},
};
enum { HANDLE_COUNT = sizeof(handles) / sizeof(handles[0]) };

struct repair {
    struct text *text;
    size_t compared;
    bool changed;
};

/* The constant that the piece starts with; NULL = none. */
static const char *starts_none(const struct handle *handle, struct ir_piece piece)
{
    for (size_t i = 0; handle->none[i]; i++) {
        if (ir_starts(piece, handle->none[i]))
            return handle->none[i];
    }
    return NULL;
}

/* After its type, and in a phi after the bracket of each of its pairs, stands an operand. */
static bool is_operand(const struct handle *handle, struct ir_piece line, const char *at)
{
    const size_t before = (size_t)(at - line.at), type = strlen(handle->type);
    if (before > type && at[-1] == ' ' && memcmp(at - 1 - type, handle->type, type) == 0)
        return true;
    return before > 2 && memcmp(at - 2, "[ ", 2) == 0 && ir_find(line, " = phi ") &&
           ir_find(line, handle->type);
}

/* Is there a constant of the handle at `at`? */
static const char *find_none(const struct handle *handle, struct ir_piece line, const char *at)
{
    return is_operand(handle, line, at) ? starts_none(handle, ir_rest(line, at)) : NULL;
}

/* "%x = icmp eq TYPE "; NULL = the line does not compare such handles. */
static const char *find_operands(const struct handle *handle, struct ir_piece line)
{
    const char *compare = ir_find(line, " = icmp ");
    const char *type = compare ? ir_find(ir_rest(line, compare), handle->type) : NULL;
    return type ? type + strlen(handle->type) + 1 : NULL;
}

static void append_number(struct repair *repair, const struct handle *handle, char letter,
                          struct ir_piece operand, struct ir_piece place)
{
    const bool none = starts_none(handle, operand) != NULL;
    text_format(repair->text, "  %%clerk.%zu.%c = call spir_func i64 %s(%s %.*s)%.*s\n",
                repair->compared, letter, handle->taker, handle->type,
                (int)(none ? strlen(handle->name) : operand.size), none ? handle->name : operand.at,
                (int)place.size, place.at);
}

static void append_comparison(struct repair *repair, const struct handle *handle,
                              struct ir_piece line, const char *operands)
{
    const char *const end = line.at + line.size;
    const char *comma = memchr(operands, ',', (size_t)(end - operands));
    if (!comma || end - comma < 2)
        return;
    const char *place = ir_find(ir_rest(line, comma), ", !dbg ");
    const char *const second = comma + 2, *const behind = place ? place : end;
    const struct ir_piece where = ir_rest(line, behind);
    append_number(repair, handle, 'a',
                  (struct ir_piece){.at = operands, .size = (size_t)(comma - operands)}, where);
    append_number(repair, handle, 'b',
                  (struct ir_piece){.at = second, .size = (size_t)(behind - second)}, where);
    text_append_n(repair->text, line.at, (size_t)(operands - strlen(handle->type) - 1 - line.at));
    text_format(repair->text, "i64 %%clerk.%zu.a, %%clerk.%zu.b%.*s", repair->compared,
                repair->compared, (int)where.size, where.at);
    repair->compared++;
    repair->changed = true;
}

/* A line of a function, with its constants. */
static void append_line(struct repair *repair, struct ir_piece line)
{
    for (size_t i = 0; i < HANDLE_COUNT; i++) {
        const char *operands = find_operands(&handles[i], line);
        if (operands) {
            append_comparison(repair, &handles[i], line, operands);
            return;
        }
    }
    const char *const end = line.at + line.size;
    for (const char *at = line.at; at < end;) {
        const char *none = NULL;
        for (size_t i = 0; i < HANDLE_COUNT && !none; i++) {
            none = find_none(&handles[i], line, at);
            if (none)
                text_append(repair->text, handles[i].name);
        }
        if (!none)
            text_append_char(repair->text, *at);
        repair->changed |= none != NULL;
        at += none ? strlen(none) : 1;
    }
}

/* Has the function whose head this is a constant of the handle? */
static bool has_none(const struct handle *handle, struct ir_piece head)
{
    struct ir_piece line = head;
    while (line.at[0] != '}' && line.at[0] != '\0') {
        line = ir_line(ir_next_line(line));
        const char *operands = find_operands(handle, line);
        const char *comma = operands ? memchr(operands, ',', ir_rest(line, operands).size) : NULL;
        if (comma && (starts_none(handle, ir_rest(line, operands)) ||
                      starts_none(handle, ir_rest(line, comma + 2))))
            return true;
        for (size_t i = 0; i < line.size && !operands; i++) {
            if (find_none(handle, line, line.at + i))
                return true;
        }
    }
    return false;
}

/* The values that the function needs, after the variables that it starts with. */
static void append_values(struct repair *repair, const bool *wanted)
{
    for (size_t i = 0; i < HANDLE_COUNT; i++) {
        if (wanted[i])
            text_format(repair->text, "  %s = call spir_func %s %s(i64 %s)\n", handles[i].name,
                        handles[i].type, handles[i].maker, handles[i].number);
    }
}

static bool is_body_start(struct ir_piece line)
{
    return line.size > 2 && ir_starts(line, "  ") && !ir_find(line, " = alloca ");
}

bool repair_handles(const char *ir, struct text *repaired)
{
    struct repair repair = {.text = repaired};
    bool wanted[HANDLE_COUNT] = {false};
    bool body = false, waiting = false;
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        at = ir_next_line(line);
        if (ir_defines(line)) {
            body = waiting = true;
            for (size_t i = 0; i < HANDLE_COUNT; i++)
                wanted[i] = has_none(&handles[i], line);
        } else if (waiting && is_body_start(line)) {
            waiting = false;
            append_values(&repair, wanted);
        }
        if (body)
            append_line(&repair, line);
        else
            text_append_n(repaired, line.at, line.size);
        text_append_char(repaired, '\n');
        body = body && line.at[0] != '}';
    }
    for (size_t i = 0; i < HANDLE_COUNT; i++)
        text_format(repaired, "declare spir_func %s %s(i64)\ndeclare spir_func i64 %s(%s)\n",
                    handles[i].type, handles[i].maker, handles[i].taker, handles[i].type);
    return repair.changed && !repaired->failed;
}
