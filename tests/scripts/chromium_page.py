#!/usr/bin/env python3
"""Opens a page in Chromium, by the DevTools protocol over a pipe, and prints what is there as one line of JSON.

chromium_page.py PAGE [--width N] [--dark] [--script JAVASCRIPT]... [--click JAVASCRIPT] [--pdf FILE]

--click takes JavaScript that returns [x, y] in the window, where the mouse clicks before the scripts run. The line has
"values" (what each --script returned), "console" (messages and exceptions), and "requests" (all but the page itself)."""

import argparse
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

PATIENCE_S = 120  # a page takes a second; a machine may be busy


class Browser:
    def __init__(self, folder):
        commands, self.commands = os.pipe()
        answers, to_us = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec chromium "$@" 3<&%d 4>&%d' % (commands, to_us), "chromium", "--headless",
             "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + folder, "about:blank"],
            pass_fds=(commands, to_us), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(to_us)
        self.answers, self.number, self.session, self.events = open(answers, "rb"), 0, None, []

    def read(self):
        data = b""
        while not data.endswith(b"\0"):
            byte = self.answers.read(1)
            if not byte:
                sys.exit("chromium gave no answer")
            data += byte
        return json.loads(data[:-1])

    def call(self, method, **params):
        self.number += 1
        session = {"sessionId": self.session} if self.session else {}
        message = {"id": self.number, "method": method, "params": params, **session}
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.number:
            self.events.append(answer)
        return answer["result"] if "result" in answer else sys.exit(method + ": " + answer["error"]["message"])

    def of(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def ask(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(script + ": " + json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")


def look(browser, o):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.call("Emulation.setDeviceMetricsOverride", width=o.width, height=900, deviceScaleFactor=1,
                 mobile=o.width < 600)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if o.dark else "light"}])
    browser.events.clear()
    url = pathlib.Path(o.page).resolve().as_uri()
    browser.call("Page.navigate", url=url)
    while not browser.of("Page.loadEventFired"):
        browser.events.append(browser.read())
    if o.click:
        x, y = browser.ask(o.click)
        for kind in ("mousePressed", "mouseReleased"):
            browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    values = [browser.ask(script) for script in o.script]
    if o.pdf:
        sheet = browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        pathlib.Path(o.pdf).write_bytes(base64.b64decode(sheet["data"]))
    requests = [sent["request"]["url"] for sent in browser.of("Network.requestWillBeSent")]
    return {"values": values, "requests": [r for r in requests if r != url and not r.startswith("data:")],
            "console": [thrown["exceptionDetails"] for thrown in browser.of("Runtime.exceptionThrown")] +
            [called["args"] for called in browser.of("Runtime.consoleAPICalled")] +
            [added["entry"]["text"] for added in browser.of("Log.entryAdded")]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--script", action="append", default=[])
    parser.add_argument("--click")
    parser.add_argument("--pdf")
    o = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("chromium gave no answer"))
    signal.alarm(PATIENCE_S)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            print(json.dumps(look(browser, o)))
        finally:
            os.killpg(browser.process.pid, signal.SIGKILL)
            browser.process.wait()


main()
