/* How people write numbers, units, precisions and versions. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel.h"
#include "base/base.h"
#include "traces/own_cells.h"

bool pm__lab_own_is_one_of(const char *word, const char *list)
{
  char one[60];
  for (const char *p = list; *p != '\0'; p += p[0] == ',') {
    size_t length = strcspn(p, ","), kept = length < sizeof one ? length : sizeof one - 1;
    memcpy(one, p, kept);
    one[kept] = '\0';
    if (pm__same_name(one, word)) return true;
    p += length;
  }
  return false;
}

/* ---- Units: "img/sec" is "images/s" ---- */

static const char *counted(const char *word)
{
  static const struct {
    const char *words, *name;
  } things[] = {{"img,imgs,image,images,pic,pics,frame,frames,fps", "images"},
                {"sample,samples,smp,example,examples", "samples"},
                {"seq,seqs,sequence,sequences", "sequences"},
                {"tok,toks,token,tokens", "tokens"},
                {"sentence,sentences,sent", "sentences"},
                {"step,steps,it,its,iter,iters,iteration,iterations,batch,batches", "iterations"}};
  for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
    if (pm__lab_own_is_one_of(word, things[i].words)) return things[i].name;
  return NULL;
}

/* Seconds of a word of time; 0 for what is none. */
static double seconds_of(const char *word)
{
  if (pm__lab_own_is_one_of(word, "s,sec,secs,second,seconds")) return 1;
  if (pm__lab_own_is_one_of(word, "ms,msec,millisecond,milliseconds")) return 1e-3;
  if (pm__lab_own_is_one_of(word, "us,usec,microsecond,microseconds")) return 1e-6;
  if (pm__lab_own_is_one_of(word, "min,mins,minute,minutes")) return 60;
  return pm__lab_own_is_one_of(word, "h,hr,hour,hours") ? 3600 : 0;
}

/* "kimg", "Mtokens" */
static const char *scaled(const char *word, double *factor)
{
  const char *thing = counted(word);
  *factor = 1;
  if (thing != NULL || strchr("kKM", word[0]) == NULL) return thing;
  *factor = word[0] == 'M' ? 1e6 : 1e3;
  return counted(word + 1);
}

bool pm__lab_own_unit_read(const char *text, pm__lab_own_unit *unit)
{
  char what[24], per[24], rest[24] = "";
  *unit = (pm__lab_own_unit){.factor = 1};
  while (*text == ' ') text++;
  if (pm__lab_own_is_one_of(text, "fps,ips")) text = "images/s";
  int parts = sscanf(text, "%23[A-Za-z]%*[ /]%23[A-Za-z]%23[ /A-Za-z]", what, per, rest);
  if (parts >= 2 && strcmp(per, "per") == 0)
    parts = sscanf(text, "%23[A-Za-z] per %23[A-Za-z]%23[ /A-Za-z]", what, per, rest);
  if (parts < 2) return false;
  const char *thing = scaled(what, &unit->factor);
  bool each = parts == 3 && pm__lab_own_is_one_of(rest, "gpu,pergpu,card,device");
  unit->steps = seconds_of(what) > 0 && parts == 2 && counted(per) != NULL && strcmp(counted(per), "iterations") == 0;
  if (unit->steps) unit->factor = seconds_of(what);
  if (unit->steps) return snprintf(unit->name, sizeof unit->name, "samples/s"), true;
  if (thing == NULL || seconds_of(per) <= 0 || (parts == 3 && !each)) return false;
  unit->factor /= seconds_of(per);
  snprintf(unit->name, sizeof unit->name, "%s/s%s", thing, each ? "/GPU" : "");
  return true;
}

/* ---- Numbers ---- */

/* "1,325", "12.480": one to three digits, then threes. */
static bool is_grouped(const char *text, char mark)
{
  size_t first = strspn(text, "0123456789");
  if (first == 0 || first > 3 || text[first] != mark || text[0] == '0') return false;
  for (text += first; *text == mark; text += 4)
    if (!isdigit((unsigned char)text[1]) || !isdigit((unsigned char)text[2]) || !isdigit((unsigned char)text[3]))
      return false;
  return !isdigit((unsigned char)*text);
}

