/* Memory objects made of OpenGL's, and what OpenGL says of these later: "if the OpenGL object is
 * deleted through the OpenGL API (e.g. glDeleteBuffers, glDeleteTextures, or
 * glDeleteRenderbuffers), subsequent use of the OpenCL buffer or image object will result in
 * undefined behavior" (OpenCL API 3.0, Lifetime of Shared OpenCL/OpenGL Memory Objects), and the
 * same "if the state of an OpenGL buffer object is modified through the OpenGL API (e.g.
 * glBufferData)" (clCreateFromGLBuffer). */
#include "checkers/host/checker.h"
#include "checkers/host/objects/teaching_call.h"

#include <inttypes.h>

static bool kind_of(uint32_t made_by, enum host_gl_kind *kind)
{
    switch (made_by) {
    case API_ENTRY_clCreateFromGLBuffer:
        *kind = HOST_GL_BUFFER;
        return true;
    case API_ENTRY_clCreateFromGLTexture:
    case API_ENTRY_clCreateFromGLTexture2D:
    case API_ENTRY_clCreateFromGLTexture3D:
        *kind = HOST_GL_TEXTURE;
        return true;
    case API_ENTRY_clCreateFromGLRenderbuffer:
        *kind = HOST_GL_RENDERBUFFER;
        return true;
    default:
        return false;
    }
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
    struct host_gl object = {0};
    *gl = (struct gl_traits){0};
    if (!kind_of(call->entry, &object.kind))
        return;
    switch (object.kind) {
    case HOST_GL_BUFFER:
        object.name = (uint32_t)call->arguments[API_clCreateFromGLBuffer_bufobj].bits;
        break;
    case HOST_GL_TEXTURE:
        object.name = (uint32_t)lesson_number(lesson, "texture");
        object.level = is_face(lesson_number(lesson, "target"))
                           ? -1
                           : (int32_t)lesson_number(lesson, "miplevel");
        break;
    case HOST_GL_RENDERBUFFER:
        object.name = (uint32_t)lesson_number(lesson, "renderbuffer");
        break;
    }
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
        struct host_gl object;
        struct mem_traits mem;
        uint64_t store;
        if (!judged_object(judged, handle, &mem) || !mem.gl.seen ||
            !kind_of(mem.made_by, &object.kind))
            continue;
        object.name = mem.gl.name;
        object.level = mem.gl.level;
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
