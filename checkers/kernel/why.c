/* Why a release and an acquire do not order two accesses that race: the sentences of the reason and
 * of the advice. */
#include "checkers/kernel/state.h"

#include "checkers/kernel/words.h"

#include <string.h>

/* What the sentences are made of. */
struct passing {
    struct kernel_checker *checker;
    const struct order_message *message;
    const struct site_access *store, *load;
    const char *store_line, *load_line;
    enum order_region region;       /* of the raced bytes */
    struct finding_change *changes; /* that the advice is; as in struct why */
};

static const char *region_words(enum order_region region)
{
    return region == ORDER_TEXELS
               ? "image"
               : words_region(region == ORDER_LOCAL ? OBSERVER_LOCAL : OBSERVER_GLOBAL);
}

/* "it is memory_order_relaxed, and ", where there are orders. */
static const char *order_clause(struct kernel_checker *checker, const struct site_access *access)
{
    return kernel_has_orders(checker) ? words(checker, "it is %s, and ", words_order(access->order))
                                      : "";
}

/* The advice has this word of the line changed, too. */
static void note_change(const struct passing *p, uint32_t slot, const char *from, const char *to)
{
    struct finding_place place;
    size_t i = 0;
    while (i < FINDING_CHANGES_MAX && p->changes[i].line != 0) {
        i++;
    }
    words_place(p->checker, order_slot_site(slot), NULL, &place);
    if (i < FINDING_CHANGES_MAX && place.source != NULL) {
        p->changes[i] = (struct finding_change){place.line, place.source, from, to};
    }
}

/* To give an atomic operation another order than it has. */
static const char *advice_of_order(const struct passing *p, const struct site_access *access,
                                   uint32_t slot, enum observer_order order)
{
    const char *const wanted = words_order(order);
    note_change(p, slot, words_order(access->order), wanted);
    return words(
        p->checker, "%s with %s at %s",
        order == OBSERVER_ORDER_ACQ_REL   ? "Update"
        : order == OBSERVER_ORDER_RELEASE ? "Store"
                                          : "Read",
        wanted,
        words_changed_line(p->checker, order_slot_site(slot), words_order(access->order), wanted));
}

/* Of a fence for both, the flag and the raced bytes. */
static const char *fence_flags(const struct passing *p)
{
    return words_flags(1U << p->message->region | 1U << p->region);
}

static enum observer_scope narrower(enum observer_scope a, enum observer_scope b)
{
    return a < b ? a : b;
}

static struct why why_of(const char *reason, const char *advice)
{
    return (struct why){.reason = reason, .advice = advice};
}

/* It was stored before the access: a release came too early, or would. */
static struct why too_early(const struct passing *p)
{
    return why_of(words(p->checker,
                        "the store at %s, which was read at %s, says only that what comes before "
                        "it is done, and this access follows it",
                        p->store_line, p->load_line),
                  words(p->checker,
                        "Store the flag when all that it stands for has been done, or let only "
                        "who reads a value that is stored after that go on at %s.",
                        p->load_line));
}

/* It ordered what another work-item of the group did. */
static struct why not_known(const struct passing *p)
{
    struct kernel_checker *checker = p->checker;
    return why_of(
        words(checker,
              "the store at %s, which was read at %s, orders what its work-item did and knew of; "
              "of this access, by another one of its work-group, it did not know",
              p->store_line, p->load_line),
        words(checker,
              !kernel_has_orders(checker) || order_releases(p->store->order)
                  ? "Put %s(%s) between the access and the store at %s."
                  : "Put %s(%s) between the access and the store at %s, and store with "
                    "memory_order_release.",
              kernel_has_orders(checker) ? "work_group_barrier" : "barrier",
              words_flags(1U << p->region), p->store_line));
}

/* It ordered another memory than the one raced for. */
static struct why other_memory(const struct passing *p)
{
    struct kernel_checker *checker = p->checker;
    const struct order_message *m = p->message;
    const uint32_t both = 1U << m->region | 1U << p->region;
    if (m->release_fence != 0 && m->fence_after != 0) {
        return why_of(
            words(checker,
                  "the fences at %s (%s) and %s (%s) do not both order %s memory, which this is",
                  words_line(checker, m->fence_before_site), words_flags(m->release_fence),
                  words_line(checker, m->fence_after_site), words_flags(m->fence_after),
                  region_words(p->region)),
            words(checker, "Give both fences the flags %s.", words_flags(both)));
    }
    return why_of(
        words(checker,
              "the flag stored at %s and read at %s is in %s memory, so its release and acquire "
              "order %s memory only, and this is %s memory",
              p->store_line, p->load_line, region_words(m->region), region_words(m->region),
              region_words(p->region)),
        words(checker,
              kernel_has_orders(checker)
                  ? "Keep flag and data in one memory; or put atomic_work_item_fence(%s, ...) "
                    "before the store, with memory_order_release, and after the load, with "
                    "memory_order_acquire."
                  : "Keep flag and data in one memory; or put mem_fence(%s) before the store and "
                    "after the load.",
              words_flags(both)));
}

