// What nobody wrote, loaded by all work-items at once in the shapes that most have, and what comes of it: which uses are told, and where each lane's value comes from.
//
// $ clerk kernel unwritten_rows.cl -k sums -g 1024 -l 64 -a 'buf:float[2048]' -a 'buf:float[1024]=0' -a uint=70
// $ clerk kernel unwritten_rows.cl -k sums -g 1000 -l 40 -a 'buf:float[2048]' -a 'buf:float[1024]=0' -a uint=999
// $ clerk kernel unwritten_rows.cl -k product -g 64,64 -l 16,16 -a 'buf:float[8192]' -a 'buf:float[4096]=0' -a uint=1234
// $ clerk kernel unwritten_rows.cl -k product -g 64,64 -l 32,8 -a 'buf:float[8192]' -a 'buf:float[4096]=0' -a uint=1234
// $ clerk kernel unwritten_rows.cl -k half_written -g 1024 -l 64 -a 'buf:uint[1024]' -a 'buf:uint[1024]=0' -a uint=500 -a uint=77
// $ clerk kernel unwritten_rows.cl -k half_written -g 1024 -l 64 -a 'buf:uint[1024]' -a 'buf:uint[1024]=0' -a uint=511 -a uint=1023
// $ clerk kernel unwritten_rows.cl -k half_written -g 1024 -l 64 -a 'buf:uint[1024]' -a 'buf:uint[1024]=0' -a uint=500 -a uint=460
// $ clerk kernel unwritten_rows.cl -k widened -g 256 -l 64 -a 'buf:uchar[512]' -a 'buf:uint[256]=0' -a uint=130
// $ clerk kernel unwritten_rows.cl -k integers_char -g 256 -l 64 -a 'buf:char[512]' -a 'buf:long[256]=0' -a uint=130
// $ clerk kernel unwritten_rows.cl -k integers_short -g 256 -l 64 -a 'buf:short[512]' -a 'buf:long[256]=0' -a uint=130
// $ clerk kernel unwritten_rows.cl -k integers_int -g 256 -l 64 -a 'buf:int[512]' -a 'buf:long[256]=0' -a uint=130
// $ clerk kernel unwritten_rows.cl -k integers_long -g 256 -l 64 -a 'buf:long[512]' -a 'buf:long[256]=0' -a uint=130
// $ clerk kernel unwritten_rows.cl -k masked -g 256 -l 64 -a 'buf:uint[512]' -a 'buf:uint[256]=0' -a uint=9
// $ clerk kernel unwritten_rows.cl -k part_kept -g 256 -l 64 -a 'buf:uint[256]' -a 'buf:uint[768]=iota' -a 'buf:uint[256]=0' -a uint=3
// $ clerk kernel unwritten_rows.cl -k decided -g 256 -l 64 -a 'buf:float[512]' -a 'buf:float[256]=0' -a uint=67
// $ clerk kernel unwritten_rows.cl -k stored -g 256 -l 64 -a 'buf:float[256]' -a 'buf:float[256]' -a 'buf:float[256]=0' -a uint=67
// $ clerk kernel unwritten_rows.cl -k gathered -g 256 -l 64 -a 'buf:float[256]' -a 'buf:float[280]' -a 'buf:float[256]=0' -a uint=100
// $ clerk kernel unwritten_rows.cl -k gathered -g 256 -l 64 -a 'buf:float[256]' -a 'buf:float[280]' -a 'buf:float[256]=0' -a uint=71
// $ clerk kernel unwritten_rows.cl -k gathered -g 256 -l 64 -a 'buf:float[256]' -a 'buf:float[280]' -a 'buf:float[256]=0' -a uint=67
// $ clerk kernel unwritten_rows.cl -k gathered -g 256 -l 16 -a 'buf:float[256]' -a 'buf:float[280]' -a 'buf:float[256]=0' -a uint=200
// $ clerk kernel unwritten_rows.cl -k swapped -g 256 -l 64 -a 'buf:float[1024]' -a 'buf:float[256]=0' -a uint=5 -a uint=67
// $ clerk kernel unwritten_rows.cl -k swapped -g 256 -l 64 -a 'buf:float[1024]' -a 'buf:float[256]=0' -a uint=6 -a uint=67
// $ clerk kernel unwritten_rows.cl -k tiles -g 256 -l 64 -a 'buf:float[256]' -a 'buf:float[256]=0' -a uint=67

