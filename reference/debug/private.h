/* Inside the engine: what its files share. */
#ifndef REFERENCE_DEBUG_PRIVATE_H
#define REFERENCE_DEBUG_PRIVATE_H

#include "reference/debug/checkpoints.h"
#include "reference/debug/debug.h"
#include "reference/debug/move.h"
#include "reference/debug/past.h"
#include "reference/debug/watch.h"
#include "reference/sched/group.h"
#include "reference/spirv/debug_info.h"
#include "trace/base/arena.h"
#include "trace/base/text.h"
#include "trace/debug/expression.h"

struct cJSON;

/* ---- the session ---- */

/* Why there is a stop at a site. */
enum {
    DEBUG_STOP_MOVE = 1,
    DEBUG_STOP_BREAKPOINT = VM_STOP_ASKED,
    DEBUG_STOP_WATCH = 4,
    DEBUG_STOP_CATCH = 8
};

enum debug_state {
    DEBUG_ACTIVE,  /* at the instruction */
    DEBUG_WAITING, /* to enter a block */
    DEBUG_BARRIER, /* at a barrier */
    DEBUG_SPIN,    /* to go round a loop */
    DEBUG_ENDED,
    DEBUG_NOT_BEGUN, /* it has no rows yet */
    DEBUG_ELSEWHERE, /* its vector has ended, or begins later, in the storage of others */
};

/* Where a work-item of the group stands. */
struct debug_standing {
    enum debug_state state;
    uint32_t site; /* ACTIVE, WAITING, BARRIER, SPIN */
};

struct debug_breakpoint {
    uint32_t number;
    char *file, *function, *condition, *log; /* NULL = none */
    char *found_file;                        /* that found_line is of, or NULL */
    uint64_t program;                        /* of this one alone; 0 = of any */
    uint32_t line;                           /* as it was asked; 0 = of a function */
    uint32_t found_line;                     /* where it is in the code that runs; 0 = nowhere */
    bool enabled, temporary, has_item;
    uint64_t item[3];
    struct debug_hit hit;
    uint64_t hits;
    const struct expression *parsed; /* the condition, in `arena` */
    struct arena arena;
    /* What is known of sites that it may stop at, of the launch that runs. */
    struct debug_break_site {
        uint32_t site;
        bool is_here;                /* it does */
        struct debug_filter *filter; /* of the condition; NULL = it has none */
        struct debug_break_site *next;
    } * sites;
    struct arena site_arena;
};

/* Why it stands. */
struct debug_stop {
    const char *reason; /* as requests.h has it; NULL = it runs */
    char text[256];
    uint32_t breakpoints[8];
    uint32_t breakpoint_count;
    uint32_t watches[8];
    uint32_t watch_count;
    uint32_t finding; /* + 1 among the session's; 0 = none */
};

struct debug_found {
    char *rule, *severity, *text, *position;
    uint32_t place;
    bool is_open; /* its report is still to come */
};

/* What a reference of an answer means, until the process goes on. */
enum debug_reference_kind {
    DEBUG_LOCALS,
    DEBUG_ARGUMENTS,
    DEBUG_LOCAL_MEMORY,
    DEBUG_ITEM,
    DEBUG_PARTS
};

/* Which process this is, and what it has to do with the others: past.h. */
enum debug_role { DEBUG_ORIGINAL, DEBUG_SEARCHING, DEBUG_LIVING };
struct debug_past {
    /* What it makes of a session again: whose file stands above it. */
    bool (*answer)(struct debug_session *session, const struct cJSON *request, struct text *answer,
                   struct error *error);
    void (*set_stops)(struct debug_session *session);
    enum debug_role role;
    bool silent;                           /* on an errand, and not there yet */
    bool applies;                          /* settings that another process was given */
    bool looks, has_found;                 /* searching: from a moment on; something */
    struct debug_find find;                /* the last */
    uint64_t stays_at;                     /* an errand: a checkpoint is to be left there; 0 = no */
    struct debug_errand errand;            /* of others than the original */
    int channel;                           /* to it */
    struct debug_checkpoints *checkpoints; /* the original's, of the launch; NULL = none */
    uint64_t stride;                       /* positions between them, at least */
    uint64_t made_at;                      /* the position of the last one */
    uint64_t next;                         /* the position from which it makes another one */
    uint64_t target;                       /* GOTO: the moment, */
    bool is_vector;                        /* where the vector of the focus begins; */
    bool begins;                           /* now it looks for its first statement */
    struct text settings;                  /* requests, each behind a SETTING_END */
    size_t settings_told;                  /* living: of them the original knows */
    uint64_t next_change;                  /* again: the next moment at which values are changed */
};