static void drop(char *text, const char *mark)
{
  size_t length = strlen(mark);
  for (char *p = strstr(text, mark); p != NULL; p = strstr(p, mark)) memmove(p, p + length, strlen(p + length) + 1);
}

/* Blanks of three kinds and apostrophes part thousands, and mean nothing else between digits. */
static void drop_gaps(char *cell)
{
  static const char *const gaps[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "'", "\xe2\x80\x99", NULL};
  char copy[64], *p = copy;
  if (strlen(cell) >= sizeof copy || !isdigit((unsigned char)cell[0])) return;
  strcpy(copy, cell);
  for (const char *const *gap = gaps; *gap != NULL; gap++)
    for (char *at = strstr(copy, *gap); at != NULL; at = strstr(copy, *gap)) {
      *at = ' ';
      memmove(at + 1, at + strlen(*gap), strlen(at + strlen(*gap)) + 1);
    }
  size_t whole = strspn(copy, "0123456789 ");
  char after = copy[whole];
  copy[whole] = '\0';
  if (!is_grouped(copy, ' ')) return;
  copy[whole] = after;
  drop(p, " ");
  strcpy(cell, copy);
}

/* "2480 +- 12" and "~2480" are 2480. */
static void drop_doubts(char *cell)
{
  static const char *const marks[] = {"\xc2\xb1", "+-", "+/-", NULL};
  if (cell[0] == '~') memmove(cell, cell + 1, strlen(cell));
  for (const char *const *mark = marks; *mark != NULL; mark++) {
    char *at = strstr(cell, *mark);
    if (at != NULL && at > cell) *at = '\0';
  }
  for (size_t n = strlen(cell); n > 0 && cell[n - 1] == ' '; n--) cell[n - 1] = '\0';
}

static bool is_number(const char *cell)
{
  return cell[0] != '\0' && strspn(cell, "0123456789.,") == strlen(cell);
}

char pm__lab_own_decimal_mark(const char *cell)
{
  const char *dot = strrchr(cell, '.'), *comma = strrchr(cell, ',');
  if (!is_number(cell) || (dot == NULL && comma == NULL)) return '\0';
  if (dot != NULL && comma != NULL) return dot > comma ? '.' : ',';
  if (dot != NULL) return is_grouped(cell, '.') ? '\0' : '.';
  return is_grouped(cell, ',') ? '\0' : ',';
}

/* "1.4k" is 1400. */
static void scale(char *cell, size_t size)
{
  double value;
  size_t length = strlen(cell);
  char last = length > 1 ? cell[length - 1] : '\0';
  if (last != 'k' && last != 'K' && last != 'M') return;
  cell[length - 1] = '\0';
  if (pm_number_parse(cell, &value) == PM_OK) snprintf(cell, size, "%.9g", value * (last == 'M' ? 1e6 : 1e3));
}

bool pm__lab_own_number(char *cell, size_t size, char mark, bool commas)
{
  drop_doubts(cell);
  drop_gaps(cell);
  bool comma = strchr(cell, ',') != NULL, dot = strchr(cell, '.') != NULL;
  char own = comma && dot ? pm__lab_own_decimal_mark(cell) : '\0';
  if (mark == '\0') mark = own;
  if (comma && !dot && is_grouped(cell, ',') && mark == '\0' && !commas) return false;
  if (dot && !comma && is_grouped(cell, '.') && mark == '\0' && !commas) return false;
  if (comma && is_grouped(cell, ',') && (mark == '.' || (commas && mark != ','))) drop(cell, ",");
  if (dot && is_grouped(cell, '.') && mark == ',') drop(cell, ".");
  for (char *p = cell; *p != '\0'; p++) *p = *p == ',' ? '.' : *p;
  scale(cell, size);
  return true;
}

/* ---- Words ---- */

