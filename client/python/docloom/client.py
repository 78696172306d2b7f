"""The client, with the methods that need more than one request."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Union

from . import models
from .http import ApiError, Http
from .operations import Operations

_FINAL = frozenset(
    ["CANCELED", "FAILED", "CRASHED", "COMPLETED", "COMPLETED_WITH_ERRORS", "COMPLETED_WITH_WARNINGS"]
)
_PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)


class Client(Operations):
    """A client of the Docloom server at `base_url`; `token` is that of a login, or an API key.

    `timeout` is that of one attempt in seconds; reads are retried up to `retries` times when the
    server is unavailable or busy. Every method raises `ApiError`. A client may be used by several threads.
    """

    def __init__(
        self, base_url: str, token: Optional[str] = None, *, timeout: float = 60.0, retries: int = 2
    ) -> None:
        super().__init__(Http(base_url, token, timeout, retries))

    @classmethod
    def from_login(cls, base_url: str, username: str, password: str, **options: Any) -> "Client":
        """Logs in and returns a client with the token."""
        reply = cls(base_url, **options).login({"username": username, "password": password})
        return cls(base_url, reply["access_token"], **options)

    def wait_for_run(
        self,
        job_run_id: str,
        *,
        timeout: Optional[float] = None,
        on_change: Optional[Callable[[models.RunEvent], None]] = None,
    ) -> models.JobRun:
        """Waits until the run has ended, in any state, and returns it.

        Reconnects when the connection is lost, and raises its `ApiError` when five attempts in a row
        failed. Raises `TimeoutError` after `timeout` seconds; the run continues.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        failures = 0
        while True:
            try:
                run = self.get_job_run(job_run_id)
                if run["status"] in _FINAL:
                    return run
                for event in self.watch_job_run(job_run_id):
                    failures = 0
                    if on_change is not None:
                        on_change(event)
                    _check_deadline(deadline, job_run_id)
            except ApiError as error:
                if not error.may_pass or failures >= len(_PAUSES):
                    raise
                time.sleep(_PAUSES[failures])
                failures += 1
            _check_deadline(deadline, job_run_id)

    def follow_log(self, job_run_id: str, **filters: Any) -> Iterator[Dict[str, Any]]:
        """Yields the log of a run as it grows, until the run has ended. Filters are those of the route."""
        path = f"/api/v1/job_runs/{Http.part(job_run_id)}/log"
        return self._http.lines("GET", path, query={**filters, "follow": True})

    def upload_file(
        self, library_id: str, file: Union[str, "os.PathLike[str]"], *, name: Optional[str] = None
    ) -> models.LibraryFile:
        """Uploads a file to a document library in parts; a second call sends only the missing ones."""
        digest = hashlib.sha256()
        with open(file, "rb") as content:
            for block in iter(lambda: content.read(1 << 20), b""):
                digest.update(block)
            announced: Dict[str, Any] = {
                "name": name or os.path.basename(os.fspath(file)),
                "size": content.tell(),
                "sha256": digest.hexdigest(),
            }
            upload: Any = self.start_upload(library_id, announced)  # type: ignore[arg-type]
            if upload.get("file"):
                stored: models.LibraryFile = upload["file"]
                return stored
            for number in upload["missing_parts"]:
                content.seek((number - 1) * upload["part_size"])
                self._send_part(library_id, upload["upload_id"], number, content.read(upload["part_size"]))
            return self.complete_upload(library_id, upload["upload_id"])

    def convert(
        self,
        file: Union[str, "os.PathLike[str]"],
        *,
        to_formats: Sequence[str] = ("md",),
        api_key: Optional[str] = None,
        timeout: float = 600.0,
        **options: Any,
    ) -> Dict[str, Any]:
        """Converts a file with the conversion service and returns its result.

        `document` of the result has `md_content`, `json_content` and so on for the requested formats,
        `status` is `success` or `partial_success`, and `errors` lists what is missing in the latter case. Options are those of
        `/v1/convert/source`, such as `page_range=[1, 3]`; `api_key` is needed only if the service has
        keys. Raises `ApiError` if the document cannot be converted. The file is sent within one request:
        for large files use a client of the protocol, which uploads them.
        """
        with open(file, "rb") as content:
            encoded = base64.b64encode(content.read()).decode("ascii")
        source = {"kind": "file", "filename": os.path.basename(os.fspath(file)), "base64_string": encoded}
        http = Http(self._http.base_url, self._http.token, timeout, 0)
        result: Dict[str, Any] = http.json(
            "POST",
            "/v1/convert/source",
            headers={"X-Api-Key": api_key},
            body={"sources": [source], "options": {**options, "to_formats": list(to_formats)}},
        )
        if result["status"] in ("failure", "skipped"):
            reasons = [error.get("error_message", "") for error in result.get("errors", [])]
            raise ApiError("CONVERSION_FAILED", 200, " ".join(reasons) or f"The conversion ended with {result['status']}")
        return result

    def __repr__(self) -> str:
        """The address, never the token: notebooks print what a cell returns."""
        return f"Client({self._http.base_url!r})"

    def _send_part(self, library_id: str, upload_id: str, number: int, content: bytes) -> None:
        """Sending a part twice is harmless, so it is retried like a read."""
        for pause in (*_PAUSES, None):
            try:
                self.upload_part(library_id, upload_id, number, content)
                return
            except ApiError as error:
                if pause is None or not error.may_pass:
                    raise
                time.sleep(pause)


def _check_deadline(deadline: Optional[float], job_run_id: str) -> None:
    if deadline is not None and time.monotonic() > deadline:
        raise TimeoutError(f"Run {job_run_id} has not ended in time")
