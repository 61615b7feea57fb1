// What variables hold after loops in which nothing stops: of items that left them at several times, that took other
// ways, of values that go round, are undefined, or were told of by a finding.
// $ clerk debug late.cl -g 64 -a 'buf:uint[64]' -a uint=300 --batch late.commands

kernel void late(global uint *out, uint n)
{
    const uint i = get_global_id(0);
    uint sum = 0, a = 1, b = i, left = 0;
    uchar small = 250;
    double real = 1;
    int never;
    for (uint k = 0; k < n - i / 16; ++k) {
        uint t = a;
        a = b;
        b = t + k;
        sum = sum * 3 + k + (i & 1);
        small += (uchar)sum;
        left = k;
        if (sum & 4) {
            uint odd = (sum ^ i) & 255;
            real = real * 0.5 + odd;
        } else if (k == 100 && i != 3) {
            never = (int)k;
        }
        for (uint m = 0; m < (k & 7); ++m)
            b ^= m << 1;
    }
    out[i] = sum + a + b + small + (uint)real;
    for (uint k = 0; k < n; ++k) {
        sum = sum * 5 + k;
        if (k == 250 && never > 7)
            sum++;
    }
    out[i] += sum;
}