/* Did the store that was read release itself, and not only those whose release sequence it is in?
 */
static bool store_releases(const struct passing *p)
{
    return order_releases(p->store->order) || p->message->fence_before != 0;
}

/* What mends a store that releases nothing, and a read that would acquire nothing either. */
static const char *advice_to_release(const struct passing *p)
{
    struct kernel_checker *checker = p->checker;
    const struct site_access *load = p->load;
    const enum observer_order wanted =
        order_acquires(p->store->order) ? OBSERVER_ORDER_ACQ_REL : OBSERVER_ORDER_RELEASE;
    if (!kernel_has_orders(checker))
        return words(checker, "Put mem_fence(%s) before the store at %s.", fence_flags(p),
                     p->store_line);
    if (order_acquires(load->order) || p->message->fence_after != 0)
        return advice_of_order(p, p->store, p->message->writer.slot, wanted);
    const enum observer_order of_read =
        order_releases(load->order) ? OBSERVER_ORDER_ACQ_REL : OBSERVER_ORDER_ACQUIRE;
    note_change(p, p->message->writer.slot, words_order(p->store->order), words_order(wanted));
    note_change(p, p->message->reader_slot, words_order(load->order), words_order(of_read));
    return words(checker, "%s with %s at %s, and read with %s at %s.",
                 wanted == OBSERVER_ORDER_ACQ_REL ? "Update" : "Store", words_order(wanted),
                 p->store_line, words_order(of_read), p->load_line);
}

/* The store published nothing. */
static struct why no_release(const struct passing *p)
{
    struct kernel_checker *checker = p->checker;
    const struct order_message *m = p->message;
    if (m->broken) {
        return why_of(
            words(checker,
                  "the store at %s, which was read at %s, overwrote what another work-item had "
                  "released there, and ended its release sequence",
                  p->store_line, p->load_line),
            words(checker,
                  "Make the store at %s a read-modify-write, which keeps the release that it "
                  "overwrites, or leave the flag to the work-item that releases.",
                  p->store_line));
    }
    if (m->fence_before != 0) {
        return why_of(
            words(checker,
                  "the release fence at %s has the flags %s, and the flag stored after it at %s "
                  "is in %s memory",
                  words_line(checker, m->fence_before_site), words_flags(m->fence_before),
                  p->store_line, region_words(m->region)),
            words(checker, "Give the fences the flags %s.",
                  words_flags(m->fence_before | 1U << m->region | 1U << p->region)));
    }
    if (p->store->kind == OBSERVER_ATOMIC_RMW &&
        order_slot_site(m->writer.slot) == order_slot_site(m->reader_slot)) {
        return why_of(kernel_has_orders(checker)
                          ? words(checker, "the updates at %s order nothing: they are %s",
                                  p->store_line, words_order(p->store->order))
                          : words(checker,
                                  "the updates at %s order nothing: no fence is before and after",
                                  p->store_line),
                      kernel_has_orders(checker)
                          ? advice_of_order(p, p->store, m->writer.slot, OBSERVER_ORDER_ACQ_REL)
                          : words(checker, "Put mem_fence(%s) before and after the update at %s.",
                                  fence_flags(p), p->store_line));
    }
    return why_of(
        words(checker,
              "the store at %s, which was read at %s, releases nothing: %sno %sfence comes "
              "before it",
              p->store_line, p->load_line, order_clause(checker, p->store),
              kernel_has_orders(checker) ? "release " : ""),
        advice_to_release(p));
}

/* There was something to acquire, and the reader did not try. */
static struct why no_acquire(const struct passing *p)
{
    return why_of(
        words(p->checker,
              "the read at %s, of what was released at %s, acquires nothing: %sno %sfence comes "
              "after it",
              p->load_line, p->store_line, order_clause(p->checker, p->load),
              kernel_has_orders(p->checker) ? "acquire " : ""),
        !kernel_has_orders(p->checker)
            ? words(p->checker, "Put mem_fence(%s) after the read at %s.", fence_flags(p),
                    p->load_line)
            : advice_of_order(p, p->load, p->message->reader_slot,
                              order_releases(p->load->order) ? OBSERVER_ORDER_ACQ_REL
                                                             : OBSERVER_ORDER_ACQUIRE));
}

/* Of atomic operations; a fence has a line of its own. */
static void note_scopes(const struct passing *p, enum observer_scope scope)
{
    if (p->message->fence_before != 0 || p->message->fence_after != 0) {
        return;
    }
    if (p->store->scope != scope) {
        note_change(p, p->message->writer.slot, words_scope(p->store->scope), words_scope(scope));
    }
    if (p->load->scope != scope) {
        note_change(p, p->message->reader_slot, words_scope(p->load->scope), words_scope(scope));
    }
}

