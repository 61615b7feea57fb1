/* The server of the Debug Adapter Protocol: what a client (an editor) asks, and what it is told, by
 * requests and answers of the debugger (trace/debug/requests.h). Words are the protocol's.
 *
 * A client may ask while the process runs. What needs a stop then waits in a queue; what says where
 * to stop interrupts the process for a moment. Every request is answered, in the end.
 *
 * Work-items are many, threads of the protocol few: a thread is what the debugger's request of that
 * name has, as a rule the items of the group that stand at one place. */
#ifndef VIEWER_CLI_DEBUG_DAP_H
#define VIEWER_CLI_DEBUG_DAP_H

#include "trace/base/arena.h"
#include "trace/base/text.h"
#include "viewer-cli/debug/dap_wire.h"
#include "viewer-cli/debug/kernel_words.h"
#include "viewer-cli/debug/recorded.h"
#include "viewer-cli/debug/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the debugged process is at. */
enum dap_phase {
    DAP_NO_PROCESS, /* not yet, or no more */
    DAP_STARTING,   /* it comes to the beginning of its first launch */
    DAP_RUNNING,    /* the answer of a request that resumes is waited for */
    DAP_ASKED,      /* it stands, and an answer is waited for that may take long */
    DAP_STOPPED,
};

/* A breakpoint of the debugger, and what of the client's it is. */
enum dap_origin { DAP_OF_SOURCE, DAP_OF_FUNCTIONS, DAP_OF_DATA };
struct dap_breakpoint {
    struct dap_breakpoint *next;
    enum dap_origin origin;
    const char *file; /* DAP_OF_SOURCE: as the debugger has it */
    uint64_t number;
};

/* What the children of a value are called in expressions: "node.next". */
struct dap_reference {
    struct dap_reference *next;
    uint64_t reference;
    const char *expression; /* "" = they are names; NULL = they are none */
};

/* A file whose text a client can ask for; its sourceReference is its place in the list, from 1. */
struct dap_source {
    struct dap_source *next;
    const char *file;
};

struct dap_queued {
    struct dap_queued *next;
    struct cJSON *request;
};

/* What the debugger is at. */
struct dap_task {
    const char *title; /* NULL = nothing */
    uint64_t number;   /* of it among all */
    uint64_t seq;      /* of the client's request */
    uint64_t begun_ns;
    uint64_t told;  /* for so many seconds the client knows that it takes long; 0 = it does not */
    bool cancelled; /* by the client */
    bool is_told;   /* to the client, where it takes long */
};

struct dap;
struct origin;
struct terminal;
/* What follows an answer, which is one of success. */
typedef void dap_finish(struct dap *dap, const struct cJSON *request, const struct cJSON *answer);

struct dap {
    struct dap_wire wire;
    uint64_t seq;          /* of the last message that we wrote */
    struct text out;       /* the message that is written at the moment */
    bool ends;             /* `disconnect` */
    bool lines_start_at_0; /* what the client counts from */
    bool columns_start_at_0;
    bool tells_progress;     /* the client knows it */
    bool takes_invalidation; /* the same */
    bool is_quiet;           /* refusals are not shown by the client */

    struct debug_session *session;
    enum dap_phase phase;
    struct kernel_words words;
    const char *path; /* of the file that has the kernel's text, absolute; NULL = none */
    const char *trace, *personality; /* of a recorded run; NULL = what is debugged is none */
    struct recorded_finding finding; /* that is run to, before the first stop; its launch 0 = none
                                      */
    bool stops_on_entry;             /* the same */
    bool is_program;                 /* what is debugged, which runs for as long as it likes */
    const char *threads_by;          /* as the debugger's request has it; NULL = as usual */
    bool configured;                 /* configurationDone came */
    struct cJSON *launch;            /* is answered when the process stands; else NULL */
    struct text complaint;           /* what the process wrote as errors until then */
    bool continues;                  /* what runs is `continue`: it may be interrupted */
    bool interrupts;                 /* it is, for what is in the queue */
    bool pauses;                     /* the client wants it to be */
    struct dap_queued *queue;        /* the oldest first */
    struct dap_task task;
    struct cJSON *asking; /* DAP_ASKED: the client's request */
    dap_finish *finish;
    struct dap_breakpoint *breakpoints;
    struct dap_source *sources;
    struct arena arena; /* of a session: words, sources, breakpoints */

    /* Of the stop. */
    uint64_t thread, frame;   /* the focus */
    struct terminal *console; /* NULL = nobody has typed a word for it */
    struct dap_reference *references;
    struct arena stop_arena;
    struct text rule, report; /* of the finding at which it is; else "" */
};

/* ---- dap_message.c ---- */

