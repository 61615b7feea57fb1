/* A row for each instruction that accesses memory: which operand is the pointer, and which tells
 * how much. */
#include "reference/probe/module/woven.h"

#include "checkers/probe/cell_layout.h"

enum size_of { SIZE_OF_RESULT, SIZE_OF_OPERAND, SIZE_OF_POINTEE, SIZE_IS_OPERAND };

struct row {
    uint32_t op;
    uint32_t pointer;
    enum checked_access access;
    uint32_t how;
    enum size_of size_of;
    uint32_t operand; /* that SIZE_OF_OPERAND and SIZE_IS_OPERAND are of */
};

#define READS    CLERK_READ
#define WRITES   (CLERK_WRITE | WOVEN_IS_WRITE)
#define CHANGES  (CLERK_ATOMIC | WOVEN_IS_WRITE)
#define COMPARES (CLERK_ATOMIC_READ | WOVEN_IS_WRITE)

/* clang-format off */
static const struct row rows[] = {
    {SpvOpLoad,                      0, CHECKED_READ,   READS,             SIZE_OF_RESULT,  0},
    {SpvOpStore,                     0, CHECKED_WRITE,  WRITES,            SIZE_OF_OPERAND, 1},
    {SpvOpCopyMemory,                0, CHECKED_WRITE,  WRITES,            SIZE_OF_POINTEE, 0},
    {SpvOpCopyMemory,                1, CHECKED_READ,   READS,             SIZE_OF_POINTEE, 0},
    {SpvOpCopyMemorySized,           0, CHECKED_WRITE,  WRITES,            SIZE_IS_OPERAND, 2},
    {SpvOpCopyMemorySized,           1, CHECKED_READ,   READS,             SIZE_IS_OPERAND, 2},
    {SpvOpAtomicLoad,                0, CHECKED_ATOMIC, CLERK_ATOMIC_READ, SIZE_OF_RESULT,  0},
    {SpvOpAtomicStore,               0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_OPERAND, 3},
    {SpvOpAtomicExchange,            0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicCompareExchange,     0, CHECKED_ATOMIC, COMPARES,          SIZE_OF_RESULT,  0},
    {SpvOpAtomicCompareExchangeWeak, 0, CHECKED_ATOMIC, COMPARES,          SIZE_OF_RESULT,  0},
    {SpvOpAtomicIIncrement,          0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicIDecrement,          0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicIAdd,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicISub,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicSMin,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicUMin,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicSMax,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicUMax,                0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicAnd,                 0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicOr,                  0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicXor,                 0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicFAddEXT,             0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicFMinEXT,             0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicFMaxEXT,             0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_RESULT,  0},
    {SpvOpAtomicFlagTestAndSet,      0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_POINTEE, 0},
    {SpvOpAtomicFlagClear,           0, CHECKED_ATOMIC, CHANGES,           SIZE_OF_POINTEE, 0},
};

/* Functions of OpenCL.std; operands are counted with the set and the number. */
static const struct row functions[] = {
    {OpenCLstd_Fract,    3, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 3},
    {OpenCLstd_Frexp,    3, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 3},
    {OpenCLstd_Lgamma_r, 3, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 3},
    {OpenCLstd_Modf,     3, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 3},
    {OpenCLstd_Sincos,   3, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 3},
    {OpenCLstd_Remquo,   4, CHECKED_WRITE, WRITES, SIZE_OF_POINTEE, 4},
};

/* Those whose operands are, behind what is stored, an offset in vectors and a pointer. */
static const struct {
    uint32_t number;
    bool is_store;
    bool is_aligned; /* vectors of three take the room of four */
    bool is_half;    /* in memory */
} vectors[] = {
    {OpenCLstd_Vloadn,          false, false, false},
    {OpenCLstd_Vstoren,         true,  false, false},
    {OpenCLstd_Vload_half,      false, false, true},
    {OpenCLstd_Vload_halfn,     false, false, true},
    {OpenCLstd_Vstore_half,     true,  false, true},
    {OpenCLstd_Vstore_half_r,   true,  false, true},
    {OpenCLstd_Vstore_halfn,    true,  false, true},
    {OpenCLstd_Vstore_halfn_r,  true,  false, true},
    {OpenCLstd_Vloada_halfn,    false, true,  true},
    {OpenCLstd_Vstorea_halfn,   true,  true,  true},
    {OpenCLstd_Vstorea_halfn_r, true,  true,  true},
};
/* clang-format on */

const struct spv_type *woven_pointer(const struct spv_module *module, uint32_t id)
{
    const struct spv_type *type = module->ids[id].type;
    return module->ids[id].kind != SPV_ID_TYPE && type && type->kind == SPV_TYPE_POINTER ? type
                                                                                         : NULL;
}

bool woven_is_checked(SpvStorageClass storage)
{
    return storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup ||
           storage == SpvStorageClassUniformConstant || storage == SpvStorageClassGeneric;
}

