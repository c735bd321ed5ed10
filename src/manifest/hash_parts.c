/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_parts.h"

#include <string.h>

void mxt_hash_parts_begin(struct mxt_hash_parts *parts, const struct mxt_hash_file *file, pthread_mutex_t *mutex,
			  pthread_cond_t *changed)
{
	*parts = (struct mxt_hash_parts){
	    .file = *file,
	    .count = ((uint64_t)file->identity.size + MXT_SUBTREE_BYTES - 1) / MXT_SUBTREE_BYTES,
	    .mutex = mutex,
	    .changed = changed,
	};
	blake3_hasher_init(&parts->hasher);
}

bool mxt_hash_parts_left(const struct mxt_hash_parts *parts)
{
	return parts->status == 0 && parts->taken < parts->count;
}

bool mxt_hash_parts_over(const struct mxt_hash_parts *parts)
{
	return parts->at_work == 0 && !mxt_hash_parts_left(parts);
}

uint64_t mxt_hash_parts_bytes(const struct mxt_hash_parts *parts)
{
	uint64_t bytes = parts->joined * MXT_SUBTREE_BYTES, size = (uint64_t)parts->file.identity.size;
	return bytes < size ? bytes : size;
}

/* Keeps the value of a part until those before it are there, and joins what can be joined. */
static void add_value(struct mxt_hash_parts *parts, uint64_t index, const uint8_t value[MXT_SUBTREE_VALUE_SIZE])
{
	memcpy(parts->values[index % MXT_HASH_PARTS_AHEAD], value, MXT_SUBTREE_VALUE_SIZE);
	parts->ready[index % MXT_HASH_PARTS_AHEAD] = true;
	for (size_t i; parts->ready[i = parts->joined % MXT_HASH_PARTS_AHEAD]; parts->joined++) {
		mxt_subtree_join(&parts->hasher, parts->values[i]);
		parts->ready[i] = false;
	}
}

/* Waits until all before this part is joined, and hashes its bytes itself. */
static void add_bytes(struct mxt_hash_parts *parts, uint64_t index, const void *bytes, size_t len)
{
	while (parts->status == 0 && parts->joined != index)
		(void)pthread_cond_wait(parts->changed, parts->mutex);
	if (parts->status != 0)
		return;
	(void)pthread_mutex_unlock(parts->mutex); /* nobody else touches the hasher before `joined` grows */
	blake3_hasher_update(&parts->hasher, bytes, len);
	(void)pthread_mutex_lock(parts->mutex);
	parts->joined++;
}

static size_t part_bytes(const struct mxt_hash_parts *parts, uint64_t index)
{
	uint64_t left = (uint64_t)parts->file.identity.size - index * MXT_SUBTREE_BYTES;
	return left < MXT_SUBTREE_BYTES ? (size_t)left : MXT_SUBTREE_BYTES;
}

bool mxt_hash_parts_work(struct mxt_hash_parts *parts, void *buffer)
{
	if (!mxt_hash_parts_left(parts) || parts->taken - parts->joined >= MXT_HASH_PARTS_AHEAD)
		return false;
	uint64_t index = parts->taken++;
	parts->at_work++;
	size_t len = part_bytes(parts, index);
	bool has_value = mxt_subtree_has_values && len == MXT_SUBTREE_BYTES;
	uint8_t value[MXT_SUBTREE_VALUE_SIZE];

	(void)pthread_mutex_unlock(parts->mutex);
	int status = mxt_hash_file_read(&parts->file, buffer, len, index * MXT_SUBTREE_BYTES);
	if (status == 0 && has_value)
		mxt_subtree_value(buffer, index, value);
	(void)pthread_mutex_lock(parts->mutex);

	if (status != 0)
		parts->status = parts->status ? parts->status : status;
	else if (has_value)
		add_value(parts, index, value);
	else
		add_bytes(parts, index, buffer, len);
	parts->at_work--;
	(void)pthread_cond_broadcast(parts->changed);
	return true;
}
