/* Asks OpenGL, if the calling thread has the context current that the OpenCL context was made for:
 * only then do names mean what they meant to the program. The functions are those that the program
 * has loaded; nothing is loaded for this, and since the program may unload them, they are looked
 * for each time. What is asked changes nothing, and none of it is an error to OpenGL. */
#include "layer/session_parts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>

/* As the headers of OpenGL have them, which need not be installed. */
typedef void *current_context(void);
typedef unsigned char is_object(unsigned name);
typedef const char *get_string(unsigned name);
typedef void get_named(unsigned name, unsigned what, int *value);
typedef void get_named_64(unsigned name, unsigned what, int64_t *value);
typedef void get_level(unsigned name, int level, unsigned what, int *value);
enum {
    GL_VERSION = 0x1F02,
    GL_BUFFER_SIZE = 0x8764,
    GL_TEXTURE_WIDTH = 0x1000,
    GL_TEXTURE_HEIGHT = 0x1001,
    GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
    GL_TEXTURE_DEPTH = 0x8071,
    GL_RENDERBUFFER_WIDTH = 0x8D42,
    GL_RENDERBUFFER_HEIGHT = 0x8D43,
    GL_RENDERBUFFER_INTERNAL_FORMAT = 0x8D44,
};

/* ---- functions ---- */

/* Programs and their loaders of OpenGL have variables of these names too. */
static bool is_function(void *address)
{
    Dl_info info;
    void *symbol = NULL;
    return dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol &&
           info.dli_saddr == address &&
           ELF64_ST_TYPE(((const ElfW(Sym) *)symbol)->st_info) == STT_FUNC;
}

static void *find_in(const char *library, const char *name)
{
    void *opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *function = opened ? dlsym(opened, name) : NULL;
    if (opened)
        dlclose(opened);
    return function;
}

static void *find(const char *name)
{
    static const char *const libraries[] = {"libGL.so.1", "libOpenGL.so.0", "libGLX.so.0",
                                            "libEGL.so.1", "libGLESv2.so.2"};
    void *function = dlsym(RTLD_DEFAULT, name);
    if (function && !is_function(function))
        function = NULL;
    for (size_t i = 0; !function && i < sizeof libraries / sizeof *libraries; ++i)
        function = find_in(libraries[i], name);
    return function;
}

static bool is_current(const char *get_current, uint64_t context)
{
    current_context *current = (current_context *)find(get_current);
    return current && (uint64_t)current() == context;
}

/* ---- what an object stores ---- */

/* That asks objects by their names since 4.5. A version of OpenGL ES begins with words. */
static bool asks_by_name(const char *version)
{
    char *rest;
    const long major = strtol(version, &rest, 10);
    const long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
    return major > 4 || (major == 4 && minor >= 5);
}

/* 0 is not a digest. */
static uint64_t digest_of(const void *values, size_t size)
{
    const uint64_t digest = XXH3_64bits(values, size);
    return digest != 0 ? digest : 1;
}

enum { QUERIES_MAX = 4 };
static const struct gl_kind {
    const char *is_object, *get;
    unsigned queries[QUERIES_MAX]; /* 0 ends them */
} kinds[] = {
    [HOST_GL_BUFFER] = {"glIsBuffer", "glGetNamedBufferParameteri64v", {GL_BUFFER_SIZE}},
    [HOST_GL_TEXTURE] = {"glIsTexture",
                         "glGetTextureLevelParameteriv",
                         {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH,
                          GL_TEXTURE_INTERNAL_FORMAT}},
    [HOST_GL_RENDERBUFFER] = {"glIsRenderbuffer",
                              "glGetNamedRenderbufferParameteriv",
                              {GL_RENDERBUFFER_WIDTH, GL_RENDERBUFFER_HEIGHT,
                               GL_RENDERBUFFER_INTERNAL_FORMAT}},
};

static int64_t query(void *get, const struct host_gl *object, unsigned what)
{
    int64_t large = 0;
    int value = 0;
    switch (object->kind) {
    case HOST_GL_BUFFER:
        ((get_named_64 *)get)(object->name, what, &large);
        return large;
    case HOST_GL_TEXTURE:
        ((get_level *)get)(object->name, object->level, what, &value);
        return value;
    case HOST_GL_RENDERBUFFER:
        ((get_named *)get)(object->name, what, &value);
        return value;
    }
    return 0;
}

static uint64_t store_of(const struct host_gl *object)
{
    const struct gl_kind *kind = &kinds[object->kind];
    int64_t values[QUERIES_MAX] = {0};
    void *get = find(kind->get);
    if (!get || (object->kind == HOST_GL_TEXTURE && object->level < 0))
        return 0;
    for (size_t i = 0; i < QUERIES_MAX && kind->queries[i]; ++i)
        values[i] = query(get, object, kind->queries[i]);
    return digest_of(values, sizeof values);
}

enum host_gl_answer gl_ask(const struct host_gl *object, uint64_t *store)
{
    const struct gl_kind *kind = &kinds[object->kind];
    *store = 0;
    if (object->context == 0 || (!is_current("glXGetCurrentContext", object->context) &&
                                 !is_current("eglGetCurrentContext", object->context)))
        return HOST_GL_UNKNOWN;
    is_object *is = (is_object *)find(kind->is_object);
    get_string *get = (get_string *)find("glGetString");
    const bool there = is && is(object->name);
    /* A context that was lost says no to everything. */
    const char *version = get ? get(GL_VERSION) : NULL;
    if (!is || !version)
        return HOST_GL_UNKNOWN;
    if (there && asks_by_name(version))
        *store = store_of(object);
    return there ? HOST_GL_THERE : HOST_GL_GONE;
}
