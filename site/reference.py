"""The reference, of what the product itself says: help of the command, docstrings, headers, comments, field tables."""
import inspect
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "libperfmodel/include"
LUA = ROOT / "bindings/lua"


def code(text, language):
    return f"```{language}\n{text.rstrip()}\n```\n"


def command_page(command):
    """The help of every command, as it is printed."""
    def helped(*words):
        return subprocess.run([command, *words, "--help-all"], check=True, capture_output=True, text=True).stdout
    top = helped()
    names = re.findall(r"^  (\w+) ", top.partition("Commands:")[2].partition("Options of every command:")[0], re.M)
    parts = [f"## {name}\n\n{code(helped(name), 'text')}" for name in names]
    head = "# The command\n\nThe same texts as `perfmodel --help-all` and `perfmodel COMMAND --help-all`.\n\n"
    return head + code(top, "text") + "\n" + "\n".join(parts)


def signature_of(name, thing):
    """One line, or a line for each parameter where that is too long."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    if len(f"{name}{signature}") <= 100:
        return f"{name}{signature}"
    parameters = str(signature.replace(return_annotation=inspect.Signature.empty))[1:-1]
    result = str(signature).rpartition(" -> ")[2] if signature.return_annotation is not inspect.Signature.empty else ""
    lines = re.split(r", (?=[*\w]+(?:[:=,]|$))", parameters)
    return f"{name}(\n" + "".join(f"    {line},\n" for line in lines) + ")" + (f" -> {result}" if result else "")


def documented(name, thing, level):
    """A function or a class with its public methods; docstrings as they are."""
    words = inspect.getdoc(thing) or ""
    shown = "class " if inspect.isclass(thing) else ""
    text = f"{'#' * level} {name}\n\n" + code(f"{shown}{signature_of(name, thing)}\n\n{words}", "text")
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for member, of in sorted(vars(thing).items()):
            of = getattr(of, "fget", None) or getattr(of, "__func__", of)
            if not member.startswith("_") and inspect.isfunction(of) and inspect.getdoc(of):
                text += code(f"{signature_of(name + '.' + member, of)}\n\n{inspect.getdoc(of)}", "text")
    return text


def python_page():
    import perfmodel
    from perfmodel import _public
    parts = [documented(name, getattr(perfmodel, name), 2) for name in sorted(_public.HOMES, key=str.lower)]
    return ("# Python\n\nAll public names of `import perfmodel as pm`, with their docstrings.\n\n"
            + "\n".join(parts))


def header_pages():
    """A page for each public header: what it is for, and its text."""
    pages = {}
    for path in [HEADERS / "perfmodel.h", *sorted((HEADERS / "perfmodel").glob("*.h"))]:
        text = path.read_text()
        top = re.match(r"/\*(.*?)\*/\n", text, re.S)
        words = re.sub(r"^\*\* ?", "", top[1], flags=re.M).strip() if top else ""
        rest = text[top.end() if top else 0:]
        pages[f"c-{path.stem}.md"] = f"# {path.relative_to(HEADERS)}\n\n{code(words, 'text')}\n{code(rest, 'c')}"
    return pages


def lua_page():
    """Comments with three dashes, and the line that they are about."""
    parts = []
    for path in [LUA / "perfmodel.lua", *sorted((LUA / "perfmodel").glob("*.lua"))]:
        found = re.findall(r"^((?:---.*\n)(?:--.*\n)*)(.+)\n", path.read_text(), re.M)
        if found:
            blocks = "".join(code(re.sub(r"^--+ ?", "-- ", words, flags=re.M) + line, "lua") + "\n"
                             for words, line in found)
            parts.append(f"## {path.stem}\n\n{blocks}")
    head = "# Lua\n\nThe public functions of `require \"perfmodel\"`, theme by theme, with their comments.\n\n"
    return head + "\n".join(parts)


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def fields_page():
    """The field tables, which the elements of files, columns and keywords are made from."""
    import perfmodel
    from perfmodel import _core
    parts = []
    for name in _core.record_types():
        rows = [f"| `{f.name}` | {cell(f.unit)} | {cell(f.doc)} | {cell(', '.join(f.choices) or f.kind)} | "
                f"{cell(f.otherwise)} |" for f in perfmodel.fields(name)]
        titles = "| field | unit | meaning | values | default |\n|---|---|---|---|---|\n"
        parts.append(f"## {name}\n\n{titles}" + "\n".join(rows) + "\n")
    return ("# Fields of records\n\nElements of catalogue files ([the format](xml.md)), columns of tables, members of "
            "C structs and keywords of Python and Lua: each is declared once, and these are the tables. 1 is a plain "
            "number.\n\n" + "\n".join(parts))


def write(command, folder):
    headers = header_pages()
    pages = {"command.md": command_page(command), "python.md": python_page(), "lua.md": lua_page(),
             "fields.md": fields_page(), **headers}
    for name, text in pages.items():
        (folder / name).write_text(text)
    return [{"The command": "command.md"}, {"Python": "python.md"}, {"Lua": "lua.md"}, {"Fields, XML": "fields.md"},
            {"C": [{name[2:-3] + ".h": name} for name in headers]}]
