/* Keys and values out of texts: flags (a shell script, model_config.yaml), lines of TOML and YAML, calls, JSON. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/index.h"
#include "base/json.h"
#include "import/settings.h"

/* ---- Flags: words of a shell script, whose variables are put in where the script sets them itself. What a command
** only prints, and here-documents that no shell runs, are text. ---- */

typedef struct shell {
  pm__settings variables; /* key and value */
  pm__text_index names;
  const char *at;
  int line;
  char quote;                 /* that is open, or 0 */
  bool begins, prints, runs;  /* a command begins here; it prints its words; it runs what it reads */
  int branches;               /* that are open, and run or do not */
  bool follows;               /* the command runs by the outcome of another */
  const char *document, *end; /* a here-document; NULL: none, and no end of it */
  int endless;                /* words that looked like one, and whose end is in no line */
} shell;

enum { ENDLESS_MOST = 16 };

static bool is_one_of(const char *word, const char *const *list)
{
  while (*list != NULL && strcmp(*list, word) != 0) list++;
  return *list != NULL;
}

static void begin_command(shell *s)
{
  s->begins = true;
  s->prints = s->follows = false;
}

/* "#SBATCH" at the beginning of a line: what follows are flags of the job. */
static bool is_directive(const shell *s)
{
  static const char mark[] = "#SBATCH";
  return strncmp(s->at, mark, sizeof mark - 1) == 0 && (s->line == 0 || s->at[-1] == '\n');
}

/* A character between words: what it opens, closes or ends. */
static void pass(shell *s)
{
  if (*s->at == '\\' && s->at[1 + (s->at[1] == '\r')] == '\n') {
    s->at += 1 + (s->at[1] == '\r');
    s->line++;
  } else if (*s->at == '\\' && s->at[1] != '\0' && strchr("\"'", s->at[1]) != NULL) s->at++;
  else if (*s->at == '\n') {
    s->line++;
    if (s->quote == '\0') begin_command(s);
  } else if (*s->at == '"' || *s->at == '\'') {
    if (s->quote == '\0') s->quote = *s->at;
    else if (s->quote == *s->at) s->quote = '\0';
  } else if (strchr(";()`", *s->at) != NULL && s->quote == '\0') begin_command(s);
}

/* The next word; quotes and brackets only part words, comments end with their line. False at the end. */
static bool next_word(shell *s, char *word)
{
  size_t length = 0;
  for (;; s->at++) {
    if (s->end != NULL && s->at >= s->end) {
      s->document = s->end = NULL;
      s->quote = '\0';
      begin_command(s);
    }
    if (is_directive(s)) s->at += strcspn(s->at, " \t\n");
    else if (*s->at == '#' && (s->line == 0 || isspace((unsigned char)s->at[-1]))) s->at += strcspn(s->at, "\n");
    if (*s->at == '\0' || strchr(" \t\r\n\"'()\\;`", *s->at) == NULL) break;
    pass(s);
  }
  for (; *s->at != '\0' && strchr(" \t\r\n\"'()\\;`", *s->at) == NULL; s->at++)
    if (length < PM__SETTING_MAX - 1) word[length++] = *s->at;
  word[length] = '\0';
  return length > 0;
}

/* "<<EOF", "<<-EOF" and "<< EOF": the lines from the next one up to that of the word alone. "1 << 3" has none. The
** text is searched for those of a few such words; then all that follows is a document, as it is to a shell. */
static void open_document(shell *s, const char *word)
{
  char end[PM__SETTING_MAX];
  bool tabs = word[2] == '-';
  snprintf(end, sizeof end, "%s", word + 2 + tabs);
  if (end[0] == '\0' && !next_word(s, end)) return;
  const char *first = strchr(s->at, '\n');
  for (const char *line = first; line != NULL; line = strchr(line, '\n')) {
    line++;
    const char *text = line + (tabs ? strspn(line, "\t") : 0);
    size_t length = strcspn(text, "\r\n");
    if (length != strlen(end) || strncmp(text, end, length) != 0) continue;
    s->document = first + 1;
    s->end = line;
    return;
  }
  if (++s->endless == ENDLESS_MOST) s->document = s->at;
}

