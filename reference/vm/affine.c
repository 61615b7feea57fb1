/* The elements of affine rows. Compiled for each instruction set. */
#include "reference/vm/affine.h"

/* clang-format off */
#define FILL(W)                                                                                             \
    static void fill_##W(const struct vm_vector *vector, const struct vm_affine *affine, row_u##W *dst)     \
    {                                                                                                       \
        const uint32_t run = 1U << vector->run_shift;                                                       \
        const u##W step = (u##W)affine->step;                                                               \
        u##W base = (u##W)affine->base;                                                                     \
        for (uint32_t first = 0; first < VM_LANES; first += run) {                                          \
            u##W element = base;                                                                            \
            for (uint32_t lane = 0; lane < run; lane++) {                                                   \
                dst[first + lane] = element;                                                                \
                element = (u##W)(element + step);                                                           \
            }                                                                                               \
            base = (u##W)(base + affine->jump);                                                             \
        }                                                                                                   \
    }
FILL(8)
FILL(16)
FILL(32)
FILL(64)
#undef FILL
/* clang-format on */

void MACHINE(affine_fill)(struct vm_vector *vector, vm_row row, uint32_t width)
{
    struct vm_affine *affine = vm_affine(vector, row);
    if (affine->form != VM_AFFINE_TERMS)
        return;
    affine->form = VM_AFFINE_BOTH;
    switch (width) {
    case 1:
        fill_8(vector, affine, ROW(u8, row));
        break;
    case 2:
        fill_16(vector, affine, ROW(u16, row));
        break;
    case 4:
        fill_32(vector, affine, ROW(u32, row));
        break;
    default:
        fill_64(vector, affine, ROW(u64, row));
        break;
    }
}
