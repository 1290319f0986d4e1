/* Colour on terminals: headings bold, bars of shares and the word before a message in a colour. Text in files and pipes
** stays as it is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"

#define BOLD "\033[1m"
#define BAR "\033[36m"
#define PLAIN "\033[0m"

/* https://no-color.org: NO_COLOR with any text in it. */
bool has_colour(int descriptor)
{
  const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");
  if (never != NULL && never[0] != '\0') return false;
  return terminal != NULL && terminal[0] != '\0' && strcmp(terminal, "dumb") != 0 && isatty(descriptor);
}

static bool is_rule(const char *line)
{
  size_t length = strcspn(line, "\n");
  return strspn(line, "- ") >= length && strncmp(line + strspn(line, " "), "--", 2) == 0;
}

/* The first line of an answer, the line above a table's rule, and one that indented lines follow. */
static bool is_heading(const char *text, const char *line, const char *next)
{
  if (line == text) return true;
  if (is_rule(next)) return !is_rule(line);
  return line[0] != ' ' && line[0] != '\n' && strncmp(next, "  ", 2) == 0 && line[-1] == '\n' && line[-2] == '\n';
}

static void put_line(FILE *stream, const char *line, size_t length, bool heading)
{
  size_t bar = length;
  while (bar > 0 && line[bar - 1] == '#') bar--;
  if (heading) fprintf(stream, BOLD "%.*s" PLAIN, (int)length, line);
  else if (bar < length) fprintf(stream, "%.*s" BAR "%.*s" PLAIN, (int)bar, line, (int)(length - bar), line + bar);
  else fwrite(line, 1, length, stream);
}

char *colour_text(const char *text)
{
  char *out = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&out, &size);
  if (stream == NULL) return NULL;
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    const char *next = line + length + (line[length] == '\n');
    put_line(stream, line, length, is_heading(text, line, next));
    if (line[length] == '\n') fputc('\n', stream);
    line = next;
  }
  if (fclose(stream) == 0) return out;
  free(out);
  return NULL;
}