static bool is_text(const shell *s)
{
  return s->prints || (s->document != NULL && s->at > s->document);
}

/* Whether it is known only when the script runs that what follows does. */
static void count_branches(shell *s, const char *word)
{
  static const char *const opens[] = {"if", "while", "until", "for", "select", "case", NULL};
  static const char *const closes[] = {"fi", "done", "esac", NULL};
  s->branches += is_one_of(word, opens);
  s->branches -= s->branches > 0 && is_one_of(word, closes);
}

/* What the word is to its command. */
static void take_word(shell *s, const char *word)
{
  static const char *const before[] = {"sudo", "exec", "time", "then", "do", "else", "elif", "if", "while", "until",
                                       "{", "!", "env", "command", "builtin", "export", NULL};
  static const char *const prints[] = {"echo", "printf", ":", NULL};
  static const char *const runs[] = {"bash", "sh", "zsh", "sbatch", "srun", "ssh", "qsub", "bsub", NULL};
  static const char *const parts[] = {"&&", "||", "|", "&", "|&", NULL};
  const char *slash = strrchr(word, '/'), *name = slash != NULL ? slash + 1 : word;
  if (s->begins && s->quote == '\0' && !is_text(s)) count_branches(s, word);
  if (s->quote == '\0' && is_one_of(word, parts)) {
    begin_command(s);
    s->follows = word[1] == word[0];
  } else if (strncmp(word, "<<<", 3) == 0) s->prints = s->prints || !s->runs;
  else if (strncmp(word, "<<", 2) == 0 && s->document == NULL && !s->runs) open_document(s, word);
  else if (s->begins && strchr(word, '=') == NULL && !is_one_of(word, before)) {
    s->begins = false;
    s->prints = is_one_of(name, prints);
    s->runs = is_one_of(name, runs);
  }
}

static const char *variable_name(const void *variables, size_t i)
{
  return ((const pm__setting *)variables)[i].key;
}

/* "$GPUS" and "${GPUS}" and "${GPUS:-8}". */
static void put_in_variable(const shell *s, char *word)
{
  char name[PM__SETTING_MAX];
  size_t begin = word[0] != '$' ? 0 : word[1] == '{' ? 2 : 1, length = strcspn(word + begin, "}:-");
  if (begin == 0) return;
  snprintf(name, sizeof name, "%.*s", (int)length, word + begin);
  size_t found = pm__text_index_find(&s->names, name, variable_name, s->variables.items);
  if (found != PM__NO_ITEM) {
    memcpy(word, s->variables.items[found].value, PM__SETTING_MAX);
    return;
  }
  const char *otherwise = strstr(word, ":-");
  if (otherwise == NULL) return;
  char value[PM__SETTING_MAX];
  snprintf(value, sizeof value, "%.*s", (int)strcspn(otherwise + 2, "}"), otherwise + 2);
  memcpy(word, value, sizeof value);
}

/* Another value that is set in a branch leaves the variable as what it is called, which nothing is read from. */
static void set_again(const shell *s, pm__setting *variable, const char *value)
{
  if ((s->branches > 0 || s->follows) && strcmp(variable->value, value) != 0)
    snprintf(variable->value, sizeof variable->value, "$%.*s", PM__SETTING_MAX - 2, variable->key);
  else memcpy(variable->value, value, PM__SETTING_MAX);
}

static int set_variable(shell *s, const char *name, const char *value, pm_error *error)
{
  size_t found = pm__text_index_find(&s->names, name, variable_name, s->variables.items);
  if (found != PM__NO_ITEM) return set_again(s, &s->variables.items[found], value), PM_OK;
  int status = pm__settings_add(&s->variables, s->line + 1, name, value, error);
  if (status != PM_OK) return status;
  size_t last = s->variables.count - 1;
  return pm__text_index_add(&s->names, s->variables.items[last].key, last) ? PM_OK : pm__no_memory(error);
}

