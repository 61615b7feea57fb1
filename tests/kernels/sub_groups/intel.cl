// cl_intel_subgroups and its kin for 8, 16 and 64 bits: shuffles and blocks against values worked out from the extensions'
// text. Work-items print what they find wrong, and count what they looked at.
//
// $ clerk kernel intel.cl -k shuffles -g 24 -l 24 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build -cl-std=CL3.0
// $ clerk kernel intel.cl -k shuffles -g 64 -l 64 -a 'buf:int[1]=0' --print 0 --sub-group-size 64 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k combines -g 16 -l 16 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build -cl-std=CL3.0
// $ clerk kernel intel.cl -k combines -g 8 -l 8 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k memory -g 16 -l 16 -a 'buf:uchar[4096]=iota' -a 'buf:uchar[4096]' -a 'buf:int[1]=0' --print 2 --sub-group-size 8 --build -cl-std=CL3.0
// $ clerk kernel intel.cl -k memory -g 16 -l 16 -a 'buf:uchar[4096]=iota' -a 'buf:uchar[4096]' -a 'buf:int[1]=0' --print 2 --sub-group-size 16 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k image_reads -g 8 -l 8 -a 'image2d:rgba:unorm_int8[20x9]=iota' -a uint=4 -a 'buf:int[1]=0' --print 2 --sub-group-size 8 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k image_reads -g 8 -l 8 -a 'image2d:r:unsigned_int8[80x9]=iota' -a uint=1 -a 'buf:int[1]=0' --print 2 --sub-group-size 8 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k image_edges -g 8 -l 8 -a 'image2d:rgba:unorm_int8[4x3]=iota' -a 'buf:uint8[8]' --print 1 --sub-group-size 8 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k image_writes -g 8 -l 8 -a 'image2d:rgba:unsigned_int8[10x3]=0' -a 'image2d:rgba:unsigned_int8[10x3]=0' --print 0 --print 1 --sub-group-size 8 --build -cl-std=CL1.2
// $ clerk kernel intel.cl -k image_in_place -g 8 -l 8 -a 'image2d:rg:unsigned_int16[8x2]=iota' --print 0 --sub-group-size 8 --build -cl-std=CL3.0

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_short) || !defined(cl_intel_subgroups_char) ||          \
    !defined(cl_intel_subgroups_long)
#error the extensions are not there
#endif

