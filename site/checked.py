"""Holds that the site is whole: every link leads to a page and a place of it, and nothing is fetched from elsewhere."""
import html.parser
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """Links, places and what a browser fetches."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.places = [], [], {"", "__top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev", "edit") and values.get("href"):
            self.fetched.append(values["href"])
        if tag in ("script", "img", "iframe", "source", "video") and values.get("src"):
            self.fetched.append(values["src"])


def problems_of(path, pages, root):
    for kind, targets in (("link", pages[path].links), ("file", pages[path].fetched)):
        for target in targets:
            if re.match(r"(https?:)?//", target):
                if kind == "file":
                    yield f"{path.name}: fetches {target}"
                continue
            if re.match(r"(data|mailto|javascript):", target):
                continue
            name, _, place = urllib.parse.unquote(target).partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                yield f"{path.name}: no {target}"
            elif place and file in pages and place not in pages[file].places:
                yield f"{path.name}: no place {target}"


def check(root):
    pages = {path: Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    own = [path for path in pages if path.name not in ("404.html", "perfmodel.html")]
    problems = [problem for path in own for problem in problems_of(path, pages, root)]
    for style in root.rglob("*.css"):
        fetched = re.findall(r"url\([\"']?((?:https?:)?//[^)]*)", style.read_text())
        problems += [f"{style.name}: fetches {url}" for url in fetched]
    for problem in sorted(set(problems)):
        print(f"site: {problem}", file=sys.stderr)
    print(f"site: {len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(set(problems))} problems")
    if problems:
        sys.exit(1)
