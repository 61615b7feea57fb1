/* What names mean in expressions: variables, then enumerators, then constants of OpenCL C; and the
 * registers of the debugger, which begin with '$'. */
#include "reference/debug/evaluate.h"

#include "reference/vm/bits.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const struct debug_number integer = {.width = 4, .is_signed = true};
static const struct debug_number size_number = {.width = 8};

static void set(struct debug_value *value, struct debug_number number, uint64_t bits)
{
    *value = (struct debug_value){.number = number, .count = 1};
    value->bits[0] = bits & bits_low(8 * number.width);
}

static bool fail(struct error *error, const char *sentence, const char *name)
{
    error_set(error, STATUS_INVALID, sentence, name);
    return false;
}

/* ---- constants ---- */

/* Macros are in no debug information. OpenCL C 3.0, 6.15.2 and 6.15.3: those that values are
 * compared with. */
static const struct {
    const char *name;
    struct debug_number number;
    uint64_t bits;
    double value; /* of a floating-point number */
} constants[] = {
#define INTEGER(word, bytes, sign, least)                                                          \
    {                                                                                              \
        .name = (word), .number = {.width = (bytes), .is_signed = (sign)},                         \
        .bits = (uint64_t)(least)                                                                  \
    }
#define FLOATING(word, bytes, real)                                                                \
    {                                                                                              \
        .name = (word), .number = {.width = (bytes), .is_floating = true}, .value = (real)         \
    }
    {.name = "true", .number = {.width = 1, .is_boolean = true}, .bits = 1},
    {.name = "false", .number = {.width = 1, .is_boolean = true}},
    {.name = "NULL", .number = {.width = 8, .is_pointer = true}},
    INTEGER("CHAR_BIT", 4, true, 8),
    INTEGER("CHAR_MAX", 4, true, INT8_MAX),
    INTEGER("CHAR_MIN", 4, true, INT8_MIN),
    INTEGER("SCHAR_MAX", 4, true, INT8_MAX),
    INTEGER("SCHAR_MIN", 4, true, INT8_MIN),
    INTEGER("UCHAR_MAX", 4, true, UINT8_MAX),
    INTEGER("SHRT_MAX", 4, true, INT16_MAX),
    INTEGER("SHRT_MIN", 4, true, INT16_MIN),
    INTEGER("USHRT_MAX", 4, true, UINT16_MAX),
    INTEGER("INT_MAX", 4, true, INT32_MAX),
    INTEGER("INT_MIN", 4, true, INT32_MIN),
    INTEGER("UINT_MAX", 4, false, UINT32_MAX),
    INTEGER("LONG_MAX", 8, true, INT64_MAX),
    INTEGER("LONG_MIN", 8, true, INT64_MIN),
    INTEGER("ULONG_MAX", 8, false, UINT64_MAX),
    FLOATING("NAN", 4, NAN),
    FLOATING("INFINITY", 4, INFINITY),
    FLOATING("HUGE_VALF", 4, INFINITY),
    FLOATING("HUGE_VAL", 8, INFINITY),
    FLOATING("MAXFLOAT", 4, FLT_MAX),
    FLOATING("FLT_MAX", 4, FLT_MAX),
    FLOATING("FLT_MIN", 4, FLT_MIN),
    FLOATING("FLT_EPSILON", 4, FLT_EPSILON),
    FLOATING("DBL_MAX", 8, DBL_MAX),
    FLOATING("DBL_MIN", 8, DBL_MIN),
    FLOATING("DBL_EPSILON", 8, DBL_EPSILON),
    FLOATING("M_PI_F", 4, 3.14159265358979323846),
    FLOATING("M_PI", 8, 3.14159265358979323846),
#undef INTEGER
#undef FLOATING
};

static bool find_constant(const char *name, struct debug_value *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(constants[i].name, name) != 0)
            continue;
        const struct debug_number number = constants[i].number;
        set(value, number,
            number.is_floating ? debug_from_double(&number, constants[i].value)
                               : constants[i].bits);
        return true;
    }
    return false;
}

/* ---- names ---- */

static bool find_enumerator(const struct debug_info *info, const char *name,
                            struct debug_value *value)
{
    for (uint32_t t = 0; t < info->type_count; t++) {
        const struct debug_type *type = info->types[t];
        for (uint32_t i = 0; type->kind == DEBUG_TYPE_ENUM && i < type->enumerator_count; i++) {
            if (strcmp(type->enumerators[i].name, name) != 0)
                continue;
            set(value, integer, type->enumerators[i].value);
            value->type = type;
            debug_number_of(type, &value->number, &value->count);
            return true;
        }
    }
    return false;
}

bool debug_name(const struct debug_lane *lane, const char *name, struct debug_value *value,
                struct error *error)
{
    const struct debug_info *info = lane->session->code->debug_info;
    const struct debug_site site = debug_site_of(lane);
    if (!info)
        return fail(error,
                    "nothing is known of '%s': the program was built without debug information",
                    name);
    const struct debug_variable *variable =
        site.context->scope ? debug_site_find_variable(&site, name) : NULL;
    if (!variable)
        return find_enumerator(info, name, value) || find_constant(name, value) ||
               fail(error,
                    site.context->scope ? "there is no '%s' that this place sees"
                                        : "nothing is known of variables at this place, so not of "
                                          "'%s'",
                    name);
    struct debug_spot spot;
    const char *why;
    if (debug_find_variable(lane, variable, &spot, &why)) {
        debug_load(lane, variable->type, spot, value);
        return true;
    }
    *value = (struct debug_value){.type = variable->type, .unknown = why, .count = 1};
    return true;
}

