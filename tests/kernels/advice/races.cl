// Races of OpenCL C 1.2, and beside each its kernel after what the advice says was done by the letter: NAME, and
// NAME_advised, which is clean and computes what it should.
//
// $ clerk kernel races.cl -k bins -g 16 -l 8 -a 'buf:uchar[16]=iota' -a 'buf:int[4]=0'
// $ clerk kernel races.cl -k bins_advised -g 16 -l 8 -a 'buf:uchar[16]=iota' -a 'buf:int[4]=0' --print 1
// $ clerk kernel races.cl -k halves -g 8 -l 8 -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k halves_advised -g 8 -l 8 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k counted -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel races.cl -k counted_advised -g 8 -l 8 -a 'buf:int[8]' --print 0
// $ clerk kernel races.cl -k zeroed -g 8 -l 2 -a 'buf:int[1]'
// $ clerk kernel races.cl -k zeroed_advised -g 8 -l 2 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k looked_at -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]'
// $ clerk kernel races.cl -k looked_at_advised -g 8 -l 2 -a 'buf:int[1]=8' -a 'buf:int[8]' --print 1
// $ clerk kernel races.cl -k stencil -g 16 -l 8 -a 'buf:int[16]=iota'
// $ clerk kernel races.cl -k stencil_advised -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel races.cl -k partial -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[1]'
// $ clerk kernel races.cl -k partial_advised -g 1 -a 'buf:int[4]=2' -a 'buf:int[1]' --print 1
// $ clerk kernel races.cl -k total -g 8 -l 4 -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k total_advised -g 8 -l 4 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k sum -g 8 -l 8 -a 'buf:float[1]=0'
// $ clerk kernel races.cl -k sum_advised -g 8 -l 8 -a 'buf:float[1]=0' --print 0
// $ clerk kernel races.cl -k found -g 8 -l 8 -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k found_advised -g 8 -l 8 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k found_anywhere -g 8 -l 2 -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k found_anywhere_advised -g 8 -l 2 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k edges -g 4 -l 2 -a 'buf:int[5]=0'
// $ clerk kernel races.cl -k edges_advised -g 4 -l 2 -a 'buf:int[5]=2' --print 0
// $ clerk kernel races.cl -k turned -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel races.cl -k turned_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel races.cl -k in_room -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel races.cl -k in_room_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel races.cl -k wrong_flag -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel races.cl -k wrong_flag_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel races.cl -k no_flag -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel races.cl -k no_flag_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel races.cl -k early_copy -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]'
// $ clerk kernel races.cl -k early_copy_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel races.cl -k two_copies -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]'
// $ clerk kernel races.cl -k two_copies_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel races.cl -k lock -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k lock_advised -g 4 -l 1 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k lock_of_floats -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:float[1]=0'
// $ clerk kernel races.cl -k lock_of_floats_advised -g 4 -l 2 -a 'buf:float[2]' --print 0
// $ clerk kernel races.cl -k flag -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0'
// $ clerk kernel races.cl -k flag_advised -g 3 -l 1 --offset 1 -a 'buf:int[1]=5' -a 'buf:int[4]=0' --print 1
// $ clerk kernel races.cl -k awaited -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k awaited_advised -g 4 -l 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel races.cl -k no_fence -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k no_fence_advised -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel races.cl -k half_a_fence -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k half_a_fence_advised -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel races.cl -k two_memories -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k two_memories_advised -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[1]=0' --print 1
// $ clerk kernel races.cl -k fence_across -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k fence_across_advised -g 1 -a 'buf:int[4]=2' -a 'buf:int[1]=0' --print 1
// $ clerk kernel races.cl -k told -g 16 -l 4 -a 'buf:int[16]=iota' -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k told_advised -g 16 -l 4 -a 'buf:int[16]=iota' -a 'buf:int[1]=0' --print 1
// $ clerk kernel races.cl -k cleared -g 8 -l 4 -a 'buf:int[1]=3'
// $ clerk kernel races.cl -k cleared_advised -g 8 -l 4 -a 'buf:int[1]=3' --print 0
// $ clerk kernel races.cl -k all_clear -g 8 -l 4 -a 'buf:int[2]'
// $ clerk kernel races.cl -k all_clear_advised -g 8 -l 4 -a 'buf:int[2]' --print 0
// $ clerk kernel races.cl -k some_tell -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]'
// $ clerk kernel races.cl -k some_tell_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel races.cl -k in_place -g 8 -l 8 -a 'buf:int[8]=1'
// $ clerk kernel races.cl -k in_place_advised -g 8 -l 8 -a 'buf:int[8]=1' --print 0
// $ clerk kernel races.cl -k spelled_out -g 8 -l 4 -a 'buf:int[1]=0'
// $ clerk kernel races.cl -k spelled_out_advised -g 8 -l 4 -a 'buf:int[1]=0' --print 0
// $ clerk kernel races.cl -k smallest -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=5'
// $ clerk kernel races.cl -k smallest_advised -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=5' --print 1
// $ clerk kernel races.cl -k renewed -g 8 -l 4 -a 'buf:int[1]=5' -a 'buf:int[8]=0'
// $ clerk kernel races.cl -k renewed_advised -g 8 -l 4 -a 'buf:int[1]=5' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --print 1
// $ clerk kernel races.cl -k bytes_told -g 16 -l 4 -a 'buf:int[16]=iota' -a 'buf:uchar[1]=0'
// $ clerk kernel races.cl -k bytes_told_advised -g 16 -l 4 -a 'buf:int[16]=iota' -a 'buf:int[1]=0' --print 1
// $ clerk kernel races.cl -k tiles -g 8 -l 8 -a 'buf:int[24]=iota' -a 'buf:int[8]'
// $ clerk kernel races.cl -k tiles_advised -g 8 -l 8 -a 'buf:int[24]=iota' -a 'buf:int[8]' --print 1

