/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor was told of NVIDIA's driver: the facts of the surveyor (nvidia_survey.h), or
 *
 *     {"status": "absent" | "failed" | "late", "reason": "..."}
 */
#ifndef MXT_DOCTOR_NVIDIA_ANSWER_H
#define MXT_DOCTOR_NVIDIA_ANSWER_H

#include <jansson.h>

#include "nvidia_survey.h"

#define MXT_NVIDIA_STATUS_ABSENT "absent"
#define MXT_NVIDIA_STATUS_FAILED "failed"
#define MXT_NVIDIA_STATUS_LATE   "late"

enum mxt_nvidia_state {
	MXT_NVIDIA_NOT_ASKED, /* a record without it */
	MXT_NVIDIA_ABSENT,    /* no driver, or no card */
	MXT_NVIDIA_FAILED,    /* the libraries are there, and fail or crash */
	MXT_NVIDIA_LATE,      /* no answer in time */
	MXT_NVIDIA_UNREADABLE,
	MXT_NVIDIA_TOLD,
};

struct mxt_nvidia_answer {
	enum mxt_nvidia_state state;
	char reason[MXT_NVIDIA_REASON];  /* "" when MXT_NVIDIA_TOLD */
	struct mxt_nvidia_driver driver; /* when MXT_NVIDIA_TOLD; else without devices */
	const json_t *facts;             /* the same, borrowed: all of its devices parse */
};

/* `answer` is any JSON, or NULL when nobody asked; it is borrowed for as long as *ret_answer is used. */
void mxt_nvidia_answer_parse(const json_t *answer, struct mxt_nvidia_answer *ret_answer);

/* The newest CUDA that the driver runs ("13.0"), into `text`; "" when it is not known. */
#define MXT_CUDA_TEXT 24
const char *mxt_nvidia_answer_cuda(const struct mxt_nvidia_answer *answer, char text[MXT_CUDA_TEXT]);

#endif
