/* Before version 19, clang copies a part of an initialiser that is constant, in one that is not,
 * from a variable in private memory, and llvm-spirv 18 refuses the module:
 *
 *     @constinit = private constant [5 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5], align 4
 *     call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 @constinit, i64 20, i1 false)
 *
 * Here it lies in constant memory, as from version 19 on:
 *
 *     @constinit = private addrspace(2) constant [5 x i32] ...
 *     call void @llvm.memcpy.p0.p2.i64(ptr align 4 %to, ptr addrspace(2) align 4 @constinit, ...
 *
 * What earlier versions of llvm-spirv write of such variables repair_private mends. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"

static const char variable[] = "@constinit";
static const char definition[] = " = private ";
static const char copy[] = "@llvm.memcpy.p0.p0.";
static const char source[] = ", ptr align ";

/* Appends what stands from *at to before `to`, and goes there. */
static void append_until(struct text *text, const char **at, const char *to)
{
    text_append_n(text, *at, (size_t)(to - *at));
    *at = to;
}

/* The second pointer of a copy, after the word; NULL if the line copies anything else. */
static const char *find_source(struct ir_piece line)
{
    const char *from = ir_find(line, copy) ? ir_find(line, source) : NULL;
    const char *name = ir_find(line, variable);
    return from && name &&
                   strcspn(from + strlen(source), " ") + 1 == (size_t)(name - from) - strlen(source)
               ? from + strlen(", ptr ")
               : NULL;
}

/* Appends the declaration of the copy that stands for the one in this line, unless it is there. */
static void declare(struct text *text, const char *ir, struct ir_piece call)
{
    const bool narrow = ir_find(call, "@llvm.memcpy.p0.p0.i32") != NULL;
    const char *declared =
        narrow ? "declare void @llvm.memcpy.p0.p2.i32(" : "declare void @llvm.memcpy.p0.p2.i64(";
    if (!strstr(ir, declared))
        text_format(text, "%sptr, ptr addrspace(2), i%d, i1 immarg)\n", declared, narrow ? 32 : 64);
}

bool repair_initialisers(const char *ir, struct text *repaired)
{
    struct ir_piece call = {0};
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        const char *behind = ir_find(line, definition);
        const char *next = ir_next_line(line);
        if (ir_starts(line, variable) && behind) {
            append_until(repaired, &at, behind + strlen(definition));
            text_append(repaired, ir_find(line, "addrspace(") ? "" : "addrspace(2) ");
        } else if (ir_find(line, variable)) {
            const char *from = find_source(line);
            if (!from)
                return false;
            call = line;
            append_until(repaired, &at, ir_find(line, copy) + strlen("@llvm.memcpy.p0.p"));
            text_append_char(repaired, '2');
            at++;
            append_until(repaired, &at, from);
            text_append(repaired, "addrspace(2) ");
        }
        append_until(repaired, &at, next);
    }
    if (!call.at)
        return false;
    declare(repaired, ir, call);
    return !repaired->failed;
}