/* Begins the response, with "body":{ open; dap_end closes and writes it. */
void dap_respond(struct dap *dap, const struct cJSON *request);
/* Begins an event the same way. */
void dap_event(struct dap *dap, const char *event);
void dap_end(struct dap *dap);
/* The whole response to what is done, or cannot be. */
void dap_done(struct dap *dap, const struct cJSON *request);
void dap_refuse(struct dap *dap, const struct cJSON *request, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Text for the client's console: category "stdout", "stderr" or "console". */
void dap_output(struct dap *dap, const char *category, const char *text, size_t size);
void dap_put_flag(struct text *text, const char *key, bool value);
/* A list in a list: the comma, if it needs one, and its bracket. */
void dap_open(struct text *text);
void dap_close(struct text *text);
/* The members of the object as they are, but for "request" and "ok". */
void dap_copy_members(const struct cJSON *object, struct text *text);

/* ---- dap_ask.c ---- */

/* Asks the debugger, whose request is ended here; also amid a response that is being written. */
enum status dap_try(struct dap *dap, struct text *asked, struct cJSON **answer,
                    struct error *error);
/* The same; NULL where it cannot be done: the client's request, if there is one, was refused then.
 */
struct cJSON *dap_ask(struct dap *dap, const struct cJSON *request, struct text *asked);
/* Sends what resumes, for a request of the client, or NULL; its answer comes to dap_take_answer. */
void dap_resume(struct dap *dap, const struct cJSON *request, struct text *asked, bool continues);
/* What was kept of the stop is good no more: it stands elsewhere, or will. */
void dap_forget_stop(struct dap *dap);
/* The focus goes to the thread and frame, if it is not there: false where it cannot. */
bool dap_focus(struct dap *dap, const struct cJSON *request, uint64_t thread, uint64_t frame);
/* The process is no more: killed if it still was, and forgotten. */
void dap_drop_process(struct dap *dap);

/* Numbers of frames say which thread's they are. */
uint64_t dap_frame_id(uint64_t thread, uint64_t frame);
void dap_split_frame_id(uint64_t id, uint64_t *thread, uint64_t *frame);

/* ---- dap_task.c ---- */

/* Something begins for the client's request, or NULL; its end is told where its progress was. */
void dap_task_begin(struct dap *dap, const struct cJSON *request);
void dap_task_end(struct dap *dap);
/* Milliseconds until there is something to be told of it: -1 = for ever. */
int dap_task_patience(const struct dap *dap);
/* Tells it, if it is time. */
void dap_task_tell(struct dap *dap);
/* Ends what is at work; the second, if it is what the arguments of `cancel` name. */
void dap_task_stop(struct dap *dap);
void dap_task_cancel(struct dap *dap, const struct cJSON *arguments);
/* As dap_ask, but the client may ask and cancel meanwhile: the request is answered by `finish`. */
void dap_ask_later(struct dap *dap, const struct cJSON *request, struct text *asked,
                   dap_finish *finish);
/* It has come; NULL: it was refused with a sentence. */
void dap_answer_asked(struct dap *dap, const struct cJSON *answer, const char *refusal);

/* ---- dap_source.c ---- */

/* "KEY":{...}, the Source of a file as the debugger has it. */
void dap_put_source(struct dap *dap, const char *key, const char *file);
/* The debugger's name of a Source of the client; NULL where it has none. */
const char *dap_source_file(struct dap *dap, const struct cJSON *source);
/* What the number of a goto target stands for; no file for a number that is none. */
uint64_t dap_target_line(uint64_t target);
const char *dap_target_file(const struct dap *dap, uint64_t target);
/* The line that the client counts, and back. */
uint64_t dap_line_to_client(const struct dap *dap, uint64_t line);
uint64_t dap_line_from_client(const struct dap *dap, uint64_t line);

/* A request of the client, whose arguments are an object, or NULL. It is answered when this has
 * returned, but for `launch`. */
typedef void dap_request(struct dap *dap, const struct cJSON *request,
                         const struct cJSON *arguments);
dap_request dap_source_text, dap_loaded_sources, dap_goto_targets;

/* ---- dap_break.c ---- */

dap_request dap_set_breakpoints, dap_set_function_breakpoints, dap_set_exception_breakpoints,
    dap_data_breakpoint_info, dap_set_data_breakpoints;
/* The filters, as capabilities have them. */
void dap_put_exception_filters(struct text *text);
/* Asks for a stop where `what` happens, as the request `catch` has it. */
void dap_catch(struct dap *dap, const char *what);
void dap_catch_rule(struct dap *dap, const char *rule);

/* ---- dap_data.c ---- */

dap_request dap_threads, dap_stack_trace, dap_scopes, dap_variables, dap_set_variable,
    dap_set_expression, dap_read_memory, dap_write_memory, dap_disassemble, dap_exception_info;
/* What a child of a reference is called in an expression; NULL where it has no such name. */
const char *dap_child_expression(struct dap *dap, uint64_t reference, const char *name);

/* The frame of the arguments is the focus, if they have one; false where it cannot. */
bool dap_focus_on_frame(struct dap *dap, const struct cJSON *request,
                        const struct cJSON *arguments);
/* Asks with an expression, and answers with the value, whose text is called `key`. `name`: what it
 * is called in expressions; NULL = it is not. */
void dap_answer_value(struct dap *dap, const struct cJSON *request, enum debug_request asked_for,
                      const char *expression, const char *name, const char *format,
                      const char *key);
/* In that of work-items are no variables. */
bool dap_scope_has_names(const char *scope);

/* ---- dap_console.c ---- */

dap_request dap_evaluate, dap_completions;

/* ---- dap_custom.c ---- */

dap_request dap_custom;
/* Who wrote the bytes of an answer to `who` before the launch of a recorded run. False: that is not
 * asked for, or not known. origin_release in any case. */
bool dap_find_origin(struct dap *dap, const struct cJSON *answer, struct origin *origin);
void dap_append_origin(const struct origin *origin, struct text *text);

/* ---- dap_run.c ---- */

dap_request dap_launch, dap_configuration_done, dap_next, dap_step_in, dap_step_out, dap_step_back,
    dap_step_group, dap_continue, dap_reverse_continue, dap_pause, dap_goto, dap_terminate,
    dap_disconnect;
/* It stood still, and stands at another moment now. */
void dap_tell_moved(struct dap *dap, const struct cJSON *stop);
/* The answer of what started or resumed the process. */
void dap_take_answer(struct dap *dap);

/* ---- dap_serve.c ---- */

/* Answers a client until it goes. */
enum status dap_serve(struct dap *dap, struct error *error);

#endif