/* NAME=value, or NAME="the first word of several", of which nothing else is kept. */
static int note_variable(shell *s, char *word, pm_error *error)
{
  char *equal = strchr(word, '=');
  for (const char *p = word; p < equal; p++)
    if (!isalnum((unsigned char)*p) && *p != '_') return PM_OK;
  *equal = '\0';
  char value[PM__SETTING_MAX];
  snprintf(value, sizeof value, "%s", equal + 1);
  put_in_variable(s, value);
  return value[0] != '\0' ? set_variable(s, word, value, error) : PM_OK;
}

/* Whether what follows is a value and no flag. */
static bool value_follows(const shell *s)
{
  const char *p = s->at + strspn(s->at, " \t\"'");
  while (*p == '\\' && (p[1] == '\n' || p[1] == '\r')) p += 1 + strspn(p + 1, " \t\r\n");
  return *p != '\0' && *p != '\n' && *p != ')' && *p != '#' && *p != ';' && strncmp(p, "--", 2) != 0;
}

/* "--bf16: true" of a model_config.yaml is "--bf16 true"; a flag that is false or null there is not given. */
static bool is_unset(char *word, const char *value)
{
  size_t length = strlen(word);
  if (word[length - 1] != ':') return false;
  word[length - 1] = '\0';
  return strcmp(value, "false") == 0 || strcmp(value, "null") == 0;
}

static int read_flag(pm__settings *settings, shell *s, char *word, pm_error *error)
{
  char value[PM__SETTING_MAX] = "";
  int line = s->line + 1;
  bool text = is_text(s);
  char *equal = strchr(word, '=');
  if (equal != NULL) {
    *equal = '\0';
    snprintf(value, sizeof value, "%s", equal + 1);
    if (value[0] == '\0' && value_follows(s)) next_word(s, value);
  } else if (value_follows(s)) {
    next_word(s, value);
  }
  put_in_variable(s, value);
  if (is_unset(word, value)) return PM_OK;
  int status = pm__settings_add(settings, line, word + 2, value, error);
  if (status == PM_OK) settings->items[settings->count - 1].is_text = text;
  return status;
}

int pm__settings_flags(pm__settings *settings, const char *text, pm_error *error)
{
  shell s = {.variables = {.file = settings->file}, .at = text, .begins = true};
  char word[PM__SETTING_MAX];
  int status = PM_OK;
  while (status == PM_OK && next_word(&s, word)) {
    take_word(&s, word);
    if (strcmp(word, "-N") == 0) snprintf(word, sizeof word, "--nodes"); /* of Slurm */
    bool variable = isalpha((unsigned char)word[0]) && strchr(word, '=') != NULL && !is_text(&s);
    if (strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2])) status = read_flag(settings, &s, word, error);
    else if (variable) status = note_variable(&s, word, error);
  }
  free(s.variables.items);
  pm__text_index_free(&s.names);
  return status;
}

/* ---- Lines: "key = value" under "[section]", "key: value" under what is less indented. Values of several lines are
** texts, of which nothing is a setting. ---- */

enum { DEPTH = 32 };

typedef struct levels {
  bool toml;
  int indent[DEPTH], count;
  char prefix[DEPTH][PM__SETTING_MAX]; /* of what is below */
  const char *quotes; /* that end a text: three of TOML, one of YAML; NULL: none is open */
  bool begun;         /* a key has been read */
  int array;          /* brackets of TOML that are open, whose values go on in the lines below */
  int opened;         /* the line in which they began */
  int block;          /* indent of the key whose text of YAML goes on; -1: none */
} levels;

/* Whether a text ends in the line; a quote behind a backslash, or written twice in one of single quotes, is its own. */
static bool ends_text(const char *text, size_t length, const char *quotes)
{
  size_t size = strlen(quotes);
  for (size_t i = 0; i + size <= length; i++)
    if (text[i] == '\\' && quotes[0] == '"') i++;
    else if (strncmp(text + i, quotes, size) == 0) {
      if (size > 1 || quotes[0] != '\'' || text[i + 1] != '\'') return true;
      i++;
    }
  return false;
}

