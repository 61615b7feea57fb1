/* What is known of the kernels of a program, or is being found out: by clerk_probe, a process of
 * its own, for which a thread of ours waits; from the cache where it was found before. Any
 * thread. */
#ifndef LAYER_DRIVER_HELD_FACTS_H
#define LAYER_DRIVER_HELD_FACTS_H

#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "trace/api/cache.h"

#include <stdbool.h>
#include <sys/stat.h>

/* clerk_probe. What another version of it found is not believed: `file` tells them apart. */
struct prober {
    char *path;
    struct stat file;
};

/* False when there is none, or memory is out. Release in either case. */
bool prober_init(struct prober *prober);
void prober_release(struct prober *prober);

/* Counted: who gets it drops it. */
struct held_facts;

/* Under which the cache has what was found of the program that a binary is of. */
struct cache_key held_facts_binary_key(const struct prober *prober, const void *bytes, size_t size);

/* Begins to find out what the request asks; NULL: nothing will be known. */
struct held_facts *held_facts_find_out(const struct prober *prober, const struct request *request);
/* What the cache has; NULL when it has nothing. */
struct held_facts *held_facts_load(struct cache_key key);
struct held_facts *held_facts_hold(struct held_facts *held); /* NULL is fine, here and below */
void held_facts_drop(struct held_facts *held);

/* Waits for what is found, at most two seconds from the beginning; NULL when there is nothing. It
 * lives as long as it is held. */
const struct facts *held_facts_wait(struct held_facts *held);
/* Likewise the checked copy, for which it waits ten seconds; of no part if it was not asked for. */
const struct checked *held_facts_wait_checked(struct held_facts *held, const struct facts **facts);
/* Has the search ended, whatever it found? */
bool held_facts_have_ended(struct held_facts *held);

/* What it is found of: a packed struct request; of no bytes if it came by a binary's key. */
const void *held_facts_request(const struct held_facts *held, size_t *size);

/* The cache is to have it under this key too, as soon as it is found. Waits for nothing. */
void held_facts_keep(struct held_facts *held, struct cache_key key);
/* Do both say the same? Unsure as long as they are looked for: then false, unless both look for the
 * same. */
bool held_facts_agree(struct held_facts *a, struct held_facts *b);

/* The program ends: the process that still looks is ended. */
void held_facts_stop(struct held_facts *held);

#endif