// Only one work-item's is stored, so that its own is told.
#define PICK(value)                                                                                \
    if (i == pick)                                                                                 \
    out[i] = value

kernel void sums(global const float *in, global float *out, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    const float value = 3.0f * in[n + i] - in[i] / 2.0f;
    PICK(value);
}

// The value comes from where the first operand of the last step came from.
kernel void product(global const float *in, global float *out, uint pick)
{
    const size_t x = get_global_id(0), y = get_global_id(1), n = get_global_size(0), i = y * n + x;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += in[y * n + k] * in[n * n + k * n + x];
    PICK(sum);
}

// The first work-items write theirs before they read it.
kernel void half_written(global uint *in, global uint *out, uint end, uint pick)
{
    const size_t i = get_global_id(0);
    if (i < end)
        in[i] = i;
    const uint value = in[i] + 5;
    out[i] = i == pick || i == end || i == end + 1 ? value : 0;
}

#define INTEGERS(type)                                                                             \
    kernel void integers_##type(global const type *in, global long *out, uint pick)                \
    {                                                                                              \
        const size_t i = get_global_id(0), n = get_global_size(0);                                 \
        const long value = ((long)in[n + i] ^ (long)(type)~in[i]) - (long)(type)-in[i];            \
        PICK(value);                                                                               \
    }
INTEGERS(char)
INTEGERS(short)
INTEGERS(int)
INTEGERS(long)

// Of a byte that is read into a word the others are defined.
kernel void widened(global const uchar *in, global uint *out, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    const uint value = in[n + i] ^ (uint)in[i];
    PICK(value);
}

// Bits that are masked away are not undefined.
kernel void masked(global const uint *in, global uint *out, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    const uint value = ((in[i] & 0xFF) | (in[n + i] << 24)) & 0xFFFF00;
    out[i] = value + (i == pick ? in[i] >> 31 : 0);
}

// A part of a word is undefined from round to round.
kernel void part_kept(global const uint *in, global const uint *written, global uint *out,
                      uint rounds)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    uint value = in[i] & 0xFF;
    for (uint k = 0; k < rounds; k++)
        value ^= written[k * n + i];
    out[i] = value;
}

kernel void decided(global const float *in, global float *out, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    const float value = in[i] * in[n + i];
    out[i] = i;
    if (i == pick && value > 1.0f)
        out[i] = 2;
}

// What was stored and is loaded again comes from where it was read first.
kernel void stored(global const float *in, global float *between, global float *out, uint pick)
{
    const size_t i = get_global_id(0);
    between[i] = in[i] + 1.0f;
    const float value = between[i] * 2.0f;
    PICK(value);
}

// Work-items 0 to 4 of 64 store nothing, number 7 something else.
kernel void gathered(global const float *in, global float *between, global float *out, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    global float *place = between + 24 + i;
    if (i % 64 >= 5)
        *place = in[i * 77 % n] + 1.0f;
    if (i % 64 == 7)
        *place = in[3] + 1.0f;
    const float value = *place * 2.0f;
    PICK(value);
}

// Which of two is which depends on the number of rounds.
kernel void swapped(global const float *in, global float *out, uint rounds, uint pick)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    float a = in[i] + in[n + i], b = in[2 * n + i] * in[3 * n + i];
    for (uint k = 0; k < rounds; k++) {
        const float c = a + in[i];
        a = b;
        b = c;
    }
    PICK(a);
}

kernel void tiles(global const float *in, global float *out, uint pick)
{
    local float tile[64];
    const size_t i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = 32; half_size > 0; half_size /= 2) {
        if (l < half_size)
            tile[l] += tile[l + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float value = tile[l] + tile[63 - l];
    PICK(value);
}
