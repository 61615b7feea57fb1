/* Processes that stand in the past of the launch that runs, and what they are told (past.h). Of the
 * thread that executes. */
#ifndef REFERENCE_DEBUG_CHECKPOINTS_H
#define REFERENCE_DEBUG_CHECKPOINTS_H

#include "reference/debug/move.h"
#include "reference/debug/past.h"

/* What is to be stood at in the past. */
enum debug_quest_kind {
    DEBUG_QUEST_BACK,  /* the last stop before now, of the move */
    DEBUG_QUEST_TO,    /* a moment */
    DEBUG_QUEST_VECTOR /* where the vector of the group begins */
};
struct debug_quest {
    enum debug_quest_kind kind;
    uint64_t moment; /* TO */
    uint64_t group[3];
    uint32_t vector, lane; /* the focus; VECTOR: that it will be */
    struct debug_move move;
    uint64_t again; /* BACK: as often more */
    bool is_later;  /* VECTOR: it is known not to have begun */
    bool has_id;    /* of the request */
    uint64_t id;
};

/* What a child of a checkpoint is to do. */
struct debug_errand {
    bool lives;
    bool may_stay;   /* it may leave a checkpoint; set by who sends it */
    uint64_t until;  /* searching: to before this moment; living: the original's */
    uint64_t target; /* living: where it stands */
    uint64_t from;   /* searching: nothing is looked at before */
    struct debug_question question;
    struct debug_quest quest;
    char text[192]; /* living: what is said at the stop; "" = as of the quest */
};

/* What children say, and are answered. */
enum debug_word {
    DEBUG_WORD_FOUND,   /* searching: a find; */
    DEBUG_WORD_NOTHING, /* or none; */
    DEBUG_WORD_BEGAN,   /* before that, also of living ones, which process it is, */
    DEBUG_WORD_STAYED,  /* and that a checkpoint was left at the moment, by whom it is now */
    DEBUG_WORD_ARRIVED, /* living: where it was to stand, if it is still to; */
    DEBUG_WORD_STAND,   /* an answer: it is; */
    DEBUG_WORD_REACHED, /* go on as the quest's move says */
    DEBUG_WORD_QUEST,   /* fulfil the quest from my moment on */
    DEBUG_WORD_SEARCH,  /* search for me before the moment */
    DEBUG_WORD_KILL,    /* the process is to end */
    DEBUG_WORD_REFUSED  /* an answer: it cannot be, with a sentence */
};
struct debug_message {
    enum debug_word word;
    enum status status; /* REFUSED */
    pid_t process;      /* BEGAN, STAYED: who says it */
    bool gone, asked;   /* REACHED: the front end has gone; waits for an answer */
    uint64_t moment;
    size_t settings_size; /* STAYED: that it has */
    struct debug_quest quest;
    union {
        struct debug_question question;
        struct debug_find find;
        struct error refusal;
    };
};

struct debug_checkpoints;

/* Made when it is NULL; never copied. */
enum status debug_checkpoints_create(struct debug_checkpoints **checkpoints, struct error *error);
/* Ends all of them. */
void debug_checkpoints_drop(struct debug_checkpoints *checkpoints);
/* And these. NULL is fine. */
void debug_checkpoints_destroy(struct debug_checkpoints *checkpoints);

enum debug_fork { DEBUG_FORK_FAILED, DEBUG_FORK_MADE, DEBUG_FORK_ERRAND };
/* One more, of now. It returns MADE in this process; and in each child that is ever sent on an
 * errand ERRAND, with the errand, the settings that are new to it (to be appended), and its channel
 * to the original. `settings_size`: of those that there are now. */
enum debug_fork debug_checkpoints_add(struct debug_checkpoints *checkpoints, uint64_t moment,
                                      size_t settings_size, struct debug_errand *errand,
                                      struct text *settings, int *channel);
/* In a child on an errand: it stays where it is as a checkpoint more, of which the original is told
 * over the channel, and a child takes its place. Returns in the child, MADE or FAILED; and in those
 * that are sent on errands, as above. */
enum debug_fork debug_checkpoints_stay(uint64_t moment, size_t settings_size,
                                       struct debug_errand *errand, struct text *settings,
                                       int *channel);
/* In the original, which was told so by the child that lives, or searches; `control` becomes ours.
 */
void debug_checkpoints_adopt(struct debug_checkpoints *checkpoints, bool lives, int control,
                             uint64_t moment, size_t settings_size);
/* Processor time since the last one was made, and how much is to pass until the next: forty times
 * what one costs, with its end and the pages that are copied because of it. Nanoseconds. */
uint64_t debug_checkpoints_age(const struct debug_checkpoints *checkpoints);
uint64_t debug_checkpoints_patience(const struct debug_checkpoints *checkpoints);

/* The last one before the moment, or at it if `at`; SIZE_MAX = none. */
size_t debug_checkpoints_find(const struct debug_checkpoints *checkpoints, uint64_t moment,
                              bool at);
uint64_t debug_checkpoints_moment(const struct debug_checkpoints *checkpoints, size_t index);
/* Sends a child of it on the errand. *channel leads to it, and is the caller's. */
enum status debug_checkpoints_send(struct debug_checkpoints *checkpoints, size_t index,
                                   const struct debug_errand *errand, const struct text *settings,
                                   int *channel, struct error *error);

/* Over a channel. Settings: all that the sender has not told yet, appended to the receiver's.
 * *passed: a descriptor that came with it, or -1. */
enum status debug_channel_send(int channel, const struct debug_message *message,
                               const char *settings, size_t settings_size, struct error *error);
enum status debug_channel_receive(int channel, struct debug_message *message, struct text *settings,
                                  int *passed, struct error *error);

#endif