struct debug_session {
    struct sched_debugger debugger;
    int socket;
    bool gone;           /* nobody asks any more */
    bool pauses;         /* the front end wants it to stand */
    uint32_t pause_rest; /* sites without a place at which it still goes on nevertheless */
    bool asked;          /* who let it go on waits for an answer */
    bool resumed_has_id;
    uint64_t resumed_id; /* of that request */
    uint64_t stop_count;
    struct launch *launch; /* that runs; NULL = none */
    struct launch *holder; /* of the group that runs */
    uint32_t running;      /* the vector of it that runs */
    bool begun, over;      /* a vector has run; the launch has ended */
    uint32_t launch_count;
    uint64_t launch_number; /* of the call that enqueued it, where that has one; else the count */
    bool within;            /* what stands is in the midst of an instruction */
    const struct vm_code *code; /* of the launch */
    bool *starts;               /* by site: a statement begins */
    uint8_t *stops;             /* by site, DEBUG_STOP_ bits: what breakpoints and moves want */
    bool any_stops;
    uint8_t *everywhere; /* by site: all of them, for who wants the next instruction */
    struct debug_stop stop;
    /* The focus. */
    uint32_t vector, lane, frame;
    struct debug_move move;
    struct debug_past past;
    struct debug_breakpoint *breakpoints;
    size_t breakpoint_count, breakpoint_capacity;
    uint32_t breakpoint_number;
    struct debug_watch *watches; /* their numbers are among those of breakpoints */
    size_t watch_count, watch_capacity;
    struct debug_seek seek;
    struct debug_change *changes; /* of change.c, the last one behind */
    size_t change_count, change_capacity;
    struct debug_kept_access *kept_access; /* of who.c; NULL = none */
    bool catches_finding, catches_barrier, catches_launch, catches_end;
    char *caught_rule;             /* of findings, only these; NULL = all */
    struct debug_catches *catches; /* of catches.c; NULL = none */
    struct text output;            /* of kernels, not asked for yet */
    struct debug_found *found;
    size_t found_count, found_capacity;
    struct debug_reference *references;
    size_t reference_count, reference_capacity;
    struct arena scratch; /* until the next request */
    struct arena held;    /* until it goes on */
};

/* Where the focus, or another item, is looked at. */
struct debug_lane {
    struct debug_session *session;
    const struct launch *launch; /* that holds its group */
    struct vm_vector *vector;    /* NULL = it has no rows now */
    uint32_t vector_index, lane;
    uint32_t place; /* among the code's: of its frame; 0 = nothing is known */
};

/* ---- sites.c ---- */
static inline const struct vm_place *debug_place(const struct debug_session *session,
                                                 uint32_t place)
{
    return &session->code->places[place];
}
static inline uint32_t debug_site_place(const struct debug_session *session, uint32_t site)
{
    return session->code->instruction_places[site];
}
/* Does no work-item run, as at a launch's beginning and end? */
static inline bool debug_is_between(const struct debug_session *session)
{
    return session->launch && session->holder && (!session->begun || session->over);
}
/* Where a launch that has not begun will: its first statement. */
uint32_t debug_first_place(const struct debug_session *session);
/* Finds the starts of the code of a launch that begins; false when memory is out. */
bool debug_find_starts(struct debug_session *session);
/* The same file, line and call chain. */
bool debug_same_statement(const struct debug_session *session, uint32_t a, uint32_t b);
/* Is the place in a call that was made, directly or not, by the function that `frame` is in? */
bool debug_is_inside(const struct debug_session *session, uint32_t place, uint32_t frame);
/* Does the path end with what was asked, as whole names of folders and files? */
bool debug_file_is(const char *file, const char *asked);
uint32_t debug_frame_count(const struct debug_session *session, uint32_t place);
/* The place of frame number `frame`, 0 being the innermost. */
uint32_t debug_frame_place(const struct debug_session *session, uint32_t place, uint32_t frame);

