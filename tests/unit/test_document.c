/* XML text into trees: shape, lines, limits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "fixtures.h"

static pm__document *read(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm__document *document = pm__document_read(text, strlen(text), "t.xml", &error);
  ck_assert_msg(document != NULL, "%s", error.text);
  return document;
}

static void refused(const char *text, size_t size, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  pm__document *document = pm__document_read(text, size, "t.xml", &error);
  ck_assert_ptr_null(document);
  ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text);
  ck_assert_int_ne(error.status, PM_OK);
  ck_assert_ptr_null(strchr(error.text, '\n'));
}

START_TEST(elements_become_a_tree)
{
  pm__document *document = read("<a x='1' y='&lt;2&gt;'>\n  one\n  <b/>\n  <c>two &#x41;<![CDATA[<d>]]></c>\n</a>");
  const pm__element *a = document->root, *b = a->child;
  ck_assert_str_eq(document->file, "t.xml");
  ck_assert_str_eq(a->name, "a");
  ck_assert_str_eq(a->text, "one");
  ck_assert_str_eq(pm__element_attribute(a, "x"), "1");
  ck_assert_str_eq(pm__element_attribute(a, "y"), "<2>");
  ck_assert_ptr_null(pm__element_attribute(a, "z"));
  ck_assert_str_eq(b->name, "b");
  ck_assert_str_eq(b->text, "");
  ck_assert_str_eq(b->next->name, "c");
  ck_assert_str_eq(b->next->text, "two A<d>");
  ck_assert_ptr_null(b->next->next);
  ck_assert_ptr_null(b->child);
  pm__document_free(document);
}
END_TEST

START_TEST(lines_are_where_a_tag_begins)
{
  pm__document *document = read("<?xml version='1.0'?>\n<!-- two\nlines -->\n<a>\n\n<b\n  x='1'\n  y='2'/><c/>\n</a>");
  ck_assert_int_eq(document->root->line, 4);
  ck_assert_int_eq(document->root->child->line, 6);
  ck_assert_int_eq(document->root->child->next->line, 8);
  pm__document_free(document);
}
END_TEST

/* Trees of libxml2 stop counting at 65535. */
START_TEST(lines_beyond_65535)
{
  enum { LINES = 70000 };
  char *text = (char *)malloc(LINES + 20);
  memcpy(text, "<a>", 3);
  memset(text + 3, '\n', LINES);
  memcpy(text + 3 + LINES, "<b/></a>", 9);
  pm__document *document = read(text);
  ck_assert_int_eq(document->root->child->line, LINES + 1);
  pm__document_free(document);
  memcpy(text + 3 + LINES, "<b></a>", 8);
  refused(text, strlen(text), "t.xml:70001: ");
  free(text);
}
END_TEST

/* Text that arrives in many pieces, because the parser's buffer ends in it. */
START_TEST(long_files_are_read_whole)
{
  enum { CHILDREN = 20000 };
  size_t used = 0, size = CHILDREN * 40 + 100;
  char *text = (char *)malloc(size);
  used += (size_t)snprintf(text + used, size - used, "<a>\n");
  for (int i = 0; i < CHILDREN; i++)
    used += (size_t)snprintf(text + used, size - used, "<b n='%d'>text %d</b>\n", i, i);
  snprintf(text + used, size - used, "</a>");
  pm__document *document = read(text);
  int count = 0;
  for (const pm__element *b = document->root->child; b != NULL; b = b->next, count++) {
    char expected[40];
    snprintf(expected, sizeof expected, "text %d", count);
    ck_assert_str_eq(b->text, expected);
    ck_assert_str_eq(pm__element_attribute(b, "n"), expected + 5);
    ck_assert_int_eq(b->line, count + 2);
  }
  ck_assert_int_eq(count, CHILDREN);
  pm__document_free(document);
  free(text);
}
END_TEST

START_TEST(editors_may_name_the_schema)
{
  pm__document *document = read("<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
                                "xsi:noNamespaceSchemaLocation='perfmodel.xsd' version='1'/>");
  ck_assert_str_eq(document->root->attributes->name, "version");
  ck_assert_ptr_null(document->root->attributes->next);
  pm__document_free(document);
}
END_TEST

/* Other attributes keep their prefix, which whoever reads the tree does not know. */
START_TEST(prefixes_are_parts_of_names)
{
  pm__document *document = read("<a xmlns:o='other' o:x='1' version='1'><o:b/></a>");
  ck_assert_str_eq(pm__element_attribute(document->root, "o:x"), "1");
  ck_assert_str_eq(document->root->child->name, "o:b");
  pm__document_free(document);
  document = read("<a xml:space='both'/>"); /* of which libxml2 warns */
  ck_assert_str_eq(pm__element_attribute(document->root, "xml:space"), "both");
  pm__document_free(document);
}
END_TEST

START_TEST(space_around_texts_is_left_out)
{
  pm__document *document = read("<a>&#13;\r\n\t x&#13;y &#13;\n</a>");
  ck_assert_str_eq(document->root->text, "x\ry");
  pm__document_free(document);
}
END_TEST