/* Bytes that a value of the type takes when it is accessed: of a vector of three those of three.
 * 0 of what memory does not hold, or nobody can see into. */
static uint64_t size_of(const struct spv_type *type)
{
    if (!type || type->kind == SPV_TYPE_IMAGE || type->kind == SPV_TYPE_OPAQUE)
        return 0;
    return type->kind == SPV_TYPE_VECTOR ? type->element->size * type->count : type->size;
}

/* The logarithm's sake: bytes of the pieces that others may access alone. */
static uint32_t element_of(uint64_t bytes)
{
    const uint64_t lowest = bytes & -bytes;
    return lowest > 1U << WOVEN_SHIFT_MAX ? 1U << WOVEN_SHIFT_MAX : (uint32_t)lowest;
}

static bool take(const struct spv_module *module, const struct spv_instruction *at,
                 const struct row *row, struct woven_access *access)
{
    if (row->pointer >= at->operand_count || row->operand >= at->operand_count)
        return false;
    const struct spv_type *pointer = woven_pointer(module, at->operands[row->pointer]);
    const struct spv_type *other = woven_pointer(module, at->operands[row->operand]);
    if (!pointer || !woven_is_checked(pointer->storage))
        return false;
    *access =
        (struct woven_access){.pointer = row->pointer, .access = row->access, .how = row->how};
    switch (row->size_of) {
    case SIZE_OF_RESULT:
        access->bytes = size_of(spv_type_find(module, at->type));
        break;
    case SIZE_OF_OPERAND:
        access->bytes = size_of(module->ids[at->operands[row->operand]].type);
        break;
    case SIZE_OF_POINTEE:
        access->bytes = size_of(other ? other->element : pointer->element);
        break;
    case SIZE_IS_OPERAND:
        access->bytes_operand = row->operand;
        access->element = 1;
        return true;
    }
    access->element = element_of(access->bytes);
    return access->bytes != 0;
}

static bool take_vector(const struct spv_module *module, const struct spv_instruction *at,
                        size_t index, struct woven_access *access)
{
    const bool stores = vectors[index].is_store;
    const uint32_t first = stores ? 3 : 2; /* the offset */
    const struct spv_type *pointer =
        first + 1 < at->operand_count ? woven_pointer(module, at->operands[first + 1]) : NULL;
    const struct spv_type *value =
        stores ? module->ids[at->operands[2]].type : spv_type_find(module, at->type);
    if (!pointer || !woven_is_checked(pointer->storage) || !value)
        return false;
    const bool is_vector = value->kind == SPV_TYPE_VECTOR;
    const uint64_t count = is_vector ? value->count : 1;
    const uint64_t element = vectors[index].is_half ? 2
                             : is_vector            ? value->element->size
                                                    : value->size;
    *access = (struct woven_access){
        .pointer = first + 1,
        .access = stores ? CHECKED_WRITE : CHECKED_READ,
        .how = stores ? WRITES : READS,
        .bytes = count * element,
        .offset_operand = first,
        .stride = (uint32_t)(vectors[index].is_aligned && count == 3 ? 4 : count),
        .element = element_of(element),
    };
    return access->bytes != 0;
}

static size_t take_function(const struct spv_module *module, const struct spv_instruction *at,
                            struct woven_access *access)
{
    if (at->operand_count < 2 || module->ids[at->operands[0]].kind != SPV_ID_EXTENSION ||
        module->ids[at->operands[0]].index != SPV_EXTENSION_OPENCL)
        return 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].op == at->operands[1])
            return take(module, at, &functions[i], access);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].number == at->operands[1])
            return take_vector(module, at, i, access);
    return 0;
}

size_t woven_accesses(const struct spv_module *module, const struct spv_instruction *at,
                      struct woven_access *accesses)
{
    size_t count = 0;
    if (at->op == SpvOpExtInst)
        return take_function(module, at, accesses);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == at->op && take(module, at, &rows[i], &accesses[count]))
            count++;
    return count;
}

static bool is_to(const struct spv_module *module, uint32_t id, SpvStorageClass storage)
{
    const struct spv_type *type = woven_pointer(module, id);
    return type && type->storage == storage;
}

bool woven_is_group_copy(const struct spv_module *module, const struct spv_instruction *at)
{
    if (at->op != SpvOpGroupAsyncCopy || at->operand_count != 6)
        return false;
    const uint32_t to = at->operands[1], from = at->operands[2];
    return (is_to(module, to, SpvStorageClassWorkgroup) &&
            is_to(module, from, SpvStorageClassCrossWorkgroup)) ||
           (is_to(module, to, SpvStorageClassCrossWorkgroup) &&
            is_to(module, from, SpvStorageClassWorkgroup));
}

bool woven_is_atomic(uint32_t op)
{
    return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFlagTestAndSet ||
           op == SpvOpAtomicFlagClear || op == SpvOpAtomicFAddEXT || op == SpvOpAtomicFMinEXT ||
           op == SpvOpAtomicFMaxEXT;
}