/* ---- breaks.c ---- */
/* Finds what they stand for in the code, and sets the session's stops for how it goes on. */
void debug_set_stops(struct debug_session *session);
void debug_resolve_breakpoint(struct debug_session *session, struct debug_breakpoint *breakpoint);
/* Can anything stop a launch but its beginning? */
bool debug_may_stop(const struct debug_session *session);
/* vm_debugger.passes: is there no breakpoint at the site whose condition any of the active lanes
 * may fulfil? Mostly there is one, in a loop, and none does: millions of times. */
bool debug_passes(void *state, struct vm_vector *vector, uint32_t site);
/* Breakpoints at the site that the active lanes hit: puts them into the stop, and the lane into
 * the focus. */
bool debug_hits(struct debug_session *session, struct vm_vector *vector, uint32_t site);
struct debug_breakpoint *debug_breakpoint_find(struct debug_session *session, uint64_t number);
void debug_breakpoint_release(struct debug_breakpoint *breakpoint);
/* Requests. */
bool debug_answer_break(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error);
bool debug_answer_breakpoints(struct debug_session *session, const struct cJSON *request,
                              struct text *answer, struct error *error);
bool debug_answer_delete(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error);
bool debug_answer_change(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error);
bool debug_answer_enable(struct debug_session *session, const struct cJSON *request, bool enabled,
                         struct error *error);

/* ---- pause.c ---- */
/* The launch stops before the next instruction, wherever that is: for this one time. */
void debug_stop_next(struct debug_session *session);
/* It stops where `stops` say again. */
void debug_stop_as_usual(struct debug_session *session);
/* Something waits in the socket while nobody stands: is it that the front end wants a pause, or has
 * gone? All of it is received where the launch stands. */
bool debug_wants_pause(struct debug_session *session);
/* vm_debugger.poll */
void debug_poll(void *state);
/* Is this site where it stands because the front end wants a pause? */
bool debug_pauses_at(struct debug_session *session, uint32_t site);

/* ---- catches.c ---- */
/* Sets the stops that `catch` needs. */
bool debug_set_catches(struct debug_session *session);
/* Before an instruction whose operands may be needed behind it. */
void debug_catch_before(struct debug_session *session, const struct vm_vector *vector,
                        uint32_t site);
/* Has what is caught happened, or is it about to? Then the stop says so, and the focus is there. */
bool debug_caught(struct debug_session *session, const struct vm_vector *vector, uint32_t site);
void debug_catches_release(struct debug_session *session);

/* ---- move.c ---- */
/* The focus begins to go on in this way. */
void debug_begin_move(struct debug_session *session, enum debug_mode mode);
/* Is the step done, now that the lanes of `vector` are at the site? Sets the stop's reason. */
bool debug_move_is_done(struct debug_session *session, struct vm_vector *vector, uint32_t site);
/* Is the site one that the way of going on wants to be asked at? */
bool debug_move_wants(const struct debug_session *session, uint32_t site);

/* ---- past.c ---- */
/* Instructions that the launch has executed. */
uint64_t debug_position(const struct debug_session *session);
/* Takes what the launch has printed so far. */
void debug_take_output(struct debug_session *session);
/* The launch begins. Is this a child, that has stood here if it was to? */
bool debug_past_begin(struct debug_session *session);
/* At a moment, before its stops are looked at. It must stand here, for the reason that it sets? */
bool debug_past_arrive(struct debug_session *session, uint64_t moment);
/* Before it stands: that this is where a vector begins, if it was looked for. */
void debug_past_say(struct debug_session *session);
/* There is a reason to stand. Does it go on nevertheless? */
bool debug_past_takes(struct debug_session *session);
/* The process is to end, and with it all others. */
_Noreturn void debug_past_kill(struct debug_session *session);
/* It goes on from here. */
void debug_past_leave(struct debug_session *session);
/* The vector is about to run. */
void debug_past_run_vector(struct debug_session *session, uint32_t vector);
/* All groups have run. */
void debug_past_last(struct debug_session *session);
/* After the launch. */
void debug_past_end(struct debug_session *session);
/* So many instructions at least are to be between two checkpoints. */
void debug_past_set_stride(struct debug_session *session, uint64_t stride);
/* What stops the launch has changed. */
void debug_past_set_alarm(struct debug_session *session);
/* A request that the front end makes once, and that other processes are to know of. */
void debug_past_keep(struct debug_session *session, const char *request);
/* `set`, at this moment and for this focus. */
void debug_past_keep_change(struct debug_session *session, const struct cJSON *request);
/* Those from this size on take effect here. */
void debug_past_apply(struct debug_session *session, size_t from);
/* The group's vector is looked for: a question. */
void debug_past_seek_vector(struct debug_session *session, const void *words, size_t size);