bool debug_register(const struct debug_lane *lane, const char *name, struct debug_value *value,
                    struct error *error)
{
    const struct debug_session *session = lane->session;
    const bool is_local = strcmp(name, "lid") == 0 || strcmp(name, "local") == 0;
    const bool is_group = strcmp(name, "group") == 0;
    if (strcmp(name, "item") == 0 || strcmp(name, "gid") == 0 || is_local || is_group) {
        *value = (struct debug_value){.number = size_number, .count = 3};
        for (uint32_t d = 0; d < 3; d++)
            value->bits[d] = is_group && session->holder
                                 ? session->holder->group.id[d]
                                 : debug_item(session, lane->vector_index, lane->lane, d, is_local);
        return true;
    }
    if (strcmp(name, "lane") == 0)
        set(value, integer, lane->lane);
    else if (strcmp(name, "vector") == 0)
        set(value, integer, lane->vector_index);
    else if (strcmp(name, "when") == 0)
        set(value, size_number, vm_debugger_position(&session->debugger.vm));
    else if (strcmp(name, "active") == 0)
        set(value, (struct debug_number){.width = 1, .is_boolean = true},
            debug_stand(session, lane->vector_index, lane->lane).state == DEBUG_ACTIVE);
    else
        return fail(error,
                    "there is no register $%s; there are $item, $gid, $lid, $group, $lane, "
                    "$vector, $active and $when",
                    name);
    return true;
}

/* ---- functions of work-items ---- */

/* Of a launch that is to begin the first group's. */
static const uint64_t *group_size(const struct debug_lane *lane)
{
    const struct launch *launch = lane->session->holder;
    return lane->session->begun ? launch->group.size : launch->request->local_size;
}

/* Those with a dimension. Of dimensions that there are not, ids are 0 and sizes 1. */
static bool ask_dimension(const struct debug_lane *lane, const char *name, uint64_t dimension,
                          uint64_t *answer)
{
    const struct launch *launch = lane->session->holder;
    const struct sched_launch *request = launch->request;
    const uint64_t *size = group_size(lane);
    const bool exists = dimension < 3;
    const uint32_t d = exists ? (uint32_t)dimension : 0;
    const bool is_local = strcmp(name, "get_local_id") == 0;
    const struct {
        const char *name;
        uint64_t answer, none;
    } known[] = {{"get_group_id", launch->group.id[d], 0},
                 {"get_global_offset", request->global_offset[d], 0},
                 {"get_global_size", request->global_size[d], 1},
                 {"get_local_size", size[d], 1},
                 {"get_enqueued_local_size", request->local_size[d], 1},
                 {"get_num_groups", launch->group_count[d], 1}};
    if (is_local || strcmp(name, "get_global_id") == 0) {
        *answer =
            exists ? debug_item(lane->session, lane->vector_index, lane->lane, d, is_local) : 0;
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            *answer = exists ? known[i].answer : known[i].none;
            return true;
        }
    }
    return false;
}

static uint64_t global_linear_id(const struct debug_lane *lane)
{
    const struct sched_launch *request = lane->session->holder->request;
    uint64_t id = 0;
    for (uint32_t d = 3; d-- > 0;)
        id = id * request->global_size[d] +
             debug_item(lane->session, lane->vector_index, lane->lane, d, false) -
             request->global_offset[d];
    return id;
}

/* Those without. */
static bool ask_item(const struct debug_lane *lane, const char *name, struct debug_value *value)
{
    const struct debug_number small = {.width = 4};
    const struct launch *launch = lane->session->holder;
    const struct sched_launch *request = launch->request;
    const uint64_t *of = group_size(lane);
    const uint64_t items = of[0] * of[1] * of[2];
    const uint64_t enqueued = launch->enqueued_items;
    const uint64_t item = (uint64_t)lane->vector_index * VM_LANES + lane->lane;
    const uint64_t size = request->sub_group_size;
    const uint64_t rest = items - item / size * size;
    const struct {
        const char *name;
        struct debug_number number;
        uint64_t answer;
    } known[] = {{"get_work_dim", small, request->dimensions},
                 {"get_local_linear_id", size_number, item},
                 {"get_global_linear_id", size_number, global_linear_id(lane)},
                 {"get_sub_group_size", small, rest < size ? rest : size},
                 {"get_max_sub_group_size", small, enqueued < size ? enqueued : size},
                 {"get_num_sub_groups", small, (items + size - 1) / size},
                 {"get_enqueued_num_sub_groups", small, (enqueued + size - 1) / size},
                 {"get_sub_group_id", small, item / size},
                 {"get_sub_group_local_id", small, item % size}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            set(value, known[i].number, known[i].answer);
            return true;
        }
    }
    return false;
}

bool debug_item_function(const struct debug_lane *lane, const char *name,
                         const struct debug_value *list, uint32_t count, struct debug_value *value)
{
    uint64_t answer;
    if (strncmp(name, "get_", 4) != 0 || !lane->session->holder)
        return false;
    if (count == 0)
        return ask_item(lane, name, value);
    if (count != 1 || list[0].number.is_floating || list[0].undefined[0] || list[0].opaque ||
        !ask_dimension(lane, name, debug_extend(&list[0].number, list[0].bits[0]), &answer))
        return false;
    set(value, size_number, answer);
    return true;
}