START_TEST(bytes_must_be_utf8)
{
  static const char *const bad[] = {
    "<a>\xc0\x80</a>", "<a>\xed\xa0\x80</a>", "<a>\xf4\x90\x80\x80</a>", "<a>\xe2\x82</a>", "<a>\x80</a>",
      "<a>\xff</a>",
    "<a>\xe0\x9f\xbf</a>", "<a>\xf0\x8f\xbf\xbf</a>",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) refused(bad[i], strlen(bad[i]), "is not UTF-8");
  refused("<a>\0</a>", 8, "a zero byte");
  refused("<a>\xe2\x82\xac", 5, "byte 0xe2 is not UTF-8"); /* the file ends within a character */
  refused("", 0, "empty");
  pm__document *document = read("\xef\xbb\xbf<a>\xe2\x82\xac \xf0\x9f\x98\x80</a>");
  ck_assert_str_eq(document->root->text, "\xe2\x82\xac \xf0\x9f\x98\x80");
  pm__document_free(document);
  static const char edges[] = "\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x90\x80\x80 \xf4\x8f\xbf\xbd";
  char text[40];
  snprintf(text, sizeof text, "<a>%s</a>", edges);
  document = read(text);
  ck_assert_str_eq(document->root->text, edges);
  pm__document_free(document);
  /* What is UTF-8 is read as such, whatever the file claims. */
  document = read("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xc3\xa9</a>");
  ck_assert_str_eq(document->root->text, "\xc3\xa9");
  pm__document_free(document);
}
END_TEST

START_TEST(doctypes_are_refused)
{
  static const char *const bad[] = {
    "<!DOCTYPE a><a/>",
    "<!DOCTYPE a SYSTEM 'http://localhost/x.dtd'><a/>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
    "<!DOCTYPE a [<!ENTITY % x '<!ENTITY y \"z\">'> %x;]><a>&y;</a>",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) refused(bad[i], strlen(bad[i]), "t.xml:1: a DOCTYPE");
}
END_TEST

/* `count` times `piece` between `before` and `after`. */
static void refuse_many(const char *before, const char *piece, int count, const char *after, const char *message)
{
  size_t length = strlen(piece), size = strlen(before) + length * (size_t)count + strlen(after) + 1;
  char *text = (char *)malloc(size), *p = text;
  p += strlen(strcpy(p, before));
  for (int i = 0; i < count; i++, p += length) memcpy(p, piece, length);
  strcpy(p, after);
  refused(text, strlen(text), message);
  free(text);
}

START_TEST(sizes_are_limited)
{
  refuse_many("", "<a>", 33, "", "nested more than 32 deep");
  refuse_many("", "<a>", 100000, "", "nested more than 32 deep");
  refuse_many("<a>", "<b/>", 200000, "</a>", "more than 200000 elements");
  refuse_many("<a x='", "y", 4097, "'/>", "too long a value");
  refuse_many("<a>", "y", 4097, "</a>", "too long a text");
  refuse_many("<", "y", 65, "/>", "too long a name");
  refuse_many("<", "y", 81, "\t/>", "too long a name");
  refuse_many("<", "y", 65, "\r\n/>", "too long a name");
  const size_t most = (size_t)64 << 20;
  char *zeros = (char *)calloc(most + 1, 1);
  refused(zeros, most + 1, "t.xml: the file is too large");
  refused(zeros, most, "a zero byte");
  free(zeros);
}
END_TEST

/* The scan of the bytes takes "<!-->" for a comment, and so an end in the comment for one of an element. */
START_TEST(ends_in_comments_do_not_hide_depth)
{
  char text[400] = "";
  for (int i = 0; i < 20; i++) strcat(text, "<a>");
  strcat(text, "<!-->");
  for (int i = 0; i < 20; i++) strcat(text, "</a>");
  strcat(text, "-->");
  for (int i = 0; i < 13; i++) strcat(text, "<a>");
  refused(text, strlen(text), "t.xml:1: elements are nested too deep at \"a\"");
}
END_TEST

START_TEST(every_cut_is_refused)
{
  const char *text = "<?xml version='1.0'?>\n<a x='1'><!-- c --><b>t &amp; u</b><![CDATA[v]]></a>";
  for (size_t i = 0; i < strlen(text); i++) refused(text, i, i == 0 ? "empty" : "t.xml:");
  pm__document_free(read(text));
}
END_TEST

START_TEST(no_error_is_needed)
{
  ck_assert_ptr_null(pm__document_read("<a>", 3, "t.xml", NULL));
  pm_error error = PM_ERROR_NONE;
  error.status = PM_STATUS_BAD_SHAPE;
  ck_assert_ptr_null(pm__document_read("<a>", 3, "t.xml", &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_SHAPE); /* the first error wins */
}
END_TEST

/* The size of a block with its header is no less than what was asked for. */
START_TEST(sizes_that_overflow_are_refused)
{
  pm__arena arena = {NULL};
  for (size_t less = 0; less < 32; less++) ck_assert_ptr_null(pm__arena_alloc(&arena, SIZE_MAX - less));
  ck_assert_ptr_null(arena.block);
  size_t capacity = SIZE_MAX / 8;
  char items[1];
  ck_assert_ptr_null(pm__grow(items, capacity, &capacity, 8));
  ck_assert_uint_eq(capacity, SIZE_MAX / 8);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("document");
  TCase *tests = tcase_create("document");
  tcase_add_test(tests, elements_become_a_tree);
  tcase_add_test(tests, sizes_that_overflow_are_refused);
  tcase_add_test(tests, lines_are_where_a_tag_begins);
  tcase_add_test(tests, lines_beyond_65535);
  tcase_add_test(tests, long_files_are_read_whole);
  tcase_add_test(tests, editors_may_name_the_schema);
  tcase_add_test(tests, prefixes_are_parts_of_names);
  tcase_add_test(tests, space_around_texts_is_left_out);
  tcase_add_test(tests, bytes_must_be_utf8);
  tcase_add_test(tests, doctypes_are_refused);
  tcase_add_test(tests, sizes_are_limited);
  tcase_add_test(tests, ends_in_comments_do_not_hide_depth);
  tcase_add_test(tests, every_cut_is_refused);
  tcase_add_test(tests, no_error_is_needed);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