/* Both updates are lost in a plain write that comes late. */
kernel void bins(global const uchar *in, global int *out)
{
    local int bins[4];
    size_t l = get_local_id(0);
    if (l < 4)
        bins[l] = 0;
    atomic_inc(&bins[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        atomic_add(&out[l], bins[l]);
}

kernel void bins_advised(global const uchar *in, global int *out)
{
    local int bins[4];
    size_t l = get_local_id(0);
    if (l < 4)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        atomic_add(&out[l], bins[l]);
}

/* Here the plain write is an update, too. */
kernel void halves(global int *count)
{
    if (get_local_id(0) > 0)
        atomic_inc(count);
    else
        *count += 1;
}

kernel void halves_advised(global int *count)
{
    if (get_local_id(0) > 0)
        atomic_inc(count);
    else
        atomic_add(count, 1);
}

kernel void counted(global int *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    out[get_global_id(0)] = count;
}

kernel void counted_advised(global int *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count;
}

kernel void zeroed(global int *count)
{
    if (get_global_id(0) == 0)
        *count = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(count);
}

kernel void zeroed_advised(global int *count)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(count);
}

kernel void looked_at(global int *count, global int *out)
{
    atomic_inc(count);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = *count;
}

/* The second kernel; the first counts. */
kernel void looked_at_advised(global int *count, global int *out)
{
    out[get_global_id(0)] = *count;
}

kernel void stencil(global int *a)
{
    int i = get_global_id(0), n = get_global_size(0);
    int next = a[(i + 1) % n];
    a[i] = next + a[i];
}

kernel void stencil_advised(global const int *a, global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    int next = a[(i + 1) % n];
    out[i] = next + a[i];
}

kernel void partial(global int *sums, global int *out)
{
    int group = get_group_id(0), all = 0;
    if (get_local_id(0) == 0)
        sums[group] = 2;
    if (get_global_id(0) == 0) {
        for (int g = 0; g < 4; g++)
            all += sums[g];
        *out = all;
    }
}

kernel void partial_advised(global const int *sums, global int *out)
{
    int all = 0;
    for (int g = 0; g < 4; g++)
        all += sums[g];
    *out = all;
}

kernel void total(global int *all)
{
    *all += get_global_id(0);
}

kernel void total_advised(global int *all)
{
    atomic_add(all, get_global_id(0));
}

kernel void sum(global float *all)
{
    *all += 0.5f * get_global_id(0);
}

kernel void sum_advised(global float *all)
{
    local float parts[8];
    parts[get_local_id(0)] = 0.5f * get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        for (int i = 0; i < 8; i++)
            *all += parts[i];
}

kernel void found(global int *which)
{
    *which = 10 + get_local_id(0);
}

kernel void found_advised(global int *which)
{
    if (get_local_id(0) == 0)
        *which = 10 + get_local_id(0);
}

kernel void found_anywhere(global int *which)
{
    *which = 10 + get_global_id(0);
}

kernel void found_anywhere_advised(global int *which)
{
    if (get_global_id(0) == 0)
        *which = 10 + get_global_id(0);
}

kernel void edges(global int *a)
{
    int i = get_global_id(0);
    a[i] = 2;
    a[i + 1] = 3;
}

/* The second kernel; the first wrote 2. */
kernel void edges_advised(global int *a)
{
    int i = get_global_id(0);
    a[i + 1] = 3;
}

kernel void turned(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    a[l] = mine;
}

kernel void turned_advised(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] = mine;
}

