/* A program whose source includes files: of oneectory of its options, of the working directory,
 * and what these include. They are made here, in the working directory, and removed at the end. */
#include "tests/replay/program.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "#include \"own.h\"\n"
                             "# include <kinds/value.h>\n"
                             "#ifdef NEVER\n"
                             "#include \"nowhere.h\"\n"
                             "#endif\n"
                             "__kernel void fill(__global uint *values) {\n"
                             "    values[get_global_id(0)] = OWN + VALUE + BASE + FAR;\n"
                             "}\n";

static const struct {
    const char *path, *text;
} files[] = {
    {"own.h", "#define OWN 1000\n"},
    {"one/kinds/value.h",
     "#include \"base.h\"\n#include \"../../other/far.h\"\n#define VALUE 200\n"},
    {"one/kinds/base.h", "#define BASE 30\n"},
    {"other/far.h", "#define FAR 4\n"},
};
static const char *const directories[] = {"one", "one/kinds", "other"};

static void make_files(void)
{
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        expect(mkdir(directories[i], 0700) == 0, "oneectory");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i].path, "w");
        expect(file != NULL, "a file");
        fputs(files[i].text, file);
        fclose(file);
    }
}

static void remove_files(void)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i].path);
    for (size_t i = sizeof directories / sizeof *directories; i > 0; i--)
        rmdir(directories[i - 1]);
}

int main(void)
{
    struct setup setup;
    const size_t global = 16;
    cl_uint values[16] = {0};
    cl_int status;
    make_files();
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "-DUNUSED -I one -I .");
    cl_kernel kernel = clCreateKernel(program, "fill", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_WRITE_ONLY, sizeof values, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(values[15] == 1234, "what the files say");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    remove_files();
    return 0;
}
