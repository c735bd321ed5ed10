/* SPDX-License-Identifier: Apache-2.0 */
#include "style.h"

#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compiler.h"
#include "environ.h"
#include "number.h"

#define DEFAULT_COLUMNS 80
#define MIN_COLUMNS     20
#define MAX_COLUMNS     1000

/* The value of a variable, "" when it is not set. */
static const char *value_of(char *const *environment, const char *name)
{
	const char *value = mxt_environ_get(environment, name);
	return value ? value : "";
}

/* The charset follows the dot of a locale name, and ends where a modifier begins: "de_DE.UTF-8@euro". */
static bool is_utf8(char *const *environment)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = "";
	for (size_t i = 0; i < MXT_ARRAY_LEN(names) && *locale == '\0'; i++)
		locale = value_of(environment, names[i]);
	const char *dot = strchr(locale, '.');
	if (!dot)
		return false;
	size_t len = strcspn(dot + 1, "@");
	return (len == 5 && strncasecmp(dot + 1, "UTF-8", 5) == 0) ||
	       (len == 4 && strncasecmp(dot + 1, "UTF8", 4) == 0);
}

struct mxt_style mxt_style_detect(int fd, bool json, char *const *environment)
{
	bool terminal = !json && isatty(fd);
	const char *term = value_of(environment, "TERM");
	int64_t columns = DEFAULT_COLUMNS;
	(void)mxt_parse_i64_in(value_of(environment, "COLUMNS"), 1, MAX_COLUMNS, &columns);
	struct mxt_style style = {
	    .form = json       ? MXT_FORM_JSON
		    : terminal ? MXT_FORM_TERMINAL
			       : MXT_FORM_PLAIN,
	    .terminal_fd = terminal ? fd : -1,
	    .columns = (unsigned)columns,
	    .escapes = terminal && *term != '\0' && strcmp(term, "dumb") != 0,
	    .utf8 = is_utf8(environment),
	};
	style.colours = style.escapes && *value_of(environment, "NO_COLOR") == '\0';
	return style;
}

unsigned mxt_style_columns(const struct mxt_style *style)
{
	struct winsize size = {0};
	unsigned columns = style->columns;
	if (style->terminal_fd >= 0 && ioctl(style->terminal_fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	return columns < MIN_COLUMNS ? MIN_COLUMNS : columns;
}

void mxt_style_puts(const struct mxt_style *style, enum mxt_paint paint, const char *text, struct mxt_buf *buf)
{
	static const char *const codes[] = {
	    [MXT_PAINT_NONE] = "",         [MXT_PAINT_STRONG] = "\033[1m", [MXT_PAINT_GOOD] = "\033[32m",
	    [MXT_PAINT_WARN] = "\033[33m", [MXT_PAINT_DIM] = "\033[2m",
	};
	bool painted = style->colours && paint != MXT_PAINT_NONE;
	if (painted)
		mxt_buf_puts(buf, codes[paint]);
	mxt_buf_puts(buf, text);
	if (painted)
		mxt_buf_puts(buf, "\033[0m");
}
