// Atomics of 32 and 64 bits, of work-items at one place and at places apart: the place ends as the plain operation would
// leave it, and what each work-item finds there is what the one before it left.
//
// $ clerk kernel places.cl -k sums -g 64 -l 64 -a 'buf:uint[8]=5' -a 'buf:ulong[8]=5' --print 0 --print 1
// $ clerk kernel places.cl -k extremes -g 64 -l 64 -a 'buf:int[8]=0' -a 'buf:long[8]=0' --print 0 --print 1
// $ clerk kernel places.cl -k unsigned_extremes -g 64 -l 64 -a 'buf:uint[8]=40' -a 'buf:ulong[8]=40' --print 0 --print 1
// $ clerk kernel places.cl -k bits -g 64 -l 64 -a 'buf:uint[12]=255' -a 'buf:ulong[12]=255' --print 0 --print 1
// $ clerk kernel places.cl -k chain -g 8 -l 8 -a 'buf:uint[1]=0' -a 'buf:ulong[1]=0' -a 'buf:uint[8]' -a 'buf:ulong[8]' --schedule asc --print 2 --print 3
// $ clerk kernel places.cl -k chain -g 8 -l 8 -a 'buf:uint[1]=0' -a 'buf:ulong[1]=0' -a 'buf:uint[8]' -a 'buf:ulong[8]' --schedule desc --print 2 --print 3
// $ clerk kernel places.cl -k apart -g 8 -l 8 -a 'buf:uint[8]=iota' -a 'buf:ulong[8]=iota' -a 'buf:uint[8]' -a 'buf:ulong[8]' --print 0 --print 1 --print 2 --print 3
// $ clerk kernel places.cl -k some -g 64 -l 64 -a 'buf:uint[2]=1' --print 0
// $ clerk kernel places.cl -k unwritten -g 4 -l 4 -a 'buf:uint[1]' -a 'buf:uint[1]=0'

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* The first place of each buffer is everybody's, the next two a half's each. */
kernel void sums(global uint *a, global ulong *b)
{
    const uint i = get_global_id(0);
    const ulong big = 1ul << 40;
    atomic_add(&a[0], i);
    atomic_add(&a[1 + i / 32], i);
    atomic_sub(&a[3], i);
    atomic_sub(&a[4 + i / 32], i);
    atom_add(&b[0], i * big);
    atom_add(&b[1 + i / 32], i * big);
    atom_sub(&b[3], i * big);
    atom_sub(&b[4 + i / 32], i * big);
}

kernel void extremes(global int *a, global long *b)
{
    const int i = (int)get_global_id(0) - 20;
    const uint half_ = get_global_id(0) / 32;
    atomic_min(&a[0], i);
    atomic_min(&a[1 + half_], i);
    atomic_max(&a[3], i);
    atomic_max(&a[4 + half_], i);
    atom_min(&b[0], (long)i);
    atom_min(&b[1 + half_], (long)i);
    atom_max(&b[3], (long)i);
    atom_max(&b[4 + half_], (long)i);
}

kernel void unsigned_extremes(global uint *a, global ulong *b)
{
    const uint i = get_global_id(0);
    atomic_min(&a[0], i - 1);
    atomic_min(&a[1 + i / 32], i - 1);
    atomic_max(&a[3], i - 1);
    atomic_max(&a[4 + i / 32], i - 1);
    atom_min(&b[0], i - 1ul);
    atom_min(&b[1 + i / 32], i - 1ul);
    atom_max(&b[3], i - 1ul);
    atom_max(&b[4 + i / 32], i - 1ul);
}

kernel void bits(global uint *a, global ulong *b)
{
    const uint i = get_global_id(0);
    atomic_and(&a[0], ~(1u << i % 4));
    atomic_and(&a[1 + i / 32], ~(1u << i % 4));
    atomic_or(&a[3], 1u << i % 32);
    atomic_or(&a[4 + i / 32], 1u << i % 16);
    atomic_xor(&a[6], 1u << i % 3);
    atomic_xor(&a[7 + i / 32], 1u << i % 3);
    atomic_xchg(&a[9], 7u);
    atomic_xchg(&a[10 + i / 32], 7u + i / 32);
    atom_and(&b[0], ~(1ul << i % 4));
    atom_and(&b[1 + i / 32], ~(1ul << i % 4));
    atom_or(&b[3], 1ul << i);
    atom_or(&b[4 + i / 32], 1ul << i);
    atom_xor(&b[6], 1ul << i % 3);
    atom_xor(&b[7 + i / 32], 1ul << i % 3);
    atom_xchg(&b[9], 7ul);
    atom_xchg(&b[10 + i / 32], 7ul + i / 32);
}

/* Ascending, each work-item finds what the one before it put there; descending, only the last does. */
kernel void chain(global uint *a, global ulong *b, global uint *found, global ulong *found_long)
{
    const uint i = get_global_id(0);
    found[i] = atomic_cmpxchg(a, i, i + 1);
    found_long[i] = atom_cmpxchg(b, (ulong)i, i + 1ul);
}

kernel void apart(global uint *a, global ulong *b, global uint *found, global ulong *found_long)
{
    const uint i = get_global_id(0);
    found[i] = atomic_cmpxchg(&a[i], 5u, 100u);
    found_long[i] = atom_cmpxchg(&b[7 - i], 2ul, 1ul << 33);
}

/* A part of the vector. */
kernel void some(global uint *a)
{
    if (get_global_id(0) % 3 == 1)
        atomic_add(&a[0], 10u);
    else
        atomic_add(&a[1], 100u);
}

/* What nobody wrote stays so through an update, and is told where it comes out. */
kernel void unwritten(global uint *a, global uint *b)
{
    if (atomic_add(a, 1u) == 3)
        b[0] = 1;
}
