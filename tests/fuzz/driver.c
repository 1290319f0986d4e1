/* Feeds files to a fuzzer without libFuzzer: each as it is, and with each of some bytes changed or cut off. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { SIZE_MAX_BYTES = 1 << 20, VARIANTS = 16 };

/* Always the same changes, so that a failure comes back. */
static void try_variants(uint8_t *bytes, size_t size)
{
  uint64_t state = size;
  LLVMFuzzerTestOneInput(bytes, size);
  for (int i = 0; i < VARIANTS && size > 0; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(state >> 33) % size;
    uint8_t old = bytes[at];
    bytes[at] = (uint8_t)"<>\"'&/ 0-9*{}(x\n"[(state >> 20) % 16];
    LLVMFuzzerTestOneInput(bytes, size);
    bytes[at] = old;
    if (i % 8 == 0) LLVMFuzzerTestOneInput(bytes, at);
  }
}

int main(int argc, char **argv)
{
  uint8_t *bytes = (uint8_t *)malloc(SIZE_MAX_BYTES);
  for (int i = 1; bytes != NULL && i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) {
      fprintf(stderr, "cannot open %s\n", argv[i]);
      free(bytes);
      return 1;
    }
    size_t size = fread(bytes, 1, SIZE_MAX_BYTES, file);
    fclose(file);
    try_variants(bytes, size);
  }
  printf("%d files\n", argc - 1);
  free(bytes);
  return 0;
}