kernel void in_room(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    a[l] = room[7 - l];
}

kernel void in_room_advised(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = room[7 - l];
}

kernel void wrong_flag(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = mine;
}

kernel void wrong_flag_advised(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[l] = mine;
}

kernel void no_flag(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    barrier(0);
    a[l] = mine;
}

kernel void no_flag_advised(global int *a)
{
    int l = get_local_id(0);
    int mine = a[7 - l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] = mine;
}

kernel void early_copy(global int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    event_t event = async_work_group_copy(out, room, 8, 0);
    wait_group_events(1, &event);
}

kernel void early_copy_advised(global int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(out, room, 8, 0);
    wait_group_events(1, &event);
}

kernel void two_copies(global int *a, global int *out)
{
    local int room[8];
    event_t events[2];
    events[0] = async_work_group_copy(room, a, 8, 0);
    events[1] = async_work_group_copy(out, room, 8, 0);
    wait_group_events(2, events);
}

kernel void two_copies_advised(global int *a, global int *out)
{
    local int room[8];
    event_t events[2];
    events[0] = async_work_group_copy(room, a, 8, 0);
    wait_group_events(1, events);
    events[1] = async_work_group_copy(out, room, 8, 0);
    wait_group_events(1, events + 1);
}

kernel void lock(global int *lock, global int *all)
{
    while (atomic_xchg(lock, 1))
        ;
    *all += get_group_id(0);
    atomic_xchg(lock, 0);
}

kernel void lock_advised(global int *all)
{
    atomic_add(all, get_group_id(0));
}

kernel void lock_of_floats(global int *lock, global float *all)
{
    if (get_local_id(0) == 0) {
        while (atomic_xchg(lock, 1))
            ;
        *all += get_global_id(0) + 0.5f;
        atomic_xchg(lock, 0);
    }
}

/* Of each group; the second kernel adds up the two. */
kernel void lock_of_floats_advised(global float *all)
{
    if (get_local_id(0) == 0)
        all[get_group_id(0)] = get_global_id(0) + 0.5f;
}

kernel void flag(volatile global int *flag, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 5;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *flag = 1;
    } else {
        while (!*flag)
            ;
        out[get_global_id(0)] = *data;
    }
}

/* The second kernel. */
kernel void flag_advised(global int *data, global int *out)
{
    out[get_global_id(0)] = *data;
}

kernel void awaited(global int *data, volatile global int *flag)
{
    int i = get_global_id(0);
    if (i == 0) {
        *data = 7;
        *flag = 1;
    } else {
        while (!*flag)
            ;
        data[i] = *data;
    }
}

kernel void awaited_advised(global int *data)
{
    int i = get_global_id(0);
    if (i == 0)
        *data = 7;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i != 0)
        data[i] = *data;
}

kernel void no_fence(global int *parts, global int *done, global int *out)
{
    parts[get_local_id(0)] = 3;
    if (atomic_inc(done) == 7) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            *out += parts[i];
    }
}

kernel void no_fence_advised(global int *parts, global int *done, global int *out)
{
    parts[get_local_id(0)] = 3;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(done) == 7) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            *out += parts[i];
    }
}

kernel void half_a_fence(global int *parts, global int *done, global int *out)
{
    parts[get_local_id(0)] = 3;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(done) == 7)
        for (int i = 0; i < 8; i++)
            *out += parts[i];
}

kernel void half_a_fence_advised(global int *parts, global int *done, global int *out)
{
    parts[get_local_id(0)] = 3;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(done) == 7) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            *out += parts[i];
    }
}

