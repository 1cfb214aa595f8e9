"""A stub of the service or of a backend. Each test chooses the answers."""

import contextlib
import http.server
import json
import pathlib
import sys
import threading
import time

from k6 import LOADTEST

POLICIES = json.loads(pathlib.Path(LOADTEST, "policies.json").read_text())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # k6 closes its connections at the end of a run.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Fake:
    def __init__(self, answer):
        # Takes the seconds since the first request, the path and the body. Returns a status and a
        # text.
        self.answer = answer
        self.began = None
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.reply()

            def do_POST(self):
                self.reply()

            def reply(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                status, text = fake.answered(self.path, body)
                content = text.encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                # No connection stays open, so `end` closes the stub at once.
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def answered(self, path, body):
        if path == "/policies":
            return 200, json.dumps(POLICIES)
        now = time.monotonic()
        self.began = self.began or now
        return self.answer(now - self.began, path, body)

    def end(self):
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def fake(answer):
    stub = Fake(answer)
    try:
        yield stub
    finally:
        stub.end()
