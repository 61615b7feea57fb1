#include "trace/base/hash.h" /* before headers that use uthash */

#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"
#include "trace/base/assert.h"

#include <string.h>

struct kernel_case *case_counted(struct kernel_checker *checker, const struct case_key *key)
{
    if (!checks_has(&checker->checks, key->rule)) {
        return NULL;
    }
    checker->has_found = true;
    if (checker->is_scout) {
        return NULL;
    }
    struct kernel_case *known = NULL;
    if (checker->recent_case != NULL && memcmp(&checker->recent_case->key, key, sizeof *key) == 0) {
        known = checker->recent_case;
    } else {
        HASH_FIND(hh, checker->cases, key, sizeof *key, known);
    }
    if (known != NULL) {
        checker->recent_case = known;
        known->finding.count++;
        return known;
    }
    struct kernel_case *made = arena_alloc(&checker->arena, 1, sizeof *made);
    if (made == NULL) {
        checker->out_of_memory = true;
        return NULL;
    }
    made->key = *key;
    HASH_ADD(hh, checker->cases, key, sizeof made->key, made);
    if (made->hh.tbl == NULL) { /* it could not be added */
        checker->out_of_memory = true;
        return NULL;
    }
    made->finding = (struct finding){
        .rule = key->rule,
        .context = words_launch(checker),
        .kernel = checker->launch.kernel,
        .call_id = checker->launch.call_id,
        .count = 1,
    };
    ASSERT(*checker->last_case == NULL);
    *checker->last_case = made;
    checker->last_case = &made->next;
    if (checker->notice != NULL) {
        checker->notice(checker->user, key->rule);
    }
    return made;
}

struct finding *case_count(struct kernel_checker *checker, const struct case_key *key)
{
    struct kernel_case *counted = case_counted(checker, key);
    return counted != NULL && counted->finding.count == 1 ? &counted->finding : NULL;
}

void cases_drop(struct kernel_checker *checker)
{
    HASH_CLEAR(hh, checker->cases);
    checker->recent_case = NULL;
    checker->first_case = NULL;
    checker->last_case = &checker->first_case;
    arena_release(&checker->arena);
}
