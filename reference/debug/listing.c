/* Lane code and sources as texts. */
#include "reference/debug/look.h"
#include "reference/vm/shape.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <string.h>

static void append_operand(const struct vm_operand *operand, uint32_t value, bool *first,
                           struct text *text)
{
    static const char *const signs[] = {"", "r", "block ", "#"};
    if (operand->kind == VM_OPERAND_NONE)
        return;
    text_format(text, "%s%s%u", *first ? " " : ", ", signs[operand->kind], value);
    if (operand->kind == VM_OPERAND_ROW && operand->uniform)
        text_append(text, ".u");
    *first = false;
}

static void append_instruction(const struct vm_instruction *in, struct text *text)
{
    struct vm_shape shape;
    bool first = true;
    vm_shape_get(in, &shape);
    text_append(text, vm_op_name((enum vm_op)in->op));
    append_operand(&shape.operands[VM_OPERAND_DST], in->dst, &first, text);
    append_operand(&shape.operands[VM_OPERAND_A], in->a, &first, text);
    append_operand(&shape.operands[VM_OPERAND_B], in->b, &first, text);
    append_operand(&shape.operands[VM_OPERAND_C], in->c, &first, text);
}

bool debug_answer_disassemble(struct debug_session *session, const struct cJSON *request,
                              struct text *answer, struct error *error)
{
    enum { COUNT_MAX = 500 };
    uint64_t start = 0;
    uint64_t count = 16;
    uint64_t line = 0;
    const struct debug_standing standing = debug_stand(session, session->vector, session->lane);
    if (!session->code) {
        error_set(error, STATUS_INVALID, "no kernel runs");
        return false;
    }
    const bool stands = session->begun && standing.state < DEBUG_ENDED;
    if (!json_object_number(request, "start", &start) && stands)
        start = standing.site;
    json_object_number(request, "count", &count);
    json_object_number(request, "line", &line);
    if (line)
        start = 0;
    json_key(answer, "instructions");
    text_append(answer, "[");
    uint64_t shown = 0;
    for (uint64_t site = start;
         site < session->code->instruction_count && shown < count && shown < COUNT_MAX; site++) {
        const uint32_t place = debug_site_place(session, (uint32_t)site);
        struct text text = TEXT_INIT;
        if (line && debug_place(session, place)->line != line)
            continue;
        append_instruction(&session->code->instructions[site], &text);
        json_item(answer);
        text_append(answer, "{");
        json_number(answer, "site", site);
        json_string(answer, "text", text.bytes);
        debug_put_place(session, answer, place);
        json_key(answer, "stop");
        text_append(answer, session->starts[site] ? "true}" : "false}");
        text_release(&text);
        shown++;
    }
    text_append(answer, "]");
    if (stands)
        json_number(answer, "focus", standing.site);
    return true;
}

/* ---- sources ---- */

static const char *find_line(const struct debug_session *session, const char *file, uint32_t line)
{
    const struct vm_code *code = session->code;
    return code->source_line ? code->source_line(code->program, file, line) : NULL;
}

/* Is it the first place with its file? */
static bool is_first(const struct debug_session *session, uint32_t place)
{
    for (uint32_t before = 1; before < place; before++) {
        if (strcmp(debug_place(session, before)->file, debug_place(session, place)->file) == 0)
            return false;
    }
    return debug_place(session, place)->file[0] != '\0';
}

bool debug_answer_sources(struct debug_session *session, const struct cJSON *request,
                          struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    json_key(answer, "sources");
    text_append(answer, "[");
    for (uint32_t p = 1; session->code && p < session->code->place_count; p++) {
        if (!is_first(session, p))
            continue;
        json_item(answer);
        text_append(answer, "{");
        json_string(answer, "file", debug_place(session, p)->file);
        json_key(answer, "known");
        text_append(answer,
                    find_line(session, debug_place(session, p)->file, 1) ? "true}" : "false}");
    }
    text_append(answer, "]");
    return true;
}

bool debug_answer_source(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    enum { TEXT_MAX = 1 << 19 };
    const char *asked = json_object_text(request, "file");
    const char *file = NULL;
    struct text text = TEXT_INIT;
    if (!session->code) {
        error_set(error, STATUS_INVALID, "no kernel runs");
        return false;
    }
    const struct debug_lane focus = debug_focus(session);
    if (!asked && focus.place)
        file = debug_place(session, focus.place)->file;
    for (uint32_t p = 1; !file && p < session->code->place_count; p++) {
        if (debug_place(session, p)->file[0] != '\0' &&
            (!asked || debug_file_is(debug_place(session, p)->file, asked)))
            file = debug_place(session, p)->file;
    }
    const char *line = file ? find_line(session, file, 1) : NULL;
    for (uint32_t l = 2; line && text.size < TEXT_MAX; l++) {
        text_format(&text, "%s\n", line);
        line = find_line(session, file, l);
    }
    const bool known = text.size > 0;
    if (known) {
        json_string(answer, "file", file);
        json_string(answer, "text", text.bytes);
    } else {
        error_set(error, STATUS_NOT_FOUND, "the text of %s is not known",
                  asked ? asked : "the source");
    }
    text_release(&text);
    return known;
}
