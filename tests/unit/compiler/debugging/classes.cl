// -cl-std=CLC++
namespace space {
int global_number = 3;
struct base {
    int b;
};
namespace inner {
int deep = 4;
}
} // namespace space
template <typename T> struct pair {
    T first, second;
    static constexpr int N = 4;
    T sum() const
    {
        T total = first + second;
        return total;
    }
};
class counter : public space::base {
    int n;

public:
    counter(int v) : n(v)
    {
        b = v;
    }
    int get()
    {
        int local_n = n;
        return local_n;
    }
    int &ref()
    {
        return n;
    }
};
enum class shade : uchar { dark, light = 200 };
using alias = pair<float>;
kernel void classes(global int *out)
{
    counter c(5);
    alias a;
    a.first = 1;
    a.second = 2;
    shade sh = shade::light;
    int &r = c.ref();
    const counter &cr = c;
    auto lambda = [=](int p) {
        int inside = p + r;
        return inside;
    };
    out[0] = c.get() + (int)a.sum() + cr.b + lambda(1) + (int)sh + space::global_number;
    out[1] = space::inner::deep;
}
