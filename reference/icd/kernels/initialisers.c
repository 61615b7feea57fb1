#include "reference/icd/kernels/initialisers.h"

#include "checkers/finding.h"
#include "reference/icd/findings.h"
#include "reference/icd/types.h"
#include "trace/base/arena.h"

/* One side of a dependence. */
struct side {
    const struct vm_code *code;
    const struct touched_object *object;
    bool writes;
};

/* Did they use common bytes, and one wrote them? */
static bool find_dependence(struct side *a, struct side *b)
{
    for (int i = 0; i < TOUCHED_KIND_COUNT * TOUCHED_KIND_COUNT; i++) {
        const enum touched_kind a_kind = (enum touched_kind)(i / TOUCHED_KIND_COUNT);
        const enum touched_kind b_kind = (enum touched_kind)(i % TOUCHED_KIND_COUNT);
        a->writes = touched_writes(a_kind);
        b->writes = touched_writes(b_kind);
        if ((a->writes || b->writes) && touched_meet(a->object, a_kind, b->object, b_kind))
            return true;
    }
    return false;
}

static void tell(const struct side *a, const struct side *b)
{
    struct arena arena = {0};
    const struct side *writer = a->writes ? a : b;
    const struct side *other = a->writes ? b : a;
    const struct vm_object *variable = vm_memory_find(icd_memory(), writer->object->id);
    const struct finding_place places[] = {
        findings_place(other->code, other->object->site,
                       other->writes ? "another program's writes it, too"
                                     : "another program's reads it",
                       &arena),
        findings_place(writer->code, writer->object->site,
                       "the initialiser of one program writes it", &arena),
    };
    const char *message = arena_format(
        &arena, "the initialisers of two linked programs use '%s', and %s", variable->identity.name,
        other->writes ? "both write it" : "one writes what the other reads");
    findings_receive(NULL,
                     &(const struct finding){
                         .rule = RULE_INITIALISER_ORDER,
                         .message = message ? message : "initialisers depend on their order",
                         .reason = "programs that are linked are initialised in an order that "
                                   "is undefined: which of the two comes first may change",
                         .kernel = other->code->name,
                         .places = places,
                         .place_count = sizeof(places) / sizeof(places[0]),
                         .count = 1});
    arena_release(&arena);
}

static void judge(const struct initialiser *first, const struct initialiser *second)
{
    for (size_t i = 0; i < first->touched.count; i++) {
        for (size_t j = 0; j < second->touched.count; j++) {
            struct side a = {.code = first->code, .object = &first->touched.objects[i]};
            struct side b = {.code = second->code, .object = &second->touched.objects[j]};
            if (a.object->id == b.object->id && find_dependence(&a, &b)) {
                tell(&a, &b);
                return;
            }
        }
    }
}

void initialisers_judge(const struct checks *checks, const struct initialiser *initialisers,
                        size_t count)
{
    for (size_t i = 0; i < count && checks_has(checks, RULE_INITIALISER_ORDER); i++) {
        for (size_t j = i + 1; j < count; j++)
            judge(&initialisers[i], &initialisers[j]);
    }
}
