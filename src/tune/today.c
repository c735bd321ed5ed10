/* SPDX-License-Identifier: Apache-2.0 */
#include "today.h"

#include <string.h>

#include "attention_keys.h"
#include "attention_today.h"
#include "session.h"

static const struct mxt_probe_result *attention_of(const struct mxt_session *session)
{
	return &session->probes[MXT_PROBLEM_ATTENTION];
}

/* What people call a backend or a provider. */
static const char *display_name(const char *backend)
{
	static const struct {
		const char *backend, *name;
	} names[] = {
	    {"aiter", "AITER attention"},
	    {"aotriton", "AOTriton attention"},
	    {"ck", "Composable Kernel attention"},
	    {"cudnn", "cuDNN attention"},
	    {"default", "torch's default attention"},
	    {"eager", "eager attention"},
	    {"efficient", "memory-efficient attention"},
	    {"fa2", "flash_attention_2"},
	    {"fa3", "flash_attention_3"},
	    {"flash", "flash attention inside torch"},
	    {"flex", "flex attention"},
	    {"math", "math attention"},
	    {"varlen", "torch's varlen attention"},
	    {"xformers", "xformers attention"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++)
		if (strcmp(names[i].backend, backend) == 0)
			return names[i].name;
	return backend;
}

/* "A=1, B=2" */
static void put_assignments(const json_t *env, const char **separator, struct mxt_buf *buf)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		mxt_buf_printf(buf, "%s%s=%s", *separator, name, json_string_value(value));
		*separator = ", ";
	}
}

/* What torch's own dispatcher takes: as seen, or as the device calls it. */
static const char *dispatched(const struct mxt_session *session, bool bare)
{
	const struct mxt_probe_result *result = attention_of(session);
	const char *seen = bare || !result->yours_backend[0] ? result->bare_backend : result->yours_backend;
	const char *listed = result->candidates.bare_choice;
	return seen[0] ? seen : listed ? listed : "default";
}

static void put_dispatched(const struct mxt_session *session, struct mxt_buf *buf)
{
	const char *separator = " (by ";
	mxt_buf_puts(buf, display_name(dispatched(session, false)));
	put_assignments(session->yours, &separator, buf);
	mxt_buf_puts(buf, json_object_size(session->yours) > 0 ? ")" : " (torch's default)");
}

void mxt_today_text(const struct mxt_session *session, struct mxt_buf *buf)
{
	const struct mxt_attention_today *today = &session->request->today->yours;
	if (!today->starts)
		mxt_buf_puts(buf, today->note);
	else if (!today->modelled || (today->provider && strcmp(today->provider, "varlen") != 0))
		mxt_buf_puts(buf, today->name);
	else if (today->provider)
		mxt_buf_puts(buf, display_name(today->provider));
	else
		put_dispatched(session, buf);
	if (today->starts)
		mxt_buf_puts(buf, mxt_isolation_text(today->isolation));
}

/* True when other kernels than those that the config asks for compute attention under the plan. */
static bool changes_provider(const struct mxt_session *session)
{
	const struct mxt_today *today = session->request->today;
	const char *plan = mxt_session_plan_provider(session), *now = today->yours.provider;
	if (!session->request->target.python)
		return false; /* nothing but torch's dispatcher was tried */
	return plan ? !now || strcmp(plan, now) != 0 : now != NULL;
}

static void put_keys(const struct mxt_session *session, const char *backend, const char **separator,
		     struct mxt_buf *buf)
{
	struct mxt_attention_edits edits;
	enum mxt_documents documents = mxt_documents_of(&session->request->workload->training);
	if (!session->request->workload->attention_config.axolotl || !changes_provider(session) ||
	    mxt_attention_keys(backend, documents, session->request->today->axolotl, &edits) || edits.count == 0)
		return;
	mxt_buf_puts(buf, *separator);
	mxt_attention_keys_text(&edits, buf);
	*separator = ", ";
}

/* Selectors of the caller's that a plan without them removes. */
static void put_removed(const struct mxt_session *session, const char **separator, struct mxt_buf *buf)
{
	const char *name;
	json_t *value;
	json_object_foreach(session->yours, name, value)
	{
		mxt_buf_printf(buf, "%swithout %s", *separator, name);
		*separator = ", ";
	}
}

static void put_change(const struct mxt_session *session, struct mxt_buf *buf)
{
	const struct mxt_probe_result *result = attention_of(session);
	const char *provider = mxt_session_plan_provider(session);
	const char *backend = provider ? provider : result->winner ? result->winner->choice : dispatched(session, true);
	const char *separator = ", by ";
	mxt_buf_printf(buf, "the plan: %s", display_name(backend));
	if (result->winner)
		put_assignments(result->winner->env, &separator, buf);
	put_keys(session, backend, &separator, buf);
	if (result->ships_bare) {
		separator = ", ";
		put_removed(session, &separator, buf);
	}
}

void mxt_today_change_text(const struct mxt_session *session, struct mxt_buf *buf)
{
	const struct mxt_probe_result *result = attention_of(session);
	if (result->empty || (session->request->workload->excluded & MXT_PART_ATTENTION))
		mxt_buf_puts(buf, "the plan leaves it as it is");
	else if (mxt_probe_ships(result) || changes_provider(session))
		put_change(session, buf);
	else
		mxt_buf_puts(buf, "the plan keeps it");
}
