/* How many nodes one storage system can supply, by each part of the way from it. */
#include <math.h>
#include "study/blocks/blocks.h"

static void add(pm_report *r, const char *label, double nodes)
{
  char text[PM__REPORT_WORD];
  if (!isfinite(nodes)) return;
  pm__report_add(r, label, "%s", pm__report_count(text, nodes, "node"));
  pm__report_set_value(r, nodes, "1");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char rate[PM__REPORT_WORD];
  const pm_input_rates *p = (const pm_input_rates *)s->asked->answers;
  if (!isfinite(p->max_nodes)) return;
  pm__report_set_title(r, "Nodes that one storage system can supply, %s each",
                       pm__report_quantity(rate, p->node_rate, "B/s"));
  add(r, "storage", p->nodes_storage);
  add(r, "storage's ports", p->nodes_uplink);
  add(r, "gateway", p->nodes_gateway);
  add(r, "ports of the switch", p->nodes_ports);
  add(r, "all of it", p->max_nodes);
}

const pm__study_block pm__study_block_input_supply = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_INPUT] = fill}};
