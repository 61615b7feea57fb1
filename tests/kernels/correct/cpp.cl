// C++ for OpenCL: templates, classes, lambdas, references, and constructors of program-scope variables, which
// run before the kernels.
//
// $ clerk kernel cpp.cl -g 2 -l 2 -a buf:int[16]=0 --print 0 --build -cl-std=CLC++
// $ clerk kernel cpp.cl -g 2 -l 2 -a buf:int[16]=0 --print 0 --build -cl-std=CLC++2021

template <class T> struct Pair {
    T a, b;
    T sum() const { return a + b; }
};

struct Counter {
    int n;
    Counter(int start) : n(2 * start) {}
    int next() { return n++; }
};

constexpr int square(int x) { return x * x; }
template <class T> T twice(T v) { return v + v; }
inline int add(int a, int b = 3) { return a + b; }

namespace first {
Counter counter(21);
}
Counter second(first::counter.n + square(3));

kernel void f(global int *out)
{
    out += 8 * get_global_id(0);
    Pair<int> pair{1, 2};
    out[0] = pair.sum();
    out[1] = square(5) + twice(7);
    auto shift = [&](int x) { return x + out[0]; };
    out[2] = shift(10);
    out[3] = first::counter.n;
    out[4] = second.n;
    out[5] = add(4);
    global int &reference = out[6];
    reference = static_cast<int>(3.7f);
    Counter mine(50);
    mine.next();
    out[7] = mine.next();
}
