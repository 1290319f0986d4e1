/* Link graphs drawn: for Graphviz, and as SVG in layers - switches of the GPU links, GPUs, PCIe switches and NICs,
** CPUs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/units.h"

static const char *const shapes[] = {"box", "box3d", "diamond", "hexagon", "ellipse"};
static const char *const colours[] = {"#76b900", "#9aa7b8", "#d9d9d9", "#ffd24d", "#7db8e8"};
static const char *const strokes[] = {"#3b7a00", "#888888", "#c05a00", "#5a5a5a", "#2266aa", "#2266aa"};

static char *finish(pm__string *text, pm_error *error)
{
  if (!text->failed && text->text != NULL) return text->text;
  free(text->text);
  pm__no_memory(error);
  return NULL;
}

/* Text in XML and in Graphviz strings: vertex names may hold anything. */
static void add_escaped(pm__string *text, const char *name)
{
  for (const char *p = name; *p != '\0';) {
    const char *instead = *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : *p == '&' ? "&amp;" : *p == '"' ? "&quot;"
                        : *p == '\\' ? "/" : NULL;
    if (instead == NULL) p = pm__utf8_add_clean(text, p);
    else pm__string_add(text, instead), p++;
  }
}

char *pm__system_format_dot(const pm_system *system, pm_error *error)
{
  pm__string text = {NULL, 0, 0, false};
  if (system == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
    return NULL;
  }
  pm__string_add(&text, "graph \"");
  add_escaped(&text, system->machine.id);
  pm__string_add(&text, "\" {\n  layout=neato; overlap=false; splines=true;\n");
  for (size_t v = 0; v < system->vertex_count; v++) {
    int kind = (int)system->vertices[v].kind;
    pm__string_add(&text, "  \"");
    add_escaped(&text, system->vertices[v].name);
    pm__string_format(&text, "\" [shape=%s, style=filled, fillcolor=\"%s\"];\n", shapes[kind], colours[kind]);
  }
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *e = &system->edges[k];
    pm__string_add(&text, "  \"");
    add_escaped(&text, system->vertices[e->a].name);
    pm__string_add(&text, "\" -- \"");
    add_escaped(&text, system->vertices[e->b].name);
    pm__string_format(&text, "\" [color=\"%s\", penwidth=%d, tooltip=\"%s x %d\"", strokes[e->link.kind],
                      1 + (e->count > 1) + (e->count > 3), e->link.id, e->count);
    if (e->count > 1) pm__string_format(&text, ", label=\"%d\"", e->count);
    pm__string_add(&text, "];\n");
  }
  pm__string_add(&text, "}\n");
  return finish(&text, error);
}

/* ---- SVG ---- */

enum { LAYERS = 4, STEP = 92, BOX = 76, HIGH = 30, ROW = 120, MARGIN = 20, LEGEND = 20 };

static int layer_of(pm_vertex_kind kind)
{
  switch (kind) {
  case PM_VERTEX_NVSWITCH: return 0;
  case PM_VERTEX_GPU: return 1;
  case PM_VERTEX_CPU: return 3;
  default: return 2;
  }
}

typedef struct layout {
  int *x, *y, width, height;
} layout;

static bool lay_out(const pm_system *system, layout *l)
{
  int count[LAYERS] = {0}, place[LAYERS] = {0}, row[LAYERS], most = 1, rows = 0;
  l->x = (int *)calloc(2 * system->vertex_count + 1, sizeof *l->x);
  if (l->x == NULL) return false;
  l->y = l->x + system->vertex_count;
  for (size_t v = 0; v < system->vertex_count; v++) count[layer_of(system->vertices[v].kind)]++;
  for (int i = 0; i < LAYERS; i++) {
    row[i] = rows;
    rows += count[i] > 0;
    if (count[i] > most) most = count[i];
  }
  l->width = 2 * MARGIN + most * STEP;
  l->height = 2 * MARGIN + rows * ROW;
  for (size_t v = 0; v < system->vertex_count; v++) {
    int i = layer_of(system->vertices[v].kind);
    l->x[v] = MARGIN + (int)((2 * (double)place[i]++ + 1) * most * STEP / (2 * count[i]));
    l->y[v] = MARGIN + row[i] * ROW + ROW / 2;
  }
  return true;
}

/* Links within a layer are arcs, the higher the farther; others are straight. */
static void add_edge(pm__string *text, const pm__edge *e, const layout *l)
{
  int ax = l->x[e->a], ay = l->y[e->a], bx = l->x[e->b], by = l->y[e->b];
  int bend = ay == by ? (ax > bx ? ax - bx : bx - ax) / 6 + 24 : 0;
  pm__string_format(text, "<path d=\"M%d %d Q%d %d %d %d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"><title>", ax,
                    ay,
                    (ax + bx) / 2, (ay + by) / 2 - bend, bx, by, strokes[e->link.kind],
                        1 + (e->count > 1) + (e->count > 3));
  pm__string_format(text, "%d x ", e->count);
  add_escaped(text, e->link.id);
  pm__string_add(text, "</title></path>\n");
}

static void add_box(pm__string *text, const pm__vertex *vertex, int x, int y)
{
  pm__string_format(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"#333\"/>",
                    x - BOX / 2, y - HIGH / 2, BOX, HIGH, colours[vertex->kind]);
  pm__string_format(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", x, y + 4);
  add_escaped(text, vertex->name);
  pm__string_add(text, "</text>\n");
}

/* Whether no edge before this one is of its type. */
static bool is_first(const pm_system *system, size_t k)
{
  for (size_t i = 0; i < k; i++)
    if (strcmp(system->edges[i].link.id, system->edges[k].link.id) == 0) return false;
  return true;
}

/* Types of links with their colours, a line each. */
static void add_legend(pm__string *text, const pm_system *system, int y)
{
  int lines = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    char rate[64];
    const pm_link *link = &system->edges[k].link;
    if (!is_first(system, k)) continue;
    int at = y + LEGEND * lines++;
    pm__string_format(text, "<path d=\"M%d %d h30\" stroke=\"%s\" stroke-width=\"3\"/>", MARGIN, at,
                      strokes[link->kind]);
    pm__string_format(text, "<text x=\"%d\" y=\"%d\">", MARGIN + 40, at + 4);
    add_escaped(text, link->id);
    pm_quantity_format(rate, sizeof rate, link->bandwidth, "B/s");
    pm__string_format(text, ", %s each</text>\n", rate);
  }
}

static int count_types(const pm_system *system)
{
  int types = 0;
  for (size_t k = 0; k < system->edge_count; k++) types += is_first(system, k);
  return types;
}

char *pm__system_format_svg(const pm_system *system, pm_error *error)
{
  layout l;
  pm__string text = {NULL, 0, 0, false};
  if (system == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
    return NULL;
  }
  if (!lay_out(system, &l)) {
    pm__no_memory(error);
    return NULL;
  }
  int below = l.height;
  l.height += LEGEND * count_types(system);
  pm__string_format(&text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                    "font-family=\"sans-serif\" font-size=\"12\">\n<title>", l.width, l.height, l.width, l.height);
  add_escaped(&text, system->machine.name[0] != '\0' ? system->machine.name : system->machine.id);
  pm__string_add(&text, "</title>\n");
  for (size_t k = 0; k < system->edge_count; k++) add_edge(&text, &system->edges[k], &l);
  for (size_t v = 0; v < system->vertex_count; v++) add_box(&text, &system->vertices[v], l.x[v], l.y[v]);
  add_legend(&text, system, below);
  pm__string_add(&text, "</svg>\n");
  free(l.x);
  return finish(&text, error);
}
