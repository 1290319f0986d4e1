"""The page in a browser: the command's numbers, questions restored from links, use without a mouse.

`PERFMODEL_PAGE=PAGE python3 page/test_page.py` prints the processor time of the first answer and of changes.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

sync_api = pytest.importorskip("playwright.sync_api")
PAGE = os.environ.get("PERFMODEL_PAGE")
COMMAND = os.environ.get("PERFMODEL_COMMAND", "perfmodel")
pytestmark = pytest.mark.skipif(PAGE is None, reason="PERFMODEL_PAGE names no page")

# The C library of the browser's program rounds exp, log and pow differently.
TOLERANCE = 1e-12
DRAWN = "#answer[aria-busy=false]"

LINES = ["predict resnet50 dgx1-v100 --gpus 8", "predict llama2-7b dgx-h100 --zero 3 --nodes 4",
         "infer resnet50 t4 --batch 1,8,64",
         "serve llama3-8b dgx-h100 --gpus 1 --concurrency 1,16,64", "serve llama3-70b dgx-h100 --gpus 8 --rate 2",
         "memory llama2-7b dgx-h100 --zero 3", "collective dgx1-v100 all_reduce --bytes 1MB,1GB",
         "sweep resnet50,vgg16 dgx1-v100,dgx2 --gpus 1,8 --axis gpu.memory_bandwidth=x1,x1.5",
         "search llama2-7b dgx-h100 --global-batch 64 --precision bf16", "sensitivity resnet50 dgx1-v100",
         "layers bert-base",
         "list systems", "show gpu h100-sxm5"]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield found
        found.close()


def open_page(browser, link="", width=1280, height=900):
    page = browser.new_page(viewport={"width": width, "height": height})
    page.failures = []
    page.on("pageerror", lambda error: page.failures.append(str(error)))
    page.goto(pathlib.Path(PAGE).as_uri() + link)
    page.wait_for_selector("body[data-ready]", timeout=120000)
    return page


@pytest.fixture(scope="module")
def page(browser):
    return open_page(browser)


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) or isinstance(b, float):
        return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
    return a == b


@pytest.mark.parametrize("line", LINES)
def test_numbers_are_those_of_the_command(page, line):
    words = [*line.split(), "--format", "json", "-q"]
    own = page.evaluate("words => App.run(words)", words)
    theirs = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    assert own["code"] == theirs.returncode, own["error"]
    assert own["error"] == theirs.stderr
    assert same(json.loads(own["out"]), json.loads(theirs.stdout))


EXAMPLES = (pathlib.Path(__file__).parent.parent / "docs/worked-examples.md").read_text()
EXAMPLE_LINES = [line for line in re.findall(r"^\$ perfmodel (.*)$", EXAMPLES, re.M) if "--catalog" not in line]


@pytest.mark.parametrize("line", EXAMPLE_LINES)
def test_worked_examples_are_answered_in_the_page(page, line):
    """Those that need no file, typed where the page has the whole command."""
    theirs = subprocess.run([COMMAND, *shlex.split(line)], capture_output=True, text=True)
    page.fill("[name=line]", line)
    page.press("[name=line]", "Enter")
    assert page.evaluate("document.querySelector('#output').textContent") == theirs.stdout + theirs.stderr


def test_worked_examples_are_asked_with_the_form(browser):
    """The first and the last example, from fields alone."""
    page = open_page(browser, "#task=predict&network=llama2-13b&system=dgx-h100&nodes=4&zero=3&precision=bf16")
    page.fill("[name=tokens]", "300B")
    page.fill("[name=gpu-hour-price]", "2.5 USD")
    page.wait_for_selector("#answer dt:has-text('GPU-hours')")
    facts = page.inner_text(".facts")
    assert "USD" in facts and "training" in facts
    page.click("[data-do=plans]")
    page.wait_for_selector("#more table")
    page.fill("[name=global-batch]", "1024")
    page.click("[data-do=help]")
    page.wait_for_selector("#more figure")
    page.check("[name=task][value=serve]")
    page.fill("[name=network]", "llama-3.3-70b")
    page.fill("[name=system]", "hgx-h100")
    page.fill("[name=serve-tp]", "4")
    page.fill("[name=rate]", "4")
    page.wait_for_selector(".headline:has-text('tokens/s')")
    assert "TTFT" in page.inner_text(".facts") and not page.failures


def test_refusal_says_what_the_command_says(page):
    own = page.evaluate("words => App.run(words)", ["predict", "resnet5", "dgx1-v100"])
    theirs = subprocess.run([COMMAND, "predict", "resnet5", "dgx1-v100"], capture_output=True, text=True)
    assert (own["code"], own["error"]) == (theirs.returncode, theirs.stderr)


def test_link_restores_the_question(browser):
    page = open_page(browser, "#task=serve&network=llama3-70b&system=dgx-h100&gpus=8&concurrency=32&x-bandwidth=1.5")
    assert page.input_value("[name=network]") == "llama3-70b"
    assert page.is_checked("[name=task][value=serve]")
    code = page.inner_text("code")
    assert "llama3-70b dgx-h100 --gpus 8 --concurrency 32" in code and "gpu.memory_bandwidth=x1.5" in code
    assert "tokens/s" in page.inner_text(".headline")
    assert not page.failures


def test_refusal_is_shown(browser):
    page = open_page(browser, "#task=predict&network=llama3-70b&system=dgx1-v100")
    assert "llama3-70b" in page.inner_text(".refusal")
    assert not page.failures


def test_keyboard_changes_the_answer(browser):
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100&precision=fp16")
    before = page.inner_text(".headline")
    page.focus("[name=batch]")
    page.keyboard.type("128")
    page.wait_for_function("text => document.querySelector('.headline').innerText !== text", arg=before)
    page.focus("[data-do=help]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#more figure")
    assert not page.failures


def test_every_control_is_reached_by_keyboard_and_shows_it(browser):
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100&precision=fp16")
    controls = "#question input, #question select, #answer button, #shell input, #shell button"
    name = "(e.name || e.id || e.dataset.do || e.textContent)"
    wanted = page.eval_on_selector_all(
        controls, f"all => all.filter(e => e.offsetParent && (e.type !== 'radio' || e.checked)).map(e => {name})")
    reached = []
    for _ in range(2 * len(wanted)):
        page.keyboard.press("Tab")
        focused = page.evaluate(f"(e => [{name}, getComputedStyle(e).outlineStyle])(document.activeElement)")
        if focused[0] in wanted:
            assert focused[1] != "none", focused
        reached.append(focused[0])
    assert len(wanted) > 20 and [name for name in wanted if name not in reached] == []


def test_a_screen_reader_is_told_the_answer_alone(browser):
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100&precision=fp16")
    said = page.inner_text("[role=status]")
    assert "samples/s" in said and len(said) < 120
    assert page.eval_on_selector_all("input:not([type=file]), select", """all => all.filter(
        e => !e.labels.length || !e.labels[0].textContent.trim()).length""") == 0


@pytest.mark.parametrize("link", ["", "#task=serve&network=llama3-8b&system=dgx-h100&concurrency=8"])
def test_nothing_is_cut_at_the_width_of_a_phone(browser, link):
    page = open_page(browser, link, width=390)
    page.wait_for_selector(DRAWN)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.failures


ROOFLINE = "[data-picture=roofline]"


def test_pictures_are_drawn_when_they_come_into_view(browser):
    """Also those of the last question alone, and all for the printer."""
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100&precision=fp16", width=390)
    page.wait_for_selector(DRAWN)
    assert page.locator(f"{ROOFLINE} svg").count() == 0
    page.locator(ROOFLINE).scroll_into_view_if_needed()
    page.wait_for_selector(f"{ROOFLINE}:not([aria-busy]) svg")
    peak = page.text_content(f"{ROOFLINE} text >> nth=0")
    page.fill("[name=system]", "t4")
    page.wait_for_selector(".headline")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".picture[aria-busy]").count() == 0
    assert page.text_content(f"{ROOFLINE} text >> nth=0") != peak and not page.failures


def test_a_changed_file_is_read_again(browser):
    page = open_page(browser)
    shown = "App.ask(['show', 'system', 'mine', '--catalog', 'mine.xml']).rows.find(r => r.field === 'name').value"
    for name in ("first", "second"):
        words = [COMMAND, "export", "system", "dgx1-v100", "--id", "mine"]
        entry = subprocess.run(words, capture_output=True, check=True).stdout.decode()
        entry = re.sub(' name="[^"]*"', f' name="{name}"', entry, count=1)
        page.set_input_files("#file", {"name": "mine.xml", "mimeType": "text/xml", "buffer": entry.encode()})
        page.wait_for_function(f"(() => {{ try {{ return {shown} === '{name}'; }} catch {{ return false; }} }})()")
    assert not page.failures


def test_dropped_machine_is_asked_about(browser):
    page = open_page(browser)
    entry = subprocess.run([COMMAND, "export", "system", "dgx1-v100", "--id", "mine"], capture_output=True, check=True)
    page.set_input_files("#file", {"name": "mine.xml", "mimeType": "text/xml", "buffer": entry.stdout})
    page.wait_for_function("document.querySelector('#dropped').textContent.includes('mine.xml')")
    assert page.evaluate("App.run(['show', 'system', 'mine', '--catalog', 'mine.xml']).code") == 0
    assert page.locator("#systems option[value=mine]").count() == 1
    assert not page.failures


def test_plans_have_a_picture_of_their_front(browser):
    page = open_page(browser, "#task=predict&network=llama2-7b&system=dgx-h100&precision=bf16")
    page.click("[data-do=plans]")
    page.wait_for_selector("#more figure svg polyline")
    words = ["search", "llama2-7b", "dgx-h100", "--global-batch", "256", "--precision", "bf16", "--front"]
    words = [COMMAND, *words, "--format", "json", "-q"]
    found = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    line = page.get_attribute("#more figure polyline", "points")
    assert len(line.split()) == len(found) > 5
    assert not page.failures


@pytest.mark.parametrize("name, data, said", [
    ("m.onnx", b"\x08\x07", "perfmodel import m.onnx -o network.xml"),
    ("m.json", b'{"class_name": "Sequential", "config": {}}', "perfmodel import m.json -o network.xml"),
    ("m.safetensors", b"\x00", "config.json"),
])
def test_what_the_page_does_not_read_is_said(browser, name, data, said):
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100")
    before = page.inner_text(".headline")
    page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
    page.wait_for_function("text => document.querySelector('#dropped').textContent.includes(text)", arg=said)
    assert page.inner_text(".headline") == before and not page.failures


@pytest.mark.parametrize("field, kinds", [("networks", ["networks"]), ("systems", ["systems", "gpus"]),
                                          ("frameworks", ["frameworks", "engines"])])
def test_all_entries_can_be_chosen(page, field, kinds):
    words = ["--columns", "id", "--format", "csv", "-q"]
    listed = []
    for kind in kinds:
        asked = subprocess.run([COMMAND, "list", kind, *words], capture_output=True, text=True, check=True)
        listed += asked.stdout.split()[1:]
    offered = page.eval_on_selector_all(f"#{field} option", "all => all.map(o => o.value)")
    assert set(listed) <= set(offered) and len(listed) > 10


def test_compared_answers_say_how_they_differ(browser):
    page = open_page(browser, "#task=predict&network=resnet50&system=dgx1-v100&precision=fp16")
    page.click("[data-do=keep]")
    page.fill("[name=batch]", "128")
    page.wait_for_selector("#answer th:has-text('batch 128')")
    assert "batch default" in page.inner_text("#answer table") and not page.failures


def test_size():
    assert pathlib.Path(PAGE).stat().st_size < 3e6


def processor_time(session):
    """Seconds of the processor that the page's process has taken, compilation of its program included."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(one["cpuTime"] for one in found if one["type"] == "renderer")


