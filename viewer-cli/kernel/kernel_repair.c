/* Repairs in words that can be applied by the letter: of a line, what stands there and what has to,
 * or the fence that has to be before an operation or behind it. */
#include "viewer-cli/kernel/cmd_kernel.h"

#include "trace/base/json.h"

#include <string.h>

/* "memory_order_release", "memory_scope_device", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" */
static void print_value(struct text *text, enum litmus_edit_kind kind, uint32_t value)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } flags[] = {{ORACLE_FLAG_LOCAL, "CLK_LOCAL_MEM_FENCE"},
                 {ORACLE_FLAG_GLOBAL, "CLK_GLOBAL_MEM_FENCE"},
                 {ORACLE_FLAG_IMAGE, "CLK_IMAGE_MEM_FENCE"}};
    const char *between = "";
    if (kind == LITMUS_EDIT_ORDER || kind == LITMUS_EDIT_FAILURE) {
        text_format(text, "memory_order_%s", executions_order_word((enum oracle_order)value));
    } else if (kind == LITMUS_EDIT_SCOPE) {
        text_format(text, "memory_scope_%s", executions_scope_word((enum oracle_scope)value));
    }
    for (size_t i = 0; kind == LITMUS_EDIT_FLAGS && i < sizeof flags / sizeof *flags; i++) {
        if ((value & flags[i].flag) != 0) {
            text_format(text, "%s%s", between, flags[i].word);
            between = " | ";
        }
    }
    if (kind == LITMUS_EDIT_FLAGS && value == 0) {
        text_append_char(text, '0');
    }
}

static bool puts_fence(const struct litmus_edit *edit)
{
    return edit->kind == LITMUS_EDIT_FENCE_BEFORE || edit->kind == LITMUS_EDIT_FENCE_BEHIND;
}

static const char *fence_side(const struct litmus_edit *edit)
{
    return edit->kind == LITMUS_EDIT_FENCE_BEFORE ? "before" : "behind";
}

/* "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device)" */
static void print_fence(const struct executions *executions, const struct litmus_edit *edit,
                        struct text *text)
{
    const struct litmus_instruction *fence = &edit->fence;
    if (executions->test->lacks_orders) {
        text_append(text, "mem_fence(");
        print_value(text, LITMUS_EDIT_FLAGS, fence->flags);
    } else {
        text_append(text, "atomic_work_item_fence(");
        print_value(text, LITMUS_EDIT_FLAGS, fence->flags);
        text_append(text, ", ");
        print_value(text, LITMUS_EDIT_ORDER, (uint32_t)fence->order);
        text_append(text, ", ");
        print_value(text, LITMUS_EDIT_SCOPE, (uint32_t)fence->scope);
    }
    text_append_char(text, ')');
}

/* How often the line has the word. */
static size_t count_in_line(const char *source, uint32_t line, const char *word)
{
    size_t count = 0;
    while (source != NULL && --line > 0) {
        source = strchr(source, '\n');
        source += source != NULL;
    }
    if (source == NULL) {
        return 0;
    }
    const char *end = source + strcspn(source, "\n");
    for (const char *at = strstr(source, word); at != NULL && at < end; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* "line 11: memory_order_relaxed -> memory_order_release", "line 11: mem_fence(...) before it";
 * where that is not all that the line says, with the operation, and if it is the order of its
 * failure, with that. */
static void print_edit(const struct executions *executions, const struct litmus_edit *edit,
                       struct text *text)
{
    struct text from = TEXT_INIT;
    print_value(&from, edit->kind, edit->from);
    const bool of_failure = edit->kind == LITMUS_EDIT_FAILURE;
    const bool is_clear =
        edit->is_alone && !(of_failure && edit->from == (uint32_t)edit->instruction->order) &&
        (puts_fence(edit) || count_in_line(executions->source, edit->line, from.bytes) == 1);
    text_format(text, "line %u", edit->line);
    if (!is_clear) {
        text_append(text, ", ");
        executions_print_operation(text, executions->test, edit->instruction,
                                   edit->instruction->kind);
        text_append(text, of_failure ? ", if it fails" : "");
    }
    if (puts_fence(edit)) {
        text_append(text, ": ");
        print_fence(executions, edit, text);
        text_format(text, " %s it", fence_side(edit));
    } else {
        text_format(text, ": %s -> ", from.bytes);
        print_value(text, edit->kind, edit->to);
    }
    text_release(&from);
}

static void print_head(const struct litmus_repair *repair, struct text *text)
{
    switch (repair->kind) {
    case LITMUS_REPAIR_NONE:
        text_format(text, "repair: none by up to %d changes of orders, scopes and flags, or fences",
                    LITMUS_REPAIR_MAX);
        break;
    case LITMUS_REPAIR_TRIED:
        text_append(text, "repair, not verified: ");
        break;
    case LITMUS_REPAIR_VERIFIED:
        text_append(text, "repair, verified: ");
        break;
    default:
        text_format(text, "repair: none was found in %u explorations", repair->explorations);
        break;
    }
}

static void print_json_edit(const struct executions *executions, const struct litmus_edit *edit)
{
    struct text *text = executions->text;
    struct text operation = TEXT_INIT;
    executions_print_operation(&operation, executions->test, edit->instruction,
                               edit->instruction->kind);
    text_format(text, "{\"line\":%u,\"operation\":", edit->line);
    text_append_json(text, operation.bytes);
    if (puts_fence(edit)) {
        text_format(text, ",\"%s\":\"", fence_side(edit));
        print_fence(executions, edit, text);
    } else {
        text_append(text, edit->kind == LITMUS_EDIT_FAILURE ? ",\"if_it_fails\":true" : "");
        text_append(text, ",\"from\":\"");
        print_value(text, edit->kind, edit->from);
        text_append(text, "\",\"to\":\"");
        print_value(text, edit->kind, edit->to);
    }
    text_append(text, "\"}");
    text_release(&operation);
}

static void print_json(const struct executions *executions)
{
    static const char *const verdicts[] = {
        [LITMUS_REPAIR_NONE] = "none",
        [LITMUS_REPAIR_UNKNOWN] = "not found",
        [LITMUS_REPAIR_TRIED] = "not verified",
        [LITMUS_REPAIR_VERIFIED] = "verified",
    };
    const struct litmus_repair *repair = executions->repair;
    text_format(executions->text, "{\"kind\":\"repair\",\"verdict\":\"%s\",\"edits\":[",
                verdicts[repair->kind]);
    for (size_t i = 0; i < repair->edit_count; i++) {
        text_append(executions->text, i == 0 ? "" : ",");
        print_json_edit(executions, &repair->edits[i]);
    }
    text_append(executions->text, "]}\n");
}

void executions_print_repair(const struct executions *executions)
{
    const struct litmus_repair *repair = executions->repair;
    if (repair == NULL || repair->kind == LITMUS_REPAIR_UNWANTED) {
        return;
    }
    if (executions->json) {
        print_json(executions);
        return;
    }
    print_head(repair, executions->text);
    for (size_t i = 0; i < repair->edit_count && repair->kind >= LITMUS_REPAIR_TRIED; i++) {
        text_append(executions->text, i == 0 ? "" : "; ");
        print_edit(executions, &repair->edits[i], executions->text);
    }
    text_append_char(executions->text, '\n');
}
