/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of tensors, by the names that safetensors 0.8 has for them (tensor.rs, Dtype).
 */
#ifndef MXT_MANIFEST_TENSOR_TYPE_H
#define MXT_MANIFEST_TENSOR_TYPE_H

/* How many bits an element of a type has; 0: a type that is not known here. */
unsigned mxt_tensor_element_bits(const char *dtype);

#endif
