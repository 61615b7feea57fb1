/* clang (-fno-use-cxa-atexit) makes of the destructor of a program-scope object a function, and
 * hands it to atexit when the object has been constructed; the object's address it leaves out, as
 * it lies in no address space that it knows how to convert:
 *
 *     %1 = call spir_func i32 @atexit(void ()* @__dtor_one)       (from 16 on: ptr @__dtor_one)
 *
 *     define internal spir_func void @__dtor_one() {
 *       call spir_func void @_ZNU3AS45plainD2Ev(%struct.plain* null)     (ptr null)
 *
 * Here the functions get the addresses, and are called by an entry point of their own, the last one
 * first. An array's function knows its array, and has a parameter that it never uses.
 *
 * A static object of a function is made when the function is first called, if it ever is. Then
 * clang sets a variable, without which there is nothing to destroy:
 *
 *     @_ZGVZ1gvE3one = internal addrspace(1) global i8 0, align 1       (of @_ZZ1gvE3one) */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"
#include "trace/base/alloc.h"

static const char prefix[] = "@__dtor_";

struct destructors {
    struct ir_piece *functions; /* "@__dtor_one", in the order of the objects */
    size_t count, capacity;
    bool failed;
};

/* "@__dtor_one"; empty when the line has no such name. */
static struct ir_piece function_of(struct ir_piece line)
{
    const char *name = ir_find(line, prefix);
    const size_t rest = name ? (size_t)(line.at + line.size - name) : 0;
    size_t size = 0;
    while (size < rest && name[size] != ')' && name[size] != '(')
        size++;
    return (struct ir_piece){.at = name, .size = size};
}

static void add(struct destructors *destructors, struct ir_piece function)
{
    struct ir_piece *functions = alloc_grow(destructors->functions, destructors->count,
                                            &destructors->capacity, sizeof *functions);
    destructors->failed |= !functions;
    if (!functions)
        return;
    destructors->functions = functions;
    functions[destructors->count++] = function;
}

/* The value of the call has a number that the next ones count from. */
static void append_registration(struct text *repaired, struct ir_piece line)
{
    const char *equals = ir_find(line, "=");
    text_append_n(repaired, line.at, equals ? (size_t)(equals - line.at) : 0);
    text_append(repaired, equals ? "= add i32 0, 0" : "");
}

/* A call of a destructor in `function`; false = none of that form. */
static bool append_call(struct text *repaired, struct ir_piece line, struct ir_piece function)
{
    static const char nobody[] = "* null)", untyped[] = "(ptr null)";
    const char *null = ir_find(line, untyped);
    if (null) {
        text_append_n(repaired, line.at, (size_t)(null - line.at));
        text_format(repaired,
                    "(ptr addrspace(4) addrspacecast (ptr addrspace(1) @%.*s to ptr addrspace(4)))",
                    (int)(function.size - strlen(prefix)), function.at + strlen(prefix));
        text_append_n(repaired, null + strlen(untyped),
                      (size_t)(line.at + line.size - null - strlen(untyped)));
        return true;
    }
    null = ir_find(line, nobody);
    const char *open = null ? memrchr(line.at, '(', (size_t)(null - line.at)) : NULL;
    if (!open)
        return false;
    const struct ir_piece object = ir_rest(function, function.at + strlen(prefix));
    const int size = (int)(null - open - 1);
    const char *type = open + 1;
    text_append_n(repaired, line.at, (size_t)(type - line.at));
    if (size == 2 && memcmp(type, "i8", 2) == 0)
        text_append(repaired, "i8 addrspace(4)* null)");
    else
        text_format(repaired,
                    "%.*s addrspace(4)* addrspacecast (%.*s addrspace(1)* @%.*s to "
                    "%.*s addrspace(4)*))",
                    size, type, size, type, (int)object.size, object.at, size, type);
    const char *rest = null + strlen(nobody);
    text_append_n(repaired, rest, (size_t)(line.at + line.size - rest));
    return true;
}

/* Whether the object of this function is a static one of a function. Then `guard` is the variable
 * that tells that it was made. Before version 19 that lies in private memory, and the module is
 * refused. */
static bool find_guard(const char *ir, struct ir_piece function, struct text *guard)
{
    static const char local[] = "_ZZ";
    const struct ir_piece object = ir_rest(function, function.at + strlen(prefix));
    if (!ir_starts(object, local))
        return false;
    text_format(guard, "\n@_ZGV%.*s = ", (int)object.size - 2, object.at + 2);
    const char *definition = guard->failed ? NULL : strstr(ir, guard->bytes);
    if (!definition || !ir_find(ir_line(definition + 1), " addrspace(1) global i8 "))
        return false;
    guard->size -= strlen(" = ");
    return true;
}

static void append_entry_point(struct text *repaired, const char *ir,
                               const struct destructors *destructors)
{
    text_append(repaired, "define spir_kernel void @" REPAIR_FINALISER "() {\n");
    for (size_t i = destructors->count; i > 0; i--) {
        const struct ir_piece function = destructors->functions[i - 1];
        struct text guard = TEXT_INIT;
        const bool guarded = find_guard(ir, function, &guard);
        if (guarded)
            text_format(repaired,
                        "  %%clerk.%zu.guard = load i8, ptr addrspace(1) %.*s\n"
                        "  %%clerk.%zu.made = icmp ne i8 %%clerk.%zu.guard, 0\n"
                        "  br i1 %%clerk.%zu.made, label %%clerk.%zu.end, label %%clerk.%zu.next\n"
                        "clerk.%zu.end:\n",
                        i, (int)guard.size - 1, guard.bytes + 1, i, i, i, i, i, i);
        text_format(repaired, "  call spir_func void %.*s()\n", (int)function.size, function.at);
        if (guarded)
            text_format(repaired, "  br label %%clerk.%zu.next\nclerk.%zu.next:\n", i, i);
        repaired->failed |= guard.failed;
        text_release(&guard);
    }
    text_append(repaired, "  ret void\n}\n");
}

bool repair_destructors(const char *ir, struct text *repaired)
{
    struct destructors destructors = {0};
    struct ir_piece inside = {0}; /* of the function of a destructor */
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        at = ir_next_line(line);
        if (ir_starts(line, "define "))
            inside = ir_starts(line, "define internal ") ? function_of(line) : (struct ir_piece){0};
        if (ir_find(line, "@atexit(void ()*") || ir_find(line, "@atexit(ptr")) {
            if (function_of(line).size > 0) {
                add(&destructors, function_of(line));
                append_registration(repaired, line);
            }
        } else if (inside.size == 0 || !ir_find(line, " call ") ||
                   !append_call(repaired, line, inside)) {
            text_append_n(repaired, line.at, line.size);
        }
        text_append_char(repaired, '\n');
    }
    append_entry_point(repaired, ir, &destructors);
    const bool found = destructors.count > 0 && !destructors.failed && !repaired->failed;
    alloc_free(destructors.functions);
    return found;
}