CHANGES = {"batch": ["8", "16", "32", "64", ""], "nodes": ["2", "4", "8", "16", "1"], "zero": ["0", "1", "2", "3", ""],
           "system": ["dgx-a100", "hgx-h200", "hgx-h100", "dgx-b200", "dgx-h100"],
           "network": ["llama2-7b", "bert-large", "vit-l-16", "resnet50", "llama3-8b"],
           "micro-batch": ["1", "2", "4", "8", ""], "x-bandwidth": ["1.1", "1.2", "1.3", "1.4", "1"]}


def time_of_changes(browser, width, height):
    """Prints the processor time of the page's own thread, for which the user waits, by control, once all were used."""
    page = open_page(browser, width=width, height=height)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    for turn in ("first", "later"):
        for field, values in CHANGES.items():
            taken = [time_of_change(page, session, field, value) for value in values]
            if turn == "later":
                print(f"  {field}: {1e3 * sorted(taken)[len(taken) // 2]:.0f} ms (median of {len(taken)})")
        page.evaluate("App.forget()")
    page.close()


def time_of_change(page, session, field, value):
    page.wait_for_selector(DRAWN)
    page.wait_for_timeout(200)
    before = thread_time(session)
    page.evaluate("""([field, value]) => { const e = document.querySelector(`[name=${field}]`); e.value = value;
                     e.dispatchEvent(new Event("input", {bubbles: true})); }""", [field, value])
    page.wait_for_timeout(50)
    page.wait_for_selector(DRAWN)
    return thread_time(session) - before


def thread_time(session):
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")


def print_speed():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        session = browser.new_browser_cdp_session()
        page = open_page(browser)
        print(f"first answer {processor_time(session):.3f} s, {page.evaluate('performance.now()'):.0f} ms by the clock")
        page.close()
        for size, what in (((390, 900), "no picture in view"), ((1280, 1600), "all pictures in view")):
            print(f"a change, {what}:")
            time_of_changes(browser, *size)
        browser.close()


if __name__ == "__main__":
    if PAGE is None:
        sys.exit("test_page: PERFMODEL_PAGE names no page")
    print_speed()