/* Brackets that a line of a list opens, less those that it closes; none of a text or a comment. */
static int count_open(const char *text, size_t length)
{
  int open = 0;
  char quote = '\0';
  for (size_t i = 0; i < length && (quote != '\0' || text[i] != '#'); i++) {
    if (quote == '"' && text[i] == '\\') i++;
    else if (quote != '\0') quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '"' || text[i] == '\'') quote = text[i];
    else open += (text[i] == '[') - (text[i] == ']');
  }
  return open;
}

/* Whether a line is of a text that an earlier one opened, and whether the text is over. */
static bool goes_on(levels *l, const char *text, size_t length)
{
  size_t indent = strspn(text, " \t");
  if (l->quotes != NULL) {
    if (ends_text(text, length, l->quotes)) l->quotes = NULL;
    return true;
  }
  if (l->array > 0) {
    l->array += count_open(text, length);
    return true;
  }
  if (l->block >= 0 && indent < length && text[indent] != '\r' && (int)indent <= l->block) l->block = -1;
  return l->block >= 0;
}

/* The quotes that open a value; NULL: none. */
static const char *quotes_of(const levels *l, const char *value)
{
  static const char *const all[] = {"\"\"\"", "\'\'\'", "\"", "\'"};
  for (size_t i = l->toml ? 0 : 2; i < (l->toml ? 2 : 4); i++)
    if (strncmp(value, all[i], strlen(all[i])) == 0) return all[i];
  return NULL;
}

/* "|", ">-" or "|2" of YAML, behind which only a comment may be. */
static bool is_block(const char *value, size_t length)
{
  if (length == 0 || strchr("|>", value[0]) == NULL) return false;
  size_t end = 1 + strspn(value + 1, "+-0123456789 \t\r");
  return end >= length || value[end] == '#';
}

/* Whether a value is the first line of a text of several; a tag or an anchor of YAML may be before it. */
static void open_text(levels *l, int indent, const char *value, size_t length, int line)
{
  size_t begin = strspn(value, " \t");
  while (!l->toml && begin < length && strchr("&!", value[begin]) != NULL) {
    begin += strcspn(value + begin, " \t\n");
    begin += strspn(value + begin, " \t");
  }
  if (begin >= length) return;
  const char *quotes = quotes_of(l, value + begin);
  size_t behind = begin + (quotes != NULL ? strlen(quotes) : 0);
  if (quotes != NULL && !ends_text(value + behind, length - behind, quotes)) l->quotes = quotes;
  else if (l->toml && value[begin] == '[') l->array = count_open(value, length);
  else if (!l->toml && is_block(value + begin, length - begin)) l->block = indent;
  l->opened = line;
}

/* What stands between blanks, quotes around all of it and a comment not with it. */
static void trimmed(const char *text, size_t length, char *out)
{
  size_t end = 0;
  char quote = '\0';
  for (; end < length; end++) {
    if (quote == '\0' && text[end] == '#') break;
    if (quote == '\0' && (text[end] == '"' || text[end] == '\'')) quote = text[end];
    else if (text[end] == quote) quote = '\0';
  }
  while (end > 0 && (isspace((unsigned char)text[end - 1]) || text[end - 1] == ',')) end--;
  size_t begin = 0;
  while (begin < end && isspace((unsigned char)text[begin])) begin++;
  if (end - begin > 1 && (text[begin] == '"' || text[begin] == '\'') && text[end - 1] == text[begin]) begin++, end--;
  snprintf(out, PM__SETTING_MAX, "%.*s", (int)(end - begin < PM__SETTING_MAX ? end - begin : PM__SETTING_MAX - 1),
           text + begin);
}

static void join(char *out, const char *prefix, const char *key)
{
  snprintf(out, PM__SETTING_MAX, "%.*s%s%.*s", PM__SETTING_MAX / 2 - 2, prefix, prefix[0] != '\0' ? "." : "",
           PM__SETTING_MAX / 2 - 2, key);
}

/* What says nothing of a key; the marks of YAML's documents are none. */
static int add_unread(pm__settings *settings, const char *text, size_t length, int line, pm_error *error)
{
  char rest[PM__SETTING_MAX];
  trimmed(text, length, rest);
  if (rest[0] == '\0' || strcmp(rest, "...") == 0) return PM_OK;
  int status = pm__settings_add(settings, line, rest, "", error);
  if (status == PM_OK) settings->items[settings->count - 1].is_text = true;
  return status;
}

