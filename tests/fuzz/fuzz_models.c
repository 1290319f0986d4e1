/* Any text as a model's configuration: an error in one line, or a network that has layers and says the same again. */
#include "fuzz.h"
#include "perfmodel/model.h"

/* Short samples: what is wrong with a configuration does not depend on how long they are. */
static const pm_attribute sets[] = {{"seq", "8"}, {"image", "32"}};

static void must_repeat(const char *text, const pm_network *network)
{
  pm_network_totals a, b;
  pm_network *again = pm_model_read(text, "again.json", sets, 2, NULL);
  must(again != NULL);
  must(pm_network_get_totals(network, &a, NULL) == PM_OK && pm_network_get_totals(again, &b, NULL) == PM_OK);
  must(a.layers > 0 && a.layers == b.layers && a.parameters >= 0 && !(a.mac < 0));
  pm_network_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size);
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_model_read(text, "fuzz.json", sets, 2, &error);
  must_be_said(network != NULL, &error);
  if (network != NULL) must_repeat(text, network);
  pm_network_free(network);
  free(text);
  return 0;
}
