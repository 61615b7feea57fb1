/* Each of these leaves `tile` and `wide` free for the next: it ends with a barrier, or with a
 * function that is one. */
#include "tests/fuzz/random_group.h"

static const struct type uint_type = {UINT, 1};

static void barrier_line(struct scope *scope)
{
    indent(scope);
    put(scope, "barrier(CLK_LOCAL_MEM_FENCE);\n");
}

/* Looks at what `tile` or `wide` has for another. */
static void look(struct scope *scope, const char *where)
{
    indent(scope);
    text_format(scope->out, "hash = MIX(hash, %s[(lid + %uu) %% size]);\n", where, below(70));
    barrier_line(scope);
}

/* Everybody shows a value to the group and looks at that of another. */
static void exchange(struct scope *scope)
{
    indent(scope);
    put(scope, "tile[lid] = ");
    expression(scope, uint_type, 2);
    put(scope, ";\n");
    barrier_line(scope);
    look(scope, "tile");
}

static void count_locally(struct scope *scope)
{
    static const char *const operations[] = {"add", "or", "and", "xor", "min", "max", "sub"};
    const bool wide = one_in(2);
    const char *where = wide ? "wide" : "tile";
    const char *operation = operations[below(7)];
    indent(scope);
    text_format(scope->out, "%s[lid] = in32[lid];\n", where);
    barrier_line(scope);
    indent(scope);
    text_format(scope->out, "LOCAL_COUNT%s(%s, &%s[(", wide ? "_64" : "", operation, where);
    expression(scope, uint_type, 2);
    put(scope, ") % size], ");
    expression(scope, (struct type){wide ? ULONG : UINT, 1}, 2);
    put(scope, ");\n");
    barrier_line(scope);
    look(scope, where);
}

/* Sums are of unsigned numbers, which may wrap. */
static void collective(struct scope *scope)
{
    static const char *const kinds[] = {"reduce", "scan_inclusive", "scan_exclusive"};
    static const char *const names[] = {"min", "max", "add"};
    const struct type type = {(enum base)(INT + below(4)), 1};
    const bool is_unsigned = type.base == UINT || type.base == ULONG;
    indent(scope);
    switch (below(6)) {
    case 0:
        put(scope, one_in(2) ? "hash = MIX(hash, GROUP_any(" : "hash = MIX(hash, GROUP_all(");
        expression(scope, (struct type){INT, 1}, 2);
        put(scope, "));\n");
        break;
    case 1:
        text_format(scope->out, "hash = MIX(hash, GROUP_broadcast(%s, ", name_of(type));
        expression(scope, type, 2);
        text_format(scope->out, ", (uniform + %uu) %% size));\n", below(100));
        break;
    default:
        text_format(scope->out, "hash = MIX(hash, GROUP_%s(%s, %s, ", kinds[below(3)],
                    names[below(is_unsigned ? 3 : 2)], name_of(type));
        expression(scope, type, 2);
        put(scope, "));\n");
        break;
    }
}

/* Of inputs, whose elements are read as wider ones now and then. */
static void copy(struct scope *scope)
{
    const bool wide = one_in(3);
    const char *where = wide ? "wide" : "tile";
    const uint32_t stride = wide ? 1 : 1 + below(2);
    indent(scope);
    put(scope, "{\n");
    scope->depth++;
    indent(scope);
    text_format(scope->out,
                wide ? "event_t e = async_work_group%s_copy(%s, (global const ulong *)in32 + %u"
                     : "event_t e = async_work_group%s_copy(%s, in32 + %u",
                stride > 1 ? "_strided" : "", where, below(wide ? 28 : 56));
    text_format(scope->out, stride > 1 ? ", size, %u, 0);\n" : ", size, 0);\n", stride);
    if (one_in(2)) { /* something else to do meanwhile */
        indent(scope);
        put(scope, "hash = MIX(hash, ");
        expression(scope, uint_type, 2);
        put(scope, ");\n");
    }
    indent(scope);
    put(scope, "wait_group_events(1, &e);\n");
    look(scope, where);
    scope->depth--;
    indent(scope);
    put(scope, "}\n");
}

void group_statement(struct scope *scope)
{
    switch (below(7)) {
    case 0:
    case 1:
        exchange(scope);
        break;
    case 2:
    case 3:
        count_locally(scope);
        break;
    case 4:
        copy(scope);
        break;
    default:
        collective(scope);
        break;
    }
}