/* "[section]" and "[[section]]", behind which only a comment may stand. */
static int open_section(pm__settings *settings, levels *l, const char *text, size_t length, int line, pm_error *error)
{
  size_t begin = strspn(text, "["), end = begin + strcspn(text + begin, "]\n");
  size_t rest = end < length ? end + strspn(text + end, "]") : length;
  l->count = 1;
  l->indent[0] = -1;
  trimmed(text + begin, end - begin, l->prefix[0]);
  return add_unread(settings, text + rest, length - rest, line, error);
}

/* Whether a line of YAML begins a document, and another one is before it. */
static bool begins_another(const levels *l, const char *text, size_t length)
{
  return !l->toml && l->begun && length >= 3 && strncmp(text, "---", 3) == 0 &&
         (length == 3 || isspace((unsigned char)text[3]));
}

static int read_line(pm__settings *settings, levels *l, const char *text, size_t length, int line, pm_error *error)
{
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX], whole[PM__SETTING_MAX];
  size_t indent = strspn(text, " \t-"), sign = strcspn(text, "=:\n");
  if (begins_another(l, text, length))
    return pm__fail_at(error, PM_STATUS_BAD_FILE, settings->file, line, "a second document begins: take the lines of "
                       "one run");
  if (goes_on(l, text, length) || indent >= length || text[indent] == '#') return PM_OK;
  if (text[indent] == '[') return open_section(settings, l, text + indent, length - indent, line, error);
  if (sign >= length) {
    open_text(l, (int)strspn(text, " \t"), text + indent, length - indent, line);
    return add_unread(settings, text + indent, length - indent, line, error);
  }
  l->begun = true;
  trimmed(text + indent, sign - indent, key);
  trimmed(text + sign + 1, length - sign - 1, value);
  open_text(l, (int)indent, text + sign + 1, length - sign - 1, line);
  while (l->count > 0 && l->indent[l->count - 1] >= (int)indent) l->count--;
  join(whole, l->count > 0 ? l->prefix[l->count - 1] : "", key);
  if (value[0] != '\0') return pm__settings_add(settings, line, whole, value, error);
  if (l->count == DEPTH)
    return pm__fail_at(error, PM_STATUS_BAD_FILE, settings->file, line, "keys are nested more than %d deep", DEPTH);
  l->indent[l->count] = (int)indent;
  memcpy(l->prefix[l->count++], whole, sizeof whole);
  return PM_OK;
}

int pm__settings_lines(pm__settings *settings, const char *text, const char *file, bool toml, pm_error *error)
{
  levels l = {.toml = toml, .block = -1};
  int status = PM_OK, line = 1;
  for (const char *p = text; *p != '\0' && status == PM_OK; line++) {
    size_t length = strcspn(p, "\n");
    status = read_line(settings, &l, p, length, line, error);
    p += length + (p[length] == '\n');
  }
  if (status == PM_OK && (l.quotes != NULL || l.array > 0))
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, file, l.opened, "a %s begins here that does not end with %s",
                       l.array > 0 ? "list" : "text", l.array > 0 ? "]" : l.quotes);
  return status;
}

/* ---- Calls: "name=value" and "a.b.name = value" wherever they stand, by the last of the names. ---- */

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

enum { VALUE_MOST = 4 * PM__SETTING_MAX };

/* Up to the comma, bracket or comment behind a value, or the end of its line. A value that is itself a call or a list,
** or longer than any that is read, is only known when the program runs. */
static size_t value_length(const char *value, bool *call)
{
  const char *p = value;
  char quote = '\0';
  *call = false;
  for (int depth = 0; *p != '\0' && *p != '\n' && p < value + VALUE_MOST; p++) {
    if (quote != '\0') quote = *p == quote ? '\0' : quote;
    else if (strchr("\"'", *p) != NULL) quote = *p;
    else if (*p == '#' || (depth == 0 && strchr(*call ? ",)]}" : ",)", *p) != NULL)) break;
    else if (strchr("([{", *p) != NULL) *call = true, depth++;
    else if (strchr(")]}", *p) != NULL) depth--;
  }
  *call = *call || p == value + VALUE_MOST;
  return (size_t)(p - value);
}

