"""What schemathesis is told beside its command line: who asks, and what counts as a failure."""

import base64
import hashlib
import hmac
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
import uuid

import schemathesis

API = os.environ["FUZZ_API"]
SOURCE = os.environ["FUZZ_SOURCE"]
SECRET = os.environ["JWT_SECRET_KEY"].encode()


def _part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _token() -> str:
    now = int(time.time())
    claims = {
        "username": "fuzz",
        "email": "",
        "full_name": "",
        "groups": [],
        "iss": "docloom",
        "iat": now,
        "exp": now + 600,
        "jti": str(uuid.uuid4()),
    }
    text = ".".join(_part(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{text}.{_part(hmac.new(SECRET, text.encode(), hashlib.sha256).digest())}"


@schemathesis.auth(refresh_interval=None)
class OwnToken:
    """A token of its own for every request, since one of the operations is the logout."""

    def get(self, case, ctx):
        return _token()

    def set(self, case, data, ctx):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.check
def no_internal_error(ctx, response, case):
    """Every operation declares 500, and none may answer with it."""
    if response.status_code == 500:
        raise AssertionError(f"500 with trace {response.headers.get('x-transaction-id')}")


def _ask(path, body=None):
    request = urllib.request.Request(
        f"{API}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {_token()}"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def _post(path, body):
    return _ask(f"/api/v1{path}", body)


def _flow():
    connection = {"paths": [SOURCE]}
    ingest = {"type": "ingest_source", "name": "ingest", "config": {"connection_params": connection}}
    return _post("/flows", {"flow_name": f"fuzz {uuid.uuid4()}", "flow": [ingest]})["flow_id"]


TEMPLATE = {
    "title": "Note",
    "type": "object",
    "properties": {"name": {"type": "string"}, "total": {"type": "number"}},
}


def _task():
    """A document that has been converted."""
    text = base64.b64encode(b"# Note\n\nName: Ada\n\nTotal: 5\n").decode()
    body = {
        "sources": [{"kind": "file", "base64_string": text, "filename": "note.md"}],
        "options": {"to_formats": ["json", "md"]},
    }
    task = _ask("/v1/convert/source/async", body)["task_id"]
    for _ in range(10):
        if _ask(f"/v1/status/poll/{task}?wait=10")["task_status"] == "success":
            break
    return task


def _graph():
    """A graph that has been built, or is about to be."""
    graph = _post("/graphs", {"task_id": _real("task_id", False), "template": TEMPLATE})["id"]
    for _ in range(40):
        if _ask(f"/api/v1/graphs/{graph}")["state"] not in ("QUEUED", "RUNNING"):
            break
        time.sleep(0.25)
    return graph


MAKERS = {
    "project_id": lambda: _post("/projects", {"name": f"fuzz {uuid.uuid4()}"})["project_id"],
    "flow_id": _flow,
    "job_run_id": lambda: _post("/job_runs", {"flow_id": _flow()})["job_run_id"],
    "library_id": lambda: _post("/document-libraries", {"name": f"fuzz {uuid.uuid4()}"})["library_id"],
    "set_id": lambda: _post("/document-sets", {"name": f"fuzz-{uuid.uuid4()}"})["id"],
    "task_id": _task,
    "graph_id": _graph,
}
_chance = random.Random(0)
_made = {}
_lock = threading.RLock()


PATHS = {
    "project_id": "/api/v1/projects/{}",
    "flow_id": "/api/v1/flows/{}",
    "job_run_id": "/api/v1/job_runs/{}",
    "library_id": "/api/v1/document-libraries/{}",
    "set_id": "/api/v1/document-sets/{}",
    "task_id": "/v1/status/poll/{}",
    "graph_id": "/api/v1/graphs/{}",
}


def _is_there(name, value):
    try:
        _ask(PATHS[name].format(value))
        return True
    except urllib.error.HTTPError:
        return False


def _real(name, fresh):
    """The id of something that is there; one of its own for an operation that removes it."""
    if fresh or name not in PATHS:
        return MAKERS[name]()
    with _lock:
        # Requests remove things, and hand them on to other owners.
        if name not in _made or not _is_there(name, _made[name]):
            _made[name] = MAKERS[name]()
        return _made[name]


def _schedule():
    return _post(f"/flows/{_real('flow_id', False)}/schedules", {"cron": "0 6 * * *"})["schedule_id"]


MAKERS["schedule_id"] = _schedule


def _sometimes():
    return _chance.random() < 0.7


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Most requests are for resources that exist, so that they reach more than a 404."""
    names = [name for name in case.path_parameters or {} if name in MAKERS]
    if names and _sometimes():
        for name in names:
            removed = case.method == "DELETE" and name == names[-1] and not case.path.endswith("/document-sets")
            case.path_parameters[name] = _real(name, fresh=removed)
        if "name" in case.path_parameters:
            case.path_parameters["name"] = "graph.json"
    if isinstance(case.body, dict) and _sometimes():
        if case.path == "/api/v1/job_runs":
            case.body.pop("entity", None)
            case.body["flow_id"] = _real("flow_id", fresh=False)
        if case.path == "/api/v1/graphs":
            for name in ("document_id", "document_set_id", "document_index"):
                case.body.pop(name, None)
            case.body["task_id"] = _real("task_id", fresh=False)
            if _sometimes():
                case.body["template"] = TEMPLATE
        if case.path.endswith("/document-sets") and "document_set_ids" in case.body:
            case.body["document_set_ids"] = [_real("set_id", fresh=False)]
