#include "trace/effect/argument.h"

#define SAME_PLACE(a, b) _Static_assert((int)(a) == (int)(b), #a " is not in the place of " #b)
SAME_PLACE(API_clSetKernelArg_arg_index, API_clSetKernelArgSVMPointer_arg_index);
SAME_PLACE(API_clSetKernelArgSVMPointer_arg_index, API_clSetKernelArgMemPointerINTEL_arg_index);
SAME_PLACE(API_clSetKernelArgSVMPointer_arg_index, API_clSetKernelArgDevicePointerEXT_arg_index);
SAME_PLACE(API_clSetKernelArgSVMPointer_arg_value, API_clSetKernelArgMemPointerINTEL_arg_value);
SAME_PLACE(API_clSetKernelArgSVMPointer_arg_value, API_clSetKernelArgDevicePointerEXT_arg_value);

bool argument_set_by(const struct api_call *call, struct argument_set *set)
{
    const struct api_value *a = call->arguments;
    const struct api_value *value = &a[API_clSetKernelArg_arg_value];
    if (!argument_is_set_by(call->entry))
        return false;
    *set = (struct argument_set){.kernel = a[API_clSetKernelArg_kernel].bits,
                                 .index = a[API_clSetKernelArg_arg_index].bits};
    if (call->entry != API_ENTRY_clSetKernelArg) {
        set->how = call->entry == API_ENTRY_clSetKernelArgDevicePointerEXT ? ARGUMENT_SET_ADDRESS
                                                                           : ARGUMENT_SET_SHARED;
        set->size = sizeof set->address;
        set->address = a[API_clSetKernelArgSVMPointer_arg_value].bits;
        return true;
    }
    set->how = value->present ? ARGUMENT_SET_BYTES : ARGUMENT_SET_SIZE;
    set->size = a[API_clSetKernelArg_arg_size].bits;
    set->bytes = value->kind == API_VALUE_BYTES && value->size == set->size ? value->data : NULL;
    return true;
}
