"""Sends requests with the standard library alone."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any, Dict, Iterator, List, Mapping, Optional

_FIRST_PAUSE = 0.25
_MAX_PAUSE = 10.0


class ApiError(Exception):
    """A request that failed.

    `code` is that of the first problem (`CONNECTION_ERROR` when there was no response), `status` the
    HTTP status (0 when there was none), `trace` identifies the request in the logs of the server, and
    `errors` has all problems.
    """

    def __init__(
        self,
        code: str,
        status: int,
        message: str,
        *,
        trace: Optional[str] = None,
        errors: Optional[List[Dict[str, Any]]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.trace = trace
        self.errors = errors or []
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later: the server is unreachable or busy."""
        return self.status == 0 or self.status == 429 or self.status >= 502


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Reports a redirect as an error: the credentials are for this server only."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Http:
    """The transport of the client: credentials, timeouts, retries and errors."""

    def __init__(self, base_url: str, token: Optional[str], timeout: float, retries: int) -> None:
        parsed = urllib.parse.urlsplit(base_url)
        if parsed.scheme not in ("http", "https") or not parsed.netloc:
            raise ValueError(f"base_url is {base_url!r}; expected http(s)://HOST[:PORT]")
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.timeout = timeout
        self.retries = retries
        self._opener = urllib.request.build_opener(_NoRedirects())

    @staticmethod
    def part(value: object) -> str:
        """A value as one segment of a path."""
        return urllib.parse.quote(str(value), safe="")

    def json(self, method: str, path: str, **given: Any) -> Any:
        """The JSON of the reply; None if it has no body."""
        text = self.text(method, path, **given)
        if text == "":
            return None
        try:
            return json.loads(text)
        except ValueError as error:
            message = f"{self.base_url}{path} answered with something other than JSON"
            raise ApiError("INVALID_RESPONSE", 200, message) from error

    def nothing(self, method: str, path: str, **given: Any) -> None:
        """For replies without a body."""
        self.binary(method, path, **given)

    def text(self, method: str, path: str, **given: Any) -> str:
        return self.binary(method, path, **given).decode("utf-8")

    def binary(self, method: str, path: str, **given: Any) -> bytes:
        """The body of the reply. A GET is repeated when the server is unreachable or busy, and any
        search that was refused because too many wait; others are sent once.
        """
        for attempt in range(self.retries + 1):
            try:
                with self._open(method, path, **given) as response:
                    return _read(response, self.base_url)
            except ApiError as error:
                may_repeat = error.may_pass if method == "GET" else error.code.upper() == "SEARCH_BUSY"
                if attempt >= self.retries or not may_repeat:
                    raise
                wait = error.retry_after if error.retry_after is not None else _FIRST_PAUSE * 2**attempt
                time.sleep(min(wait, _MAX_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    def events(self, method: str, path: str, **given: Any) -> Iterator[Any]:
        """The JSON of each server-sent event as it arrives, with the name of the event as `type` if
        it has one. An event named `error` raises its error.
        """
        with self._open(method, path, **given) as response:
            name = "message"
            data: List[str] = []
            for line in _lines(response, self.base_url):
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
                elif line == "" and data:
                    value = json.loads("\n".join(data))
                    if name == "error":
                        raise ApiError(value["code"], 200, value["message"])
                    yield value if name == "message" else {"type": name, **value}
                    name, data = "message", []

    def lines(self, method: str, path: str, **given: Any) -> Iterator[Any]:
        """The JSON of each line, as they arrive."""
        with self._open(method, path, **given) as response:
            for line in _lines(response, self.base_url):
                if line:
                    yield json.loads(line)

    def _open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        body: Any = None,
        content: Optional[bytes] = None,
    ) -> HTTPResponse:
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            content = json.dumps(body).encode("utf-8")
            sent["Content-Type"] = "application/json"
        elif content is not None:
            sent["Content-Type"] = "application/octet-stream"
        request = urllib.request.Request(
            self.base_url + path + _query(query or {}), data=content, headers=sent, method=method
        )
        try:
            response: HTTPResponse = self._opener.open(request, timeout=self.timeout)
            return response
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise ApiError("CONNECTION_ERROR", 0, f"{self.base_url} does not answer: {reason}") from error


def _query(parameters: Mapping[str, Any]) -> str:
    pairs = []
    for name, value in parameters.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is not None:
                pairs.append((name, str(item).lower() if isinstance(item, bool) else str(item)))
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _read(response: HTTPResponse, base_url: str) -> bytes:
    try:
        return response.read()
    except (OSError, HTTPException) as error:
        raise ApiError("CONNECTION_ERROR", 0, f"The connection to {base_url} was lost: {error}") from error


def _lines(response: HTTPResponse, base_url: str) -> Iterator[str]:
    try:
        for line in response:
            yield line.decode("utf-8").rstrip("\r\n")
    except (OSError, HTTPException) as error:
        raise ApiError("CONNECTION_ERROR", 0, f"The connection to {base_url} was lost: {error}") from error


def _detail_text(detail: Any) -> str:
    if isinstance(detail, list):
        return " ".join(str(entry.get("msg", "")) if isinstance(entry, dict) else str(entry) for entry in detail)
    return detail if isinstance(detail, str) else ""


def _refusal(response: urllib.error.HTTPError) -> ApiError:
    errors: List[Dict[str, Any]] = []
    trace = response.headers.get("X-Transaction-ID")
    detail: Any = None
    try:
        body = json.loads(response.read())
        errors = body.get("errors", [])
        trace = body.get("trace", trace)
        # The conversion service reports a text or a list of problems, as its protocol demands.
        detail = body.get("detail")
    except (ValueError, AttributeError, OSError, HTTPException):
        pass
    wait = response.headers.get("Retry-After", "")
    return ApiError(
        errors[0]["code"] if errors else "HTTP_ERROR",
        response.code,
        " ".join(entry["message"] for entry in errors) or _detail_text(detail) or f"HTTP {response.code} {response.reason}",
        trace=trace,
        errors=errors,
        retry_after=float(wait) if wait.isdigit() else None,
    )