#define LOOK(what, wanted)                                                                                             \
    {                                                                                                                  \
        checked++;                                                                                                     \
        if (any((what) != (wanted)))                                                                                   \
            printf("work-item %d: %s is wrong\n", (int)get_global_id(0), #what);                                       \
    }

// What work-item `id` gives; another source, what it gives there.
#define HERE(T, id)  ((T)((id)*3 + 1))
#define THERE(T, id) ((T)(100 - (id)))

#define SHUFFLES(T)                                                                                                    \
    {                                                                                                                  \
        LOOK(intel_sub_group_shuffle(HERE(T, id), other), HERE(T, other))                                              \
        LOOK(intel_sub_group_shuffle_xor(HERE(T, id), other), HERE(T, id ^ other))                                     \
        LOOK(intel_sub_group_shuffle_down(HERE(T, id), THERE(T, id), delta),                                           \
             id + delta < size ? HERE(T, id + delta) : THERE(T, id + delta - size))                                    \
        LOOK(intel_sub_group_shuffle_up(THERE(T, id), HERE(T, id), up),                                                \
             id >= up ? HERE(T, id - up) : THERE(T, id + size - up))                                                   \
    }
#define VECTORS(T) SHUFFLES(T) SHUFFLES(T##2) SHUFFLES(T##3) SHUFFLES(T##4) SHUFFLES(T##8) SHUFFLES(T##16)

// Each work-item asks each other, and each distance that has a source.
kernel void shuffles(global int *count)
{
    const uint id = get_sub_group_local_id();
    const uint size = get_max_sub_group_size();
    int checked = 0;
    for (uint i = 0; i < size; i += 3) {
        const uint other = (id + i) % size;
        const uint delta = (id + 2 * i) % (2 * size - id);
        const uint up = (id + 2 * i) % (id + size + 1);
        VECTORS(float)
        VECTORS(int)
        VECTORS(uint)
        VECTORS(short)
        VECTORS(ushort)
        VECTORS(char)
        VECTORS(uchar)
        SHUFFLES(long)
        SHUFFLES(ulong)
        SHUFFLES(double)
        SHUFFLES(half)
    }
    atomic_add(count, checked);
}

#define COMBINES(T)                                                                                                    \
    {                                                                                                                  \
        const T own = (T)(id + 1);                                                                                     \
        LOOK(intel_sub_group_broadcast(own, 3), (T)4)                                                                  \
        LOOK(intel_sub_group_reduce_add(own), (T)36)                                                                   \
        LOOK(intel_sub_group_reduce_min(own), (T)1)                                                                    \
        LOOK(intel_sub_group_reduce_max(own), (T)8)                                                                    \
        LOOK(intel_sub_group_scan_exclusive_add(own), (T)(id * (id + 1) / 2))                                          \
        LOOK(intel_sub_group_scan_inclusive_add(own), (T)((id + 1) * (id + 2) / 2))                                    \
        LOOK(intel_sub_group_scan_inclusive_min(own), (T)1)                                                            \
        LOOK(intel_sub_group_scan_inclusive_max(own), own)                                                             \
        LOOK(intel_sub_group_scan_exclusive_max((T)(own + 1)), id == 0 ? (T)-1 < 0 ? (T)LEAST(T) : (T)0 : own)         \
        LOOK(intel_sub_group_scan_exclusive_min((T)(9 - own)), id == 0 ? (T) ~LEAST(T) : (T)(9 - id))                  \
    }
#define LEAST(T) ((T)-1 < 0 ? (T)((T)1 << (sizeof(T) * 8 - 1)) : (T)0)

kernel void combines(global int *count)
{
    const uint id = get_sub_group_local_id();
    int checked = 0;
    COMBINES(short)
    COMBINES(ushort)
    COMBINES(char)
    COMBINES(uchar)
    atomic_add(count, checked);
}

// The first sub-group's share of the memory, and the others': 2048 bytes where there are two.
#define PART(memory) ((memory) + get_local_id(0) / size * 2048)

#define MEMORY(T, S, N)                                                                                                \
    {                                                                                                                  \
        const global T *from = (const global T *)PART(in);                                                             \
        global T *to = (global T *)PART(out);                                                                          \
        const T##N value = intel_sub_group_block_read##S##N(from);                                                     \
        const T *values = (const T *)&value;                                                                           \
        for (uint i = 0; i < sizeof(T##N) / sizeof(T); i++)                                                            \
            LOOK(values[i], from[id + i * size])                                                                       \
        intel_sub_group_block_write##S##N(to, value);                                                                  \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
        for (uint i = 0; i < sizeof(T##N) / sizeof(T); i++)                                                            \
            LOOK(to[(id + 1) % size + i * size], from[(id + 1) % size + i * size])                                     \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
    }
#define MEMORIES(T, S) MEMORY(T, S, ) MEMORY(T, S, 2) MEMORY(T, S, 4) MEMORY(T, S, 8)

kernel void memory(const global uchar *in, global uchar *out, global int *count)
{
    const uint id = get_sub_group_local_id();
    const uint size = get_max_sub_group_size();
    int checked = 0;
    MEMORIES(uint, )
    MEMORIES(uint, _ui)
    MEMORIES(ushort, _us)
    MEMORY(ushort, _us, 16)
    MEMORIES(uchar, _uc)
    MEMORY(uchar, _uc, 16)
    MEMORIES(ulong, _ul)
    atomic_add(count, checked);
}

// A byte of such an image: its number, texels being counted row by row; of texels of 4 bytes the first is the number.
#define BYTE(x, y) (uchar)(texel == 4 ? ((x) % 4 == 0 ? ((y)*20 + (x) / 4) & 255 : ((y)*20 + (x) / 4) >> (x) % 4 * 8) : (y)*80 + (x))
#define READS(T, S, N)                                                                                                 \
    for (int x = 0; x < 16; x += 5) {                                                                                  \
        const T##N value = intel_sub_group_block_read##S##N(image, (int2)(x, 1));                                      \
        const uchar *bytes = (const uchar *)&value;                                                                    \
        for (uint i = 0; i < sizeof(T##N); i++)                                                                        \
            LOOK(bytes[i], BYTE(x + id * sizeof(T) + i % sizeof(T), 1 + i / sizeof(T)))                                \
    }

// Row by row, from any byte on, whatever the texels.
kernel void image_reads(read_only image2d_t image, uint texel, global int *count)
{
    const uint id = get_sub_group_local_id();
    int checked = 0;
    READS(uint, , )
    READS(uint, , 2)
    READS(uint, , 8)
    READS(uint, _ui, 4)
    READS(ushort, _us, )
    READS(ushort, _us, 8)
    READS(uchar, _uc, )
    READS(uchar, _uc, 8)
    READS(ulong, _ul, )
    READS(ulong, _ul, 8)
    atomic_add(count, checked);
}

// Outside the image is its edge: left of it, right of it, below it, and above.
kernel void image_edges(read_only image2d_t image, global uint8 *out)
{
    const uint2 left = intel_sub_group_block_read2(image, (int2)(-16, 0));
    const uint4 below = intel_sub_group_block_read4(image, (int2)(0, 1));
    const uint above = intel_sub_group_block_read(image, (int2)(4, -5));
    const uint across = intel_sub_group_block_read(image, (int2)(14, 0));
    out[get_global_id(0)] = (uint8)(left, below, above, across);
}

// Writes outside are left out; the second image is written in pieces.
kernel void image_writes(write_only image2d_t image, write_only image2d_t pieces)
{
    const uint id = get_sub_group_local_id();
    intel_sub_group_block_write2(image, (int2)(16, -1), (uint2)(id + 1, id + 11));
    intel_sub_group_block_write_ui2(image, (int2)(-8, 1), (uint2)(id + 21, id + 31));
    intel_sub_group_block_write_us2(pieces, (int2)(4, 0), (ushort2)(id + 1, id + 11));
    intel_sub_group_block_write_uc2(pieces, (int2)(24, 0), (uchar2)(id + 1, id + 11));
    intel_sub_group_block_write_ul(pieces, (int2)(8, 2), id * 0x100000001ul);
}

#if __OPENCL_C_VERSION__ >= 200
kernel void image_in_place(read_write image2d_t image)
{
    const uint2 value = intel_sub_group_block_read2(image, (int2)(0, 0));
    intel_sub_group_block_write2(image, (int2)(0, 0), value.yx + 1);
}
#endif
