#!/usr/bin/env python3
"""Prints the elements and attributes of catalogue files, from the schema: what types hold, and the words of choices.

    list_xml.py SCHEMA

Fields of entries are those of records, which list_records.c prints; what all layers have is printed once, as of flow/*.
"""

import sys
from xml.etree import ElementTree

import records

XS = "{http://www.w3.org/2001/XMLSchema}"


def label(node: ElementTree.Element) -> str:
    """What a node adds to the path of what it holds."""
    name = node.get("name") or node.get("ref") or ""
    if node.tag == XS + "attribute":
        return "@" + name + (" (required)" if node.get("use") == "required" else "")
    if node.tag in (XS + "group", XS + "attributeGroup") and node.get("ref"):
        return "+" + name
    return name


def walk(node: ElementTree.Element, path: str) -> list[str]:
    lines = []
    for child in node:
        name = label(child)
        inside = path + (("/" if path and name[0] not in "@+" else "") + name if name else "")
        if name:
            lines.append(inside + (f" {child.get('type')}" if child.get("type") else ""))
        if child.tag == XS + "enumeration":
            lines.append(f"{path} = {child.get('value')}")
        lines += entry(child, path) if child.tag == XS + "all" else walk(child, inside)
    return lines


def entry(fields: ElementTree.Element, path: str) -> list[str]:
    line, said = records.described([field.get("name") for field in fields],
                                   {r: list(f) for r, f in records.fields().items()})
    rest = ElementTree.Element("rest")
    rest.extend(field for field in fields if field.get("name") not in said)
    return ([f"{path}: {line}"] if line else []) + walk(rest, path)


def once(lines: list[str]) -> list[str]:
    """What every layer has, only of flow/*."""
    layers = {line.removesuffix("+layer") for line in lines if line.endswith("+layer")}
    of = {layer: {line.removeprefix(layer) for line in lines if line.startswith((layer + "/", layer + "+",
        layer + "@"))} for layer in layers}
    common = set.intersection(*of.values())
    return [f"flow/*{line}" for line in sorted(common)] + [
        line for line in lines if not any(line == layer + each for layer in layers for each in common)]


if __name__ == "__main__":
    print(*once(walk(ElementTree.parse(sys.argv[1]).getroot(), "")), sep="\n")
