"""What the client does besides sending: retries, errors, streams, uploads, waiting. Needs no package."""

import hashlib
import json
import os
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from docloom import ApiError, Client  # noqa: E402


class Server(ThreadingHTTPServer):
    """Gives the answers of a list in turn, and keeps the requests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.requests = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        size = int(self.headers.get("Content-Length") or 0)
        self.server.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(size)))
        status, headers, body = self.server.answers.pop(0)
        if status == 0:
            self.connection.close()
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

    def log_message(self, *args):
        pass


def reply(body, status=200, **headers):
    return (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def refusal(status, code, **headers):
    return reply({"errors": [{"code": code, "message": "no"}], "trace": "t-1"}, status, **headers)


CUT_OFF = (0, {}, b"")


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.client = Client(self.server.url + "/", "secret-token")

    def paths(self):
        return [f"{method} {path}" for method, path, _, _ in self.server.requests]

    def test_arguments_that_are_none_are_not_sent_and_parts_of_paths_are_escaped(self):
        self.server.answers = [reply({"flows": []}), reply({"flow_id": "x"})]
        self.client.list_flows(limit=5, tags=["a", "b"], is_hidden=True)
        self.client.get_flow("../x?y")
        self.assertEqual(
            self.paths(),
            [
                "GET /api/v1/flows?limit=5&tags=a&tags=b&is_hidden=true",
                "GET /api/v1/flows/..%2Fx%3Fy",
            ],
        )
        self.assertEqual(self.server.requests[0][2]["Authorization"], "Bearer secret-token")

    def test_a_refusal_is_an_error_with_code_trace_and_status(self):
        self.server.answers = [refusal(404, "FLOW_NOT_FOUND")]
        with self.assertRaises(ApiError) as caught:
            self.client.get_flow("x")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.trace, str(error)), ("FLOW_NOT_FOUND", 404, "t-1", "FLOW_NOT_FOUND: no"))

    def test_a_reply_that_is_no_json_is_an_error(self):
        self.server.answers = [reply(b"<html>")]
        with self.assertRaises(ApiError) as caught:
            self.client.get_flow("x")
        self.assertEqual(caught.exception.code, "INVALID_RESPONSE")

    def test_reads_are_repeated_and_changes_are_not(self):
        busy = refusal(429, "RATE_LIMITED", Retry_After="0")
        self.server.answers = [busy, CUT_OFF, reply({"flow_id": "x"})]
        self.assertEqual(self.client.get_flow("x"), {"flow_id": "x"})
        self.server.answers = [busy]
        with self.assertRaises(ApiError):
            self.client.delete_flow("x")
        self.assertEqual(len(self.server.requests), 4)

    def test_a_search_that_was_refused_because_too_many_wait_is_repeated(self):
        self.server.answers = [refusal(503, "SEARCH_BUSY", **{"Retry-After": "0"}), reply({"documents": []})]
        self.assertEqual(self.client.search_documents({"query": "okapi"}), {"documents": []})
        self.server.answers = [refusal(503, "SEARCH_CONNECTION_FAILED", **{"Retry-After": "0"})]
        with self.assertRaises(ApiError):
            self.client.search_documents({"query": "okapi"})
        self.assertEqual(len(self.server.requests), 3)

    def test_the_token_does_not_follow_a_redirect(self):
        self.server.answers = [reply(b"", 307, Location=self.server.url + "/elsewhere")]
        with self.assertRaises(ApiError) as caught:
            self.client.get_flow("x")
        self.assertEqual((caught.exception.status, len(self.server.requests)), (307, 1))

    def test_a_server_that_is_away(self):
        client = Client("http://127.0.0.1:1", retries=0)
        with self.assertRaises(ApiError) as caught:
            client.list_flows()
        self.assertEqual((caught.exception.code, caught.exception.status), ("CONNECTION_ERROR", 0))

    def test_an_address_that_is_none(self):
        for address in ("", "127.0.0.1:8080", "ftp://host", "file:///etc/passwd"):
            with self.assertRaises(ValueError):
                Client(address)

    def test_a_file_is_converted_and_a_failed_conversion_is_an_error(self):
        done = {"document": {"md_content": "# Title"}, "status": "success", "errors": []}
        failed = {"document": {}, "status": "failure", "errors": [{"error_message": "It is encrypted."}]}
        refused = reply({"detail": [{"msg": "Unknown format."}]}, 422)
        self.server.answers = [reply(done), reply(failed), refused]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "a b.txt")
            with open(file, "wb") as written:
                written.write(b"text")
            result = self.client.convert(file, to_formats=["md", "json"], api_key="key", page_range=[1, 3])
            self.assertEqual(result, done)
            method, path, headers, body = self.server.requests[0]
            self.assertEqual((method, path, headers["X-Api-Key"]), ("POST", "/v1/convert/source", "key"))
            self.assertEqual(
                json.loads(body),
                {
                    "sources": [{"kind": "file", "filename": "a b.txt", "base64_string": "dGV4dA=="}],
                    "options": {"page_range": [1, 3], "to_formats": ["md", "json"]},
                },
            )
            with self.assertRaises(ApiError) as caught:
                self.client.convert(file)
            self.assertEqual(str(caught.exception), "CONVERSION_FAILED: It is encrypted.")
            with self.assertRaises(ApiError) as caught:
                self.client.convert(file, to_formats=["mdd"])
            self.assertEqual((caught.exception.status, caught.exception.message), (422, "Unknown format."))

    def test_a_client_shows_its_address_and_not_its_token(self):
        self.assertEqual(repr(self.client), f"Client('{self.server.url}')")

    def test_the_sentences_of_an_answer(self):
        stream = b'event: sentence\ndata: {"text": "One."}\n\n: comment\n\nevent: end\ndata: {"answered": true}\n\n'
        self.server.answers = [reply(stream), reply(b'event: error\ndata: {"code": "C", "message": "m"}\n\n')]
        events = list(self.client.ask_documents({"question": "?"}))
        self.assertEqual(events, [{"type": "sentence", "text": "One."}, {"type": "end", "answered": True}])
        with self.assertRaises(ApiError):
            list(self.client.ask_documents({"question": "?"}))

    def test_waiting_for_a_run_survives_a_lost_connection(self):
        running = reply({"status": "RUNNING"})
        self.server.answers = [
            running,
            CUT_OFF,
            running,
            reply(b'data: {"status": "RUNNING"}\n\ndata: {"status": "COMPLETED"}\n\n'),
            reply({"status": "COMPLETED"}),
        ]
        seen = []
        run = self.client.wait_for_run("r", on_change=lambda event: seen.append(event["status"]))
        self.assertEqual((run["status"], seen), ("COMPLETED", ["RUNNING", "COMPLETED"]))

    def test_waiting_ends_at_its_time(self):
        self.server.answers = [reply({"status": "RUNNING"}), reply(b'data: {"status": "RUNNING"}\n\n')]
        with self.assertRaises(TimeoutError):
            self.client.wait_for_run("r", timeout=0)

    def test_an_upload_sends_the_missing_parts(self):
        upload = {"upload_id": "u", "part_size": 4, "missing_parts": [1, 3]}
        self.server.answers = [reply(upload, 201), CUT_OFF, reply({}), reply({}), reply({"file_id": "f"})]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "a.txt")
            with open(file, "wb") as content:
                content.write(b"0123456789")
            self.assertEqual(self.client.upload_file("lib", file), {"file_id": "f"})
        announced = json.loads(self.server.requests[0][3])
        self.assertEqual(announced, {"name": "a.txt", "size": 10, "sha256": hashlib.sha256(b"0123456789").hexdigest()})
        self.assertEqual([body for _, _, _, body in self.server.requests[1:4]], [b"0123", b"0123", b"89"])
        self.assertEqual(self.paths()[-1], "POST /api/v1/document-libraries/lib/uploads/u/complete")


if __name__ == "__main__":
    unittest.main()
