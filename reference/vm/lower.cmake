# SPIR-V to lane code.
add_library(
    clerk_lower STATIC
    lower.c
    lower_atomic.c
    lower_bits.c lower_block.c
    lower_builtin.c
    lower_composite.c
    lower_convert.c
    lower_device.c
    lower_geometry.c
    lower_generic.c
    lower_group.c
    lower_image.c
    lower_indexed.c
    lower_ir.c
    lower_lifetime.c
    lower_memory.c
    lower_op.c
    lower_order.c
    lower_owner.c
    lower_parts.c
    lower_pipe.c
    lower_promote.c
    lower_reduction.c
    lower_remark.c
    lower_rows.c
    lower_select.c
    lower_select_memory.c
    lower_shape.c
    lower_spin.c
    lower_slots.c
    lower_sub_group.c
    lower_subscript.c
    lower_translate.c
    lower_uniform.c
    lower_unlike.c
    lower_value.c
    lower_writes.c
)
target_link_libraries(clerk_lower PUBLIC clerk_options clerk_base clerk_spirv)
# The lane code that it makes is vm's: who links the machine has both.
target_link_libraries(clerk_vm PUBLIC clerk_lower)
target_link_libraries(clerk_lower PUBLIC clerk_vm)
