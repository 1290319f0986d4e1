#!/usr/bin/env python3
"""Makes the documentation site: the pages of docs/, and of what the product itself says, its reference.

    python3 site/build.py COMMAND PAGE FOLDER

COMMAND is the perfmodel command, PAGE the page in the browser (scripts/page.sh makes it); the site is FOLDER/html.
Needs the package perfmodel of the same build, matplotlib and mkdocs-material. Fails on a link that leads nowhere, and
on anything that a browser would fetch from elsewhere. scripts/site.sh brings what is needed.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import checked
import gallery
import reference
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# Pages from elsewhere in the repository, by their name here.
OTHERS = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "SECURITY.md": "security.md",
          "data/SOURCES.md": "sources.md"}
SHIM = re.compile(r'<script src="https://unpkg.com/iframe-worker/shim"></script>')
CONSOLE = re.compile(r'<div class="language-console highlight">(.*?</pre>)', re.S)
PROMPT = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.M)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")

INDEX = """---
hide: [navigation, toc]
---
# How fast will it run, and why?

perfmodel predicts how fast deep-learning networks train, infer and serve on GPU machines: time, memory, what limits
it, power and cost, in closed form and without a GPU. This is the whole command in your browser; nothing is sent
anywhere.
[Open it alone](perfmodel.html){target=_blank} · [five minutes](five-minutes.md) ·
[four worked examples](worked-examples.md) · [thirty questions](cookbook.md) · [how right is it](how-right.md)

<iframe class="live" src="perfmodel.html" title="perfmodel in the browser"></iframe>
"""

# The site's contents; pages that no section names follow under "More".
NAV = [
    ("Start", ["index.md", "five-minutes.md", "worked-examples.md", "languages.md", "page.md", "packages.md"]),
    ("For you", ["for-trainers.md", "for-servers.md", "for-planners.md", "for-researchers.md"]),
    ("Yours", ["your-cluster.md", "your-framework.md", "import.md", "import-machines.md", "import-measurements.md",
               "import-settings.md", "import-power.md", "networks.md", "xml.md", "calibration.md"]),
    ("Cookbook", ["cookbook.md", "results.md", "gallery.md"]),
    ("How right is it", ["how-right.md", "accuracy.md", "reliability.md", "expectations.md"]),
    ("The model", ["model.md", "collectives.md", "parallel.md", "inference.md", "serving.md", "sizing.md", "energy.md",
                   "defaults.md"]),
    ("Reference", []),
    ("Glossary", ["glossary.md"]),
    ("Contributors", ["contributing.md", "architecture.md", "history.md", "changes.md", "sources.md", "security.md"]),
]


def slug(title):
    return re.sub(r"[^\w\- ]", "", re.sub(r"`", "", title).strip().lower()).replace(" ", "-")


def headings(text):
    """Titles outside of code."""
    return [m[2] for m in re.finditer(r"^(#+) (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)]


def split_accuracy(text):
    """What to expect, and a page for each other section: the tables behind it."""
    head, *sections = re.split(r"^(?=## )", text, flags=re.M)
    pages, rows = {}, []
    for section in sections:
        title = section.partition("\n")[0][3:]
        if title == "What to expect":
            head += section
            continue
        name = f"accuracy-{slug(title)}.md"
        pages[name] = re.sub(r"^##", "#", section, flags=re.M)
        rows.append(f"- [{title}]({name})")
    return {"accuracy.md": head + "\n## The tables behind it\n\n" + "\n".join(rows) + "\n", **pages}


def read_pages():
    pages = {path.name: path.read_text() for path in sorted(DOCS.glob("*.md"))}
    pages |= {name: (ROOT / path).read_text() for path, name in OTHERS.items()}
    parts = split_accuracy(pages.pop("accuracy.md"))
    return pages | parts, [name for name in parts if name != "accuracy.md"]


def target_of(link, home, anchors):
    """Where a link of the repository leads on the site; None where the site does not have it."""
    path, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", link):
        return link
    file = (home / path).resolve() if path else None
    name = link if file is None else str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else ""
    if file is not None and file.parent == DOCS / "images":
        return f"images/{file.name}"
    header = re.fullmatch(r"libperfmodel/include/(?:perfmodel/)?(\w+)\.h", name)
    if header:
        return f"c-{header[1]}.md"
    own = file.name if file is not None and file.parent == DOCS else ""
    page = OTHERS.get(name, "index.md" if name == "README.md" else own)
    if anchor and (not page or page == "accuracy.md"):
        page = next((p for p, known in anchors.items()
                     if anchor in known and (not page or p.startswith("accuracy"))), page)
    return (f"{page}#{anchor}" if anchor else page) or None


def relink(text, home, anchors):
    """The page with links of the site; what it does not have stays as words. Code is left alone."""
    def link(match):
        picture, words, target = match.groups()
        found = target_of(target, home, anchors)
        return f"{picture}[{words}]({found})" if found else words
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def write_pages(folder, accuracy, pages):
    anchors = {name: {slug(title) for title in headings(text)} for name, text in pages.items()}
    homes = {name: (ROOT / path).parent for path, name in OTHERS.items()}
    for name, text in pages.items():
        home = homes.get(name, DOCS)
        (folder / name).write_text(relink(text, home, {name: anchors[name]} | anchors))
    (folder / "index.md").write_text(INDEX)


def with_commands_to_copy(page):
    """Of a block with commands and what they print, the button copies the commands."""
    def block(match):
        commands = "\n".join(PROMPT.findall(re.sub(r"<[^>]*>", "", match[1]))).replace('"', "&quot;")
        return f'<div class="language-console highlight" data-copy="{commands}">{match[1]}'
    return CONSOLE.sub(block, page)


def contents(accuracy, made, pages):
    more = sorted(set(pages) - {name for _, names in NAV for name in names} - set(accuracy))
    nav = [{title: list(names)} for title, names in NAV]
    for part in nav:
        if "How right is it" in part:
            part["How right is it"].insert(1, {"The tables behind it": accuracy})
        if "Reference" in part:
            part["Reference"] = made
    return nav + ([{"More": more}] if more else [])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    command, page, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    places = folder / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS / "images", places / "images", ignore=shutil.ignore_patterns("*.py"))
    shutil.copy(page, places / "perfmodel.html")
    for name in ("site.css", "worker.js"):
        shutil.copy(ROOT / "site" / name, places)
    pages, accuracy = read_pages()
    write_pages(places, accuracy, pages)
    gallery.write(command, places)
    made = reference.write(command, places)
    settings = yaml.unsafe_load((ROOT / "site/mkdocs.yml").read_text()) | {"nav": contents(accuracy, made, pages)}
    (folder / "mkdocs.yml").write_text(yaml.dump(settings, sort_keys=False))
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", folder / "mkdocs.yml"])
    if done.returncode != 0:
        sys.exit("site: mkdocs failed")
    for path in (folder / "html").rglob("*.html"):
        # What the theme would fetch, for a search from a disk.
        page = SHIM.sub('<script src="worker.js"></script>', path.read_text())
        path.write_text(with_commands_to_copy(page))
    checked.check(folder / "html")


if __name__ == "__main__":
    main()