kernel void two_memories(global int *parts, global int *out)
{
    local int done;
    if (get_local_id(0) == 0)
        done = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[get_local_id(0)] = 3;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    if (atomic_inc(&done) == 7) {
        mem_fence(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            *out += parts[i];
    }
}

kernel void two_memories_advised(global int *parts, global int *out)
{
    local int done;
    if (get_local_id(0) == 0)
        done = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[get_local_id(0)] = 3;
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&done) == 7) {
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            *out += parts[i];
    }
}

kernel void fence_across(global int *sums, global int *done, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    sums[get_group_id(0)] = 2;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(done) == 3) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (int g = 0; g < 4; g++)
            *out += sums[g];
    }
}

kernel void fence_across_advised(global const int *sums, global int *out)
{
    for (int g = 0; g < 4; g++)
        *out += sums[g];
}

/* Whoever finds a large one says so. */
kernel void told(global const int *a, global int *out)
{
    if (a[get_global_id(0)] > 10)
        *out = 1;
}

kernel void told_advised(global const int *a, global int *out)
{
    if (a[get_global_id(0)] > 10)
        atomic_xchg(out, 1);
}

kernel void cleared(global int *out)
{
    *out = 0;
}

kernel void cleared_advised(global int *out)
{
    if (get_global_id(0) == 0)
        *out = 0;
}

kernel void all_clear(global int *out)
{
    local int count;
    count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0)] = count;
}

kernel void all_clear_advised(global int *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = count;
}

kernel void some_tell(global const int *a, global int *out)
{
    local int any;
    if (get_local_id(0) == 0)
        any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a[get_global_id(0)] > 4)
        any = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = any;
}

kernel void some_tell_advised(global const int *a, global int *out)
{
    local int any;
    if (get_local_id(0) == 0)
        any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a[get_global_id(0)] > 4)
        atomic_xchg(&any, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = any;
}

/* Sums from the start on. */
kernel void in_place(global int *a)
{
    int l = get_local_id(0);
    for (int step = 1; step < 8; step *= 2) {
        if (l >= step)
            a[l] += a[l - step];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void in_place_advised(global int *a)
{
    int l = get_local_id(0);
    for (int step = 1; step < 8; step *= 2) {
        int before = l >= step ? a[l - step] : 0;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l >= step)
            a[l] += before;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void spelled_out(global int *all)
{
    *all = *all + get_global_id(0);
}

kernel void spelled_out_advised(global int *all)
{
    atomic_add(all, get_global_id(0));
}

kernel void smallest(global const int *a, global int *out)
{
    if (a[get_global_id(0)] < *out)
        *out = a[get_global_id(0)];
}

kernel void smallest_advised(global const int *a, global int *out)
{
    atomic_min(out, a[get_global_id(0)]);
}

/* Group 1 reads the last number, and group 0 writes the next. */
kernel void renewed(global int *last, global int *out)
{
    if (get_group_id(0) == 1)
        out[get_global_id(0)] = *last;
    if (get_global_id(0) == 0)
        *last = 6;
}

kernel void renewed_advised(global int *last, global int *out, global int *next)
{
    if (get_group_id(0) == 1)
        out[get_global_id(0)] = *last;
    if (get_global_id(0) == 0)
        *next = 6;
}

kernel void bytes_told(global const int *a, global uchar *out)
{
    if (a[get_global_id(0)] > 10)
        *out = 1;
}

kernel void bytes_told_advised(global const int *a, global int *out)
{
    if (a[get_global_id(0)] > 10)
        atomic_xchg(out, 1);
}

kernel void tiles(global const int *a, global int *out)
{
    local int tile[8];
    int sum = 0;
    for (int t = 0; t < 3; t++) {
        event_t event = async_work_group_copy(tile, a + 8 * t, 8, 0);
        wait_group_events(1, &event);
        sum += tile[7 - get_local_id(0)];
    }
    out[get_local_id(0)] = sum;
}

kernel void tiles_advised(global const int *a, global int *out)
{
    local int tile[8];
    int sum = 0;
    for (int t = 0; t < 3; t++) {
        event_t event = async_work_group_copy(tile, a + 8 * t, 8, 0);
        wait_group_events(1, &event);
        sum += tile[7 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_local_id(0)] = sum;
}
