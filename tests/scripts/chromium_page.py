#!/usr/bin/env python3
"""Opens a page in Chromium, by the DevTools protocol over a pipe, and prints what is there as one line of JSON.

chromium_page.py PAGE [--width N] [--height N] [--dark] [--script JAVASCRIPT]... [--click JAVASCRIPT] [--screenshot FILE]
                 [--pdf FILE]

--click takes JavaScript that returns [x, y] in the window, where the mouse clicks before the scripts run. The line has
"values" (what each --script returned), "console" (messages and exceptions), and "requests" (all but the page itself)."""

import argparse
import base64
import fcntl
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 120  # a page takes a second; a machine may be busy


class Browser:
    def __init__(self, folder):
        to_browser, from_us = os.pipe()
        from_browser, to_us = os.pipe()

        def place():  # the protocol's pipes are file descriptors 3 and 4
            read_end, write_end = fcntl.fcntl(to_browser, fcntl.F_DUPFD, 10), fcntl.fcntl(to_us, fcntl.F_DUPFD, 10)
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + folder, "about:blank"],
            preexec_fn=place, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(to_us)
        self.write_to, self.read_from = from_us, from_browser
        self.number, self.buffer, self.session, self.events = 0, b"", None, []

    def read(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_from], [], [], max(0, until - time.monotonic()))
            data = os.read(self.read_from, 1 << 16) if ready else b""
            if not data:
                raise SystemExit("chromium gave no answer")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self.read(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        until = time.monotonic() + PATIENCE_S
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.read(until))

    def ask(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(script + ": " + json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def console_of(events):
    lines = []
    for event in events:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            lines.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif event.get("method") == "Runtime.consoleAPICalled":
            lines.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif event.get("method") == "Log.entryAdded":
            lines.append(params["entry"]["text"])
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--script", action="append", default=[])
    parser.add_argument("--click")
    parser.add_argument("--screenshot")
    parser.add_argument("--pdf")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                browser.call(domain + ".enable")
            browser.call("Emulation.setDeviceMetricsOverride", width=o.width, height=o.height, deviceScaleFactor=1,
                         mobile=o.width < 600)
            browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark" if o.dark else "light"}])
            url = pathlib.Path(o.page).resolve().as_uri()
            browser.events.clear()
            browser.call("Page.navigate", url=url)
            browser.wait_for("Page.loadEventFired")
            if o.click:
                x, y = browser.ask(o.click)
                for kind in ("mousePressed", "mouseReleased"):
                    browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            values = [browser.ask(script) for script in o.script]
            if o.screenshot:
                shot = browser.call("Page.captureScreenshot", format="png")
                pathlib.Path(o.screenshot).write_bytes(base64.b64decode(shot["data"]))
            if o.pdf:
                sheet = browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
                pathlib.Path(o.pdf).write_bytes(base64.b64decode(sheet["data"]))
            sent = [e for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
            requests = [e["params"]["request"]["url"] for e in sent]
            requests = [r for r in requests if r != url and not r.startswith("data:")]
            print(json.dumps({"values": values, "console": console_of(browser.events), "requests": requests}))
        finally:
            browser.close()


if __name__ == "__main__":
    sys.exit(main())