/* "a.x, b.y = 8, 2" gives its values to its names in order. */
static bool is_one_of_several(const char *text, const char *name)
{
  const char *p = name;
  while (p > text && (is_name(p[-1]) || strchr(" \t.,", p[-1]) != NULL)) p--;
  return (p == text || p[-1] == '\n') && isalpha((unsigned char)p[strspn(p, " \t")]) &&
         memchr(p, ',', (size_t)(name - p)) != NULL;
}

/* A value that is itself a call or a list is only known when the program runs. */
static int read_call(pm__settings *settings, const char *text, const char *name, const char *sign, int line,
                     pm_error *error)
{
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX];
  bool call;
  size_t length = value_length(sign + 1, &call);
  trimmed(name, (size_t)(sign - name), key);
  trimmed(sign + 1, length, value);
  if (value[0] == '\0' || key[0] == '\0') return PM_OK;
  int status = pm__settings_add(settings, line, key, value, error);
  if (status != PM_OK) return status;
  settings->items[settings->count - 1].is_call = call;
  settings->items[settings->count - 1].is_text = is_one_of_several(text, name);
  return PM_OK;
}

/* The last quote of a text: of one in three quotes, which is a comment, or of one in a line: nothing in it is set. */
static const char *end_of_text(const char *p, int *line)
{
  const char quotes[] = {*p, *p, *p, '\0'};
  const char *end = strncmp(p, quotes, 3) == 0 ? strstr(p + 3, quotes) : NULL;
  if (end == NULL) {
    for (end = p + 1; *end != '\0' && *end != '\n' && *end != *p; end++) end += *end == '\\' && end[1] != '\0';
    return *end == *p ? end : p;
  }
  for (; p < end; p++) *line += *p == '\n';
  return end + 2;
}

int pm__settings_calls(pm__settings *settings, const char *text, pm_error *error)
{
  int status = PM_OK, line = 1;
  const char *name = text;
  for (const char *p = text; *p != '\0' && status == PM_OK; p++) {
    if (*p == '#') p += strcspn(p, "\n");
    if (*p == '\0') break;
    if (*p == '"' || *p == '\'') p = end_of_text(p, &line);
    if (*p == '\n') line++;
    bool sign = (*p == '=' && p[1] != '=' && (p == text || strchr("=!<>", p[-1]) == NULL)) ||
        (*p == ':' && p[1] == ' ');
    if (sign) status = read_call(settings, text, name, p, line, error);
    if (!is_name(*p) && *p != ' ') name = p + 1;
  }
  return status;
}

/* ---- JSON ---- */

static int read_object(pm__settings *settings, pm__json *json, pm__json_lines *l, const char *prefix, int depth,
                       pm_error *error)
{
  char key[PM__SETTING_MAX], whole[PM__SETTING_MAX], value[PM__SETTING_MAX];
  int status = PM_OK;
  if (depth == DEPTH) return pm__json_fail(json, "too deep");
  for (pm__json_enter(json, '{'); status == PM_OK && pm__json_next_key(json, key, sizeof key);) {
    join(whole, prefix, key);
    if (pm__json_is(json, '{')) {
      status = read_object(settings, json, l, whole, depth + 1, error);
      continue;
    }
    int line = pm__json_line(l, json->at);
    if (pm__json_is(json, '"')) pm__json_string(json, value, sizeof value);
    else {
      pm__json_slice slice = pm__json_skip(json);
      trimmed(slice.text != NULL ? slice.text : "", slice.length, value);
    }
    if (!json->failed) status = pm__settings_add(settings, line, whole, value, error);
  }
  return json->failed ? PM_STATUS_BAD_SYNTAX : status;
}

int pm__settings_json(pm__settings *settings, const char *text, const char *file, pm_error *error)
{
  pm__json json = pm__json_open(text, file, error);
  pm__json_lines l = {text, 1};
  int status = read_object(settings, &json, &l, "", 0, error);
  return status == PM_OK && !pm__json_end(&json) ? PM_STATUS_BAD_SYNTAX : status;
}
