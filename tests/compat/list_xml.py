#!/usr/bin/env python3
"""Prints the elements and attributes of catalogue files, from the schema: what types hold, and the words of choices.

    list_xml.py SCHEMA
"""

import sys
from xml.etree import ElementTree

XS = "{http://www.w3.org/2001/XMLSchema}"


def label(node: ElementTree.Element) -> str:
    """What a node adds to the path of what it holds."""
    name = node.get("name") or node.get("ref") or ""
    if node.tag == XS + "attribute":
        return "@" + name + (" (required)" if node.get("use") == "required" else "")
    if node.tag in (XS + "group", XS + "attributeGroup") and node.get("ref"):
        return "+" + name
    return name


def walk(node: ElementTree.Element, path: str) -> None:
    for child in node:
        name = label(child)
        inside = path + (("/" if path and name[0] not in "@+" else "") + name if name else "")
        if name:
            print(inside + (f" {child.get('type')}" if child.get("type") else ""))
        if child.tag == XS + "enumeration":
            print(f"{path} = {child.get('value')}")
        walk(child, inside)


if __name__ == "__main__":
    walk(ElementTree.parse(sys.argv[1]).getroot(), "")