void pm__lab_own_precision(char *cell, size_t size)
{
  static const struct {
    const char *others, *name;
  } names[] = {{"mixed precision,amp fp16,fp16 amp,fp16 mixed,automatic mixed precision", "mixed"},
               {"half,float16,torch float16", "fp16"},
               {"single,float,float32,torch float32,full,full precision", "fp32"},
               {"bfloat16,torch bfloat16", "bf16"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (pm__lab_own_is_one_of(cell, names[i].others)) snprintf(cell, size, "%s", names[i].name);
}

static const char *skip_blanks(const char *p)
{
  return p + strspn(p, " ");
}

int pm__lab_own_count(char *gpu)
{
  enum { MOST = 99999 };
  const char *rest;
  char *end = gpu + strlen(gpu);
  int count = pm__whole_at(gpu, MOST, &rest);
  if (count > 0 && (*skip_blanks(rest) == 'x' || *skip_blanks(rest) == 'X')) {
    rest = skip_blanks(skip_blanks(rest) + 1);
    memmove(gpu, rest, strlen(rest) + 1);
    return count;
  }
  while (end > gpu && isdigit((unsigned char)end[-1])) end--;
  count = pm__whole_at(end, MOST, NULL);
  while (end > gpu && end[-1] == ' ') end--;
  if (count <= 0 || end < gpu + 2 || (end[-1] != 'x' && end[-1] != 'X') || end[-2] != ' ') return 0;
  for (end--; end > gpu && end[-1] == ' ';) end--;
  if (end >= gpu + 4 && strncmp(end - 4, "PCIe", 4) == 0) return 0; /* lanes */
  *end = '\0';
  return count;
}

/* "v2.9.1+cu130": 2 and 9. */
static bool read_release(const char *text, int *major, int *minor)
{
  return sscanf(text + strcspn(text, "0123456789"), "%3d.%3d", major, minor) == 2;
}

/* "2.9.1+cu130" gets the word that tables of timm have for it, "pt29". There "pt212" is 2.1.2, so that 2.12 needs a
** word of its own; patches tell nothing. */
void pm__lab_own_version(char *cell, size_t size)
{
  int major, minor;
  if (strstr(cell, "pt") != NULL || !read_release(cell, &major, &minor) || major > 9) return;
  size_t used = strlen(cell);
  snprintf(cell + used, size - used, major > 1 && minor > 9 ? " pt%dx%d" : " pt%d%d", major, minor);
}

/* Whether all words before a release are names of PyTorch, or of NVIDIA's containers of it. */
static bool is_named(const char *text, size_t length, bool *torch, bool *container)
{
  char words[80], *rest = words;
  *torch = *container = false;
  snprintf(words, sizeof words, "%.*s", (int)(length < sizeof words ? length : sizeof words - 1), text);
  while (*(rest += strspn(rest, " /:.=-_()")) != '\0') {
    size_t end = strcspn(rest, " /:.=-_()");
    char after = rest[end];
    rest[end] = '\0';
    bool own = pm__lab_own_is_one_of(rest, "pytorch,torch,pt");
    bool nvidia = pm__lab_own_is_one_of(rest, "ngc,nvcr,nvidia,io");
    if (!own && !nvidia && !pm__lab_own_is_one_of(rest, "timm,v,version,release")) return false;
    *torch = *torch || own;
    *container = *container || nvidia;
    rest[end] = after;
    rest += end;
  }
  return true;
}

/* "PyTorch 2.1", "torch==2.1.0"; "2.1.0a0+cu121", which PyTorch's builds alone are called; "NGC 23.09" and
** "pytorch:23.09-py3", the year and month of a container. */
bool pm__lab_own_release(const char *framework, char *version, size_t size)
{
  int major, minor;
  bool torch, container;
  size_t before = strcspn(framework, "0123456789");
  if (before == strlen("pytorch-") && strncmp(framework, "pytorch-", before) == 0) return false; /* a profile's id */
  if (!read_release(framework, &major, &minor) || !is_named(framework, before, &torch, &container)) return false;
  bool month = major >= 17 && major < 100 && minor >= 1 && minor <= 12;
  bool build = before == 0 && (strstr(framework, "+cu") != NULL || strstr(framework, "a0+") != NULL ||
                               strstr(framework, "+cpu") != NULL || strstr(framework, "+rocm") != NULL);
  if (month && (torch || container)) return snprintf(version, size, "NGC %02d.%02d", major, minor), true;
  if (major > 9 || (!torch && !build)) return false;
  snprintf(version, size, "%s", framework + before);
  pm__lab_own_version(version, size);
  return true;
}
