/* A program to run under the preloaded library: "linked" calls the functions that it is linked
 * with, "opened" opens libOpenCL itself, "other" calls no OpenCL and only asks dlsym. Prints what
 * it got. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int(CL_API_CALL get_platform_ids)(cl_uint, cl_platform_id *, cl_uint *);
typedef cl_int(CL_API_CALL get_platform_info)(cl_platform_id, cl_platform_info, size_t, void *,
                                              size_t *);

static int show_name(get_platform_ids *ids, get_platform_info *info)
{
    cl_platform_id platform;
    char name[64];
    if (!ids || !info || ids(1, &platform, NULL) != CL_SUCCESS ||
        info(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        return 1;
    puts(name);
    return 5;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    void *library = strcmp(mode, "opened") == 0 ? dlopen("libOpenCL.so.1", RTLD_NOW) : NULL;
    /* After this program comes the C library, whichever library asks in between. */
    void *(*next)(size_t) = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    void *block = next ? next(10) : NULL;
    free(block);
    if (!block || dlsym(RTLD_DEFAULT, "clThereIsNoSuchFunction"))
        return 2;
    if (strcmp(mode, "linked") == 0)
        return show_name(clGetPlatformIDs, clGetPlatformInfo);
    if (!library)
        return 0;
    return show_name((get_platform_ids *)dlsym(library, "clGetPlatformIDs"),
                     (get_platform_info *)dlsym(library, "clGetPlatformInfo"));
}
