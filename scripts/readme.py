"""The README as a package index shows it, where links relative to the repository lead nowhere."""
import re

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)\s]+)\)")


def for_index(text, address=""):
    """The text with absolute links to the repository at `address`, such as https://github.com/OWNER/NAME.

    Without an address, links stay as words and pictures are left out, so that no link is broken. Comments go, too.
    """
    def link(match):
        picture, words, target = match.groups()
        if not address:
            return "" if picture else words
        return f"{picture}[{words}]({address.rstrip('/')}/{'raw' if picture else 'blob'}/HEAD/{target})"
    return LINK.sub(link, re.sub(r"^<!--.*?-->\n", "", text, flags=re.M))
