/* Memory objects made of OpenGL's, and what OpenGL says of these later: "if the OpenGL object is
 * deleted through the OpenGL API (e.g. glDeleteBuffers, glDeleteTextures, or
 * glDeleteRenderbuffers), subsequent use of the OpenCL buffer or image object will result in
 * undefined behavior" (OpenCL API 3.0, Lifetime of Shared OpenCL/OpenGL Memory Objects), and the
 * same "if the state of an OpenGL buffer object is modified through the OpenGL API (e.g.
 * glBufferData)" (clCreateFromGLBuffer). */
#include "checkers/host/checker.h"
#include "checkers/host/objects/teaching_call.h"

#include <inttypes.h>

/* What makes memory objects of OpenGL's, and which parameter names that. */
static const struct maker {
    uint32_t entry;
    enum host_gl_kind kind;
    const char *parameter;
} makers[] = {
    {API_ENTRY_clCreateFromGLBuffer, HOST_GL_BUFFER, "bufobj"},
    {API_ENTRY_clCreateFromGLTexture, HOST_GL_TEXTURE, "texture"},
    {API_ENTRY_clCreateFromGLTexture2D, HOST_GL_TEXTURE, "texture"},
    {API_ENTRY_clCreateFromGLTexture3D, HOST_GL_TEXTURE, "texture"},
    {API_ENTRY_clCreateFromGLRenderbuffer, HOST_GL_RENDERBUFFER, "renderbuffer"},
};

static const struct maker *find_maker(uint32_t entry)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i)
        if (makers[i].entry == entry)
            return &makers[i];
    return NULL;
}

static const char *const kind_names[] = {[HOST_GL_BUFFER] = "buffer",
                                         [HOST_GL_TEXTURE] = "texture",
                                         [HOST_GL_RENDERBUFFER] = "renderbuffer"};

/* What the current OpenGL context says of an object that was shared with the context. */
static enum host_gl_answer ask(struct host_checker *checker, uint64_t context,
                               struct host_gl *object, uint64_t *store)
{
    struct context_traits traits;
    if (!checker->options.gl_ask || !checks_has(&checker->options.checks, RULE_GL_OBJECT_CHANGED) ||
        !object_get_traits(checker->objects, context, API_OBJECT_CONTEXT, &traits))
        return HOST_GL_UNKNOWN;
    object->context = traits.gl_context;
    return checker->options.gl_ask(object, store);
}

/* Of a cube OpenGL tells by its name only if all faces are alike. */
static bool is_face(uint64_t target)
{
    enum { CUBE_MAP_POSITIVE_X = 0x8515, CUBE_MAP_NEGATIVE_Z = 0x851A };
    return target >= CUBE_MAP_POSITIVE_X && target <= CUBE_MAP_NEGATIVE_Z;
}

void learn_gl(const struct lesson *lesson, struct gl_traits *gl)
{
    const struct api_call *call = lesson->call;
    const struct maker *maker = find_maker(call->entry);
    *gl = (struct gl_traits){0};
    if (!maker)
        return;
    struct host_gl object = {.kind = maker->kind,
                             .name = (uint32_t)lesson_number(lesson, maker->parameter)};
    object.level =
        is_face(lesson_number(lesson, "target")) ? -1 : (int32_t)lesson_number(lesson, "miplevel");
    gl->name = object.name;
    gl->level = object.level;
    gl->seen = ask(lesson->checker, call->arguments[0].bits, &object, &gl->store) == HOST_GL_THERE;
}

/* Once is enough. */
static void forget(struct object_table *objects, uint64_t handle)
{
    struct locked_traits locked;
    struct mem_traits *mem = object_lock_traits(objects, handle, API_OBJECT_MEM, &locked);
    if (mem)
        mem->gl.seen = false;
    object_unlock_traits(&locked);
}

/* argument a list of memory objects made of OpenGL's: these are what they were */
void judge_gl_objects(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        struct mem_traits mem;
        uint64_t store;
        if (!judged_object(judged, handle, &mem) || !mem.gl.seen)
            continue;
        struct host_gl object = {
            .kind = find_maker(mem.made_by)->kind, .name = mem.gl.name, .level = mem.gl.level};
        const enum host_gl_answer answer =
            ask(judged->checker, judged_context(judged, handle), &object, &store);
        const char *kind = kind_names[object.kind];
        if (answer == HOST_GL_GONE)
            blame_element(judged, step, i, handle,
                          "was made of OpenGL's %s %" PRIu32 ", which was deleted since", kind,
                          object.name);
        else if (answer == HOST_GL_THERE && store != 0 && mem.gl.store != 0 &&
                 store != mem.gl.store)
            blame_element(judged, step, i, handle,
                          "was made of OpenGL's %s %" PRIu32
                          ", which has another size or format since",
                          kind, object.name);
        else
            continue;
        forget(judged->checker->objects, handle);
    }
}