/* ---- back.c ---- */
/* What becomes of a request to stand at another moment. */
enum debug_going { DEBUG_GOING_REFUSED, DEBUG_GOING_ON, DEBUG_GOING_STANDS };
/* Fulfils it. STANDS: here, with a stop to be answered; ON: it goes on as its move says. */
enum debug_going debug_go(struct debug_session *session, const struct debug_quest *quest,
                          struct error *error);
/* In a living process that has arrived: as often more as the quest says. Returns where it is to
 * stand. */
void debug_go_again(struct debug_session *session);
/* The quest that a request means. False: it means none, or with a sentence. */
bool debug_read_quest(struct debug_session *session, const struct cJSON *request,
                      struct debug_quest *quest, struct error *error);

/* ---- change.c ---- */
/* `set` has changed the value now. */
void debug_note_change(struct debug_session *session, const struct debug_lane *lane,
                       const struct debug_value *value, const char *name);
/* The last moment at which one of the bytes was changed; false: none was. */
bool debug_find_change(const struct debug_session *session, const struct debug_target *target,
                       uint64_t *moment);
/* Changes bytes, which are given in hexadecimal; false with a sentence. */
bool debug_write_bytes(struct debug_session *session, const struct debug_lane *lane,
                       uint64_t address, const char *digits, struct text *answer,
                       struct error *error);

/* ---- digest.c ---- */
uint64_t debug_digest(const struct debug_session *session);

/* ---- items.c ---- */
struct debug_standing debug_stand(const struct debug_session *session, uint32_t vector,
                                  uint32_t lane);
const char *debug_state_name(enum debug_state state);
/* A global id, or with `local` a local one. */
uint64_t debug_item(const struct debug_session *session, uint32_t vector, uint32_t lane,
                    uint32_t dimension, bool local);
/* The item of the focus' group with this linear local id is the focus. */
struct debug_lane debug_lane_of(struct debug_session *session, uint32_t vector, uint32_t lane,
                                uint32_t frame);
struct debug_lane debug_focus(struct debug_session *session);
/* By global ids. */
bool debug_find_item(const struct debug_session *session, const uint64_t item[3], uint32_t *linear,
                     struct error *error);
bool debug_read_item(const struct debug_session *session, const struct cJSON *item,
                     uint32_t *linear, struct error *error);
/* The item of the focus' group that the thread is; false: of another group, or none. */
bool debug_thread_item(const struct debug_session *session, uint64_t thread, uint32_t *linear);
/* "0-31, 40". */
void debug_append_ranges(struct text *text, const bool *items, uint32_t count);
bool debug_answer_threads(struct debug_session *session, const struct cJSON *request,
                          struct text *answer, struct error *error);
bool debug_answer_lanes(struct debug_session *session, struct text *answer);
/* Is a focus wanted that has no rows now? Then it is a quest, or refused with a sentence. */
bool debug_read_far_focus(struct debug_session *session, const struct cJSON *request,
                          struct debug_quest *quest, struct error *error);
/* The focus that a request wants. False with a sentence: there is no such. */
bool debug_set_focus(struct debug_session *session, const struct cJSON *request,
                     struct error *error);

/* ---- say.c ---- */
void debug_put_triple(struct text *answer, const char *key, const uint64_t values[3]);
void debug_put_place(const struct debug_session *session, struct text *answer, uint32_t place);
/* One more sentence of why it stands. */
void debug_say(struct debug_session *session, const char *text);

/* ---- answers.c ---- */
void debug_put_stop(struct debug_session *session, struct text *answer);
void debug_append_position(const struct debug_session *session, struct text *text);
/* All but those that resume. False with a sentence. */
bool debug_answer(struct debug_session *session, const struct cJSON *request, struct text *answer,
                  struct error *error);

#endif
