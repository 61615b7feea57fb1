// C++ for OpenCL: program-scope objects are constructed before the first kernel, in the order in which they stand,
// and destroyed behind the last one, in the reverse order; both are checked as kernels are.
//
// $ clerk kernel destructors.cl -k sum -g 1 -a buf:int[1] --print 0 --build -cl-std=CLC++
// $ clerk kernel destructors.cl -k sum -g 1 -a buf:int[1] --print 0 --build '-cl-std=CLC++2021 -D INDEX=4' --schedule asc
// $ clerk kernel destructors.cl -k sum -g 1 -a buf:int[1] --print 0 --build '-cl-std=CLC++2021 -D INDEX=3' --schedule asc

#ifndef INDEX
#define INDEX 0
#endif

int table[4] = {1, 2, 3, 4};

struct plain {
    int value;
    ~plain() { printf("%d ends\n", value); }
};

struct made {
    int value;
    made(int index) : value(table[index]) {}
    ~made() { printf("%d ends, and %d\n", value, table[value]); }
};

plain one;
namespace inner {
made two(1);
}
made many[2] = {made(2), made(INDEX)};
plain last[2];

kernel void sum(global int *out)
{
    one.value = 10;
    last[0].value = 11;
    last[1].value = 12;
    *out = inner::two.value + many[0].value + many[1].value;
    table[3] = 7;
}