/* Both tried, in scopes that do not include each other. */
static struct why scopes(const struct passing *p, enum observer_scope release,
                         enum observer_scope acquire)
{
    struct kernel_checker *checker = p->checker;
    const enum observer_scope distance = p->message->distance;
    const bool narrow = release < distance || acquire < distance;
    if (!kernel_has_orders(checker)) {
        return why_of(
            words(checker,
                  "the fences at %s and %s order one work-group, and these work-items are of "
                  "different ones",
                  words_line(checker, p->message->fence_before_site),
                  words_line(checker, p->message->fence_after_site)),
            "OpenCL C before 2.0 orders no memory between work-groups. Let a second kernel, "
            "enqueued after this one, do the later access, or let both sides use atomic functions "
            "on the data itself.");
    }
    if (!narrow) {
        note_scopes(p, release > acquire ? release : acquire);
        return why_of(
            words(checker,
                  "the release at %s has the scope %s and the acquire at %s the scope %s: up to "
                  "OpenCL 3.0 they synchronise only if the scopes are equal",
                  p->store_line, words_scope(release), p->load_line, words_scope(acquire)),
            words(checker, "Give both the scope %s.",
                  words_scope(release > acquire ? release : acquire)));
    }
    note_scopes(p, distance);
    return why_of(
        words(checker,
              "the release at %s and the acquire at %s do not synchronise: %s does not reach from "
              "one %s to another",
              p->store_line, p->load_line, words_scope(narrower(release, acquire)),
              distance == OBSERVER_SCOPE_DEVICE       ? "work-group"
              : distance == OBSERVER_SCOPE_WORK_GROUP ? "sub-group"
                                                      : "work-item"),
        words(checker, "Give both the scope %s.", words_scope(distance)));
}

static struct why no_synchronisation(const struct passing *p)
{
    struct kernel_checker *checker = p->checker;
    const struct order_message *m = p->message;
    if (!m->released) {
        return no_release(p);
    }
    if (order_acquires(p->load->order)) {
        return scopes(p, m->release_scope, narrower(p->load->scope, m->widest));
    }
    if (m->fence_after == 0) {
        return no_acquire(p);
    }
    if ((m->fence_after >> m->region & 1) == 0) {
        return why_of(
            words(checker,
                  "the acquire fence at %s has the flags %s, and the flag read before it at %s is "
                  "in %s memory",
                  words_line(checker, m->fence_after_site), words_flags(m->fence_after),
                  p->load_line, region_words(m->region)),
            words(checker, "Give the fences the flags %s.",
                  words_flags(m->fence_after | 1U << m->region | 1U << p->region)));
    }
    return scopes(p, m->release_scope, narrower(m->fence_after_scope, m->widest));
}

/* Did the writer of the flag make the access of the race, and when? All that come here update it at
 * one place. */
enum { OTHER, BEFORE_STORE, AFTER_STORE };

static int when_accessed(const struct order_message *message, const struct order_side *earlier)
{
    const struct order_side *writer = &message->writer;
    if (writer->group != earlier->group || writer->vector != earlier->vector ||
        writer->lane != earlier->lane)
        return message->updated && writer->slot < earlier->slot ? AFTER_STORE : OTHER;
    return writer->record != 0 && earlier->record >= writer->record ? AFTER_STORE : BEFORE_STORE;
}

/* All that come here take a number, say, which is no flag. */
static bool is_draw(const struct passing *p)
{
    const struct order_message *message = p->message;
    return message->updated && message->writer.slot == message->reader_slot &&
           !order_acquires(p->load->order) && message->fence_after == 0;
}

static struct why because(const struct passing *p, const struct order_race *race)
{
    const struct order_message *message = p->message;
    const int when = when_accessed(message, &race->earlier);
    if (when == AFTER_STORE)
        return is_draw(p) ? (struct why){0} : too_early(p);
    if ((message->ordered >> p->region & 1) == 0)
        return message->ordered != 0 ? other_memory(p) : no_synchronisation(p);
    if (when == OTHER)
        return not_known(p);
    return store_releases(p) ? too_early(p) : no_release(p);
}

struct why why_unordered(struct kernel_checker *checker, const struct order_race *race,
                         enum order_region region)
{
    const struct order_message *message = order_race_message(checker->order, race);
    if (message == NULL) {
        return (struct why){0};
    }
    struct finding_change changes[FINDING_CHANGES_MAX] = {0};
    const struct passing passing = {
        .checker = checker,
        .changes = changes,
        .message = message,
        .store = &checker->accesses[message->writer.slot],
        .load = &checker->accesses[message->reader_slot],
        .store_line = words_line(checker, order_slot_site(message->writer.slot)),
        .load_line = words_line(checker, order_slot_site(message->reader_slot)),
        .region = region,
    };
    struct why why = because(&passing, race);
    why.store_slot = message->writer.slot;
    why.load_slot = message->reader_slot;
    memcpy(why.changes, changes, sizeof why.changes);
    return why;
}
