/*
** Feeds inputs to a target without libFuzzer, always the same ones, so that a failure comes back: each file of the
** command line as it is and with some bytes changed or cut off.
**
**     fuzz_csv FILE...              as the tests do
**     fuzz_csv --seconds 60 FILE... then files with up to eight changes each, for so long
**     fuzz_csv --random 10000       as many inputs of up to 256 bytes of any value
**
** An input that ends the process is in the file fuzz-failed when PM_FUZZ_KEEP is set.
*/
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { SIZE_MAX_BYTES = 1 << 20, VARIANTS = 16, FILES_MOST = 1000, CHANGES = 8, RANDOM_SIZE = 256 };

static const char letters[] = "<>\"'&/ 0-9*{}(x\n,;:=[].+e\t\r!|%\\";

typedef struct input {
  uint8_t *bytes;
  size_t size;
} input;

static uint64_t drawn;
static long tried;

static uint32_t draw(void)
{
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(drawn >> 33);
}

static void try_input(const uint8_t *bytes, size_t size)
{
  if (getenv("PM_FUZZ_KEEP") != NULL) {
    FILE *file = fopen("fuzz-failed", "wb");
    if (file != NULL) {
      fwrite(bytes, 1, size, file);
      fclose(file);
    }
  }
  uint8_t *own = (uint8_t *)malloc(size > 0 ? size : 1); /* so that sanitizers see a byte too far */
  if (own == NULL) return;
  memcpy(own, bytes, size);
  LLVMFuzzerTestOneInput(own, size);
  free(own);
  tried++;
}

static uint8_t letter(void)
{
  return (uint8_t)letters[draw() % (sizeof letters - 1)];
}

static void try_variants(const input *in)
{
  drawn = in->size;
  try_input(in->bytes, in->size);
  for (int i = 0; i < VARIANTS && in->size > 0; i++) {
    size_t at = draw() % in->size;
    uint8_t old = in->bytes[at];
    in->bytes[at] = letter();
    try_input(in->bytes, in->size);
    in->bytes[at] = old;
    if (i % 8 == 0) try_input(in->bytes, at);
  }
}

/* ---- For longer runs ---- */

/* A byte changed, a piece left out, or a piece repeated elsewhere. */
static size_t change(uint8_t *bytes, size_t size)
{
  size_t at = draw() % size, length = 1 + draw() % 16, to = draw() % size;
  if (at + length > size) length = size - at;
  switch (draw() % 5) {
  case 0: bytes[at] = (uint8_t)draw(); return size;
  case 1: memmove(bytes + at, bytes + at + length, size - at - length); return size - length;
  case 2:
    if (to + length <= size) memmove(bytes + to, bytes + at, length);
    return size;
  default: bytes[at] = letter(); return size;
  }
}

static void try_for(double seconds, const input *inputs, int count)
{
  uint8_t *bytes = (uint8_t *)malloc(SIZE_MAX_BYTES);
  time_t end = time(NULL) + (time_t)seconds;
  for (drawn = 1; bytes != NULL && count > 0 && time(NULL) < end;) {
    const input *in = &inputs[draw() % (uint32_t)count];
    size_t size = in->size;
    memcpy(bytes, in->bytes, size);
    for (uint32_t i = 1 + draw() % CHANGES; i > 0 && size > 0; i--) size = change(bytes, size);
    try_input(bytes, size);
  }
  free(bytes);
}

static void try_random(long count)
{
  uint8_t bytes[RANDOM_SIZE];
  for (drawn = 1; count > 0; count--) {
    size_t size = draw() % RANDOM_SIZE;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)draw();
    try_input(bytes, size);
  }
}

/* ---- Files ---- */

static int read_input(const char *path, input *in)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fprintf(stderr, "cannot open %s: %s\n", path, strerror(errno)), 1;
  uint8_t *room = (uint8_t *)malloc(SIZE_MAX_BYTES);
  in->size = room != NULL ? fread(room, 1, SIZE_MAX_BYTES, file) : 0;
  in->bytes = room != NULL ? (uint8_t *)realloc(room, in->size + 1) : NULL;
  fclose(file);
  return in->bytes == NULL;
}

int main(int argc, char **argv)
{
  static input inputs[FILES_MOST];
  int count = 0, failed = 0, first = 1;
  double seconds = 0;
  if (argc > 2 && strcmp(argv[1], "--random") == 0) try_random(atol(argv[2])), first = 3;
  if (argc > 2 && strcmp(argv[1], "--seconds") == 0) seconds = atof(argv[2]), first = 3;
  for (int i = first; i < argc && count < FILES_MOST && !failed; i++) failed = read_input(argv[i], &inputs[count++]);
  for (int i = 0; i < count && !failed; i++) try_variants(&inputs[i]);
  if (!failed) try_for(seconds, inputs, count);
  printf("%d files, %ld inputs\n", count, tried);
  for (int i = 0; i < count; i++) free(inputs[i].bytes);
  return failed;
}
