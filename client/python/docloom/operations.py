# Generated from the OpenAPI document by scripts/doc-tables.js; changes here are lost.
# mypy: disable-error-code="no-any-return"
"""A method for every route that programs call."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from . import models
from .http import Http


class Operations:
    """The routes of the API, one method each. `body` is the JSON body; arguments that are None are not sent."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def get_health(self) -> models.Health:
        """Whether the process is alive. Contacts no other server."""
        return self._http.json("GET", "/health")

    def get_ready(self) -> models.Readiness:
        """Whether all required servers can be reached, with reasons."""
        return self._http.json("GET", "/ready")

    def login(self, body: models.LoginRequest) -> models.TokenReply:
        """Exchanges a user name and password of the directory for a token."""
        return self._http.json("POST", "/auth/login", body=body)

    def logout(self) -> None:
        """Revokes the token. Later requests with it are rejected."""
        return self._http.nothing("POST", "/auth/logout")

    def exchange_code(self, body: models.CodeExchange) -> models.TokenReply:
        """Exchanges the code that was passed to redirect_after for a token."""
        return self._http.json("POST", "/auth/oauth2/token", body=body)

    def list_login_providers(self) -> models.ProviderList:
        """Lists the login providers. Empty if OAuth 2.0 is disabled or incompletely configured."""
        return self._http.json("GET", "/auth/oauth2/providers")

    def get_current_user(self) -> models.UserInfo:
        """The user that the token belongs to."""
        return self._http.json("GET", "/auth/me")

    def create_api_key(self, body: models.ApiKeyCreate) -> models.ApiKeyCreated:
        """Creates an API key for a program. Only this reply contains the key."""
        return self._http.json("POST", "/api/v1/api-keys", body=body)

    def list_api_keys(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        owner: Optional[str] = None,
    ) -> models.ApiKeyPage:
        """Your API keys, newest first. Administrators get the keys of all users."""
        return self._http.json(
            "GET",
            "/api/v1/api-keys",
            query={"limit": limit, "offset": offset, "owner": owner},
        )

    def get_api_key(self, key_id: str) -> models.ApiKey:
        """One API key, without the key itself."""
        return self._http.json("GET", f"/api/v1/api-keys/{self._http.part(key_id)}")

    def delete_api_key(self, key_id: str) -> None:
        """Revokes an API key. The next request with it is rejected."""
        return self._http.nothing("DELETE", f"/api/v1/api-keys/{self._http.part(key_id)}")

    def list_sessions(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        username: Optional[str] = None,
    ) -> models.SessionPage:
        """Your sessions, most recently used first. Administrators see the sessions of all users."""
        return self._http.json(
            "GET",
            "/api/v1/sessions",
            query={"limit": limit, "offset": offset, "username": username},
        )

    def delete_session(self, session_id: str) -> None:
        """Ends a session. This process rejects its token immediately, others within five seconds."""
        return self._http.nothing("DELETE", f"/api/v1/sessions/{self._http.part(session_id)}")

    def create_service_account(self, body: models.ServiceAccountCreate) -> models.ServiceAccount:
        """Creates a user without a login, for programs that use API keys."""
        return self._http.json("POST", "/api/v1/service-accounts", body=body)

    def list_service_accounts(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.ServiceAccountPage:
        """The service accounts, sorted by name."""
        return self._http.json(
            "GET",
            "/api/v1/service-accounts",
            query={"limit": limit, "offset": offset},
        )

    def search_names(
        self,
        *,
        text: Optional[str] = None,
        kind: Optional[Literal["user", "group"]] = None,
        limit: Optional[int] = None,
    ) -> models.KnownNames:
        """Users and groups whose names begin with a text, for lists of readers and members."""
        return self._http.json(
            "GET",
            "/api/v1/names",
            query={"text": text, "kind": kind, "limit": limit},
        )

    def get_service_account(self, account_name: str) -> models.ServiceAccount:
        """One service account."""
        return self._http.json("GET", f"/api/v1/service-accounts/{self._http.part(account_name)}")

    def delete_service_account(self, account_name: str) -> None:
        """Removes a service account with its API keys, webhooks and schedules."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/service-accounts/{self._http.part(account_name)}",
        )

    def create_webhook(self, body: models.WebhookCreate) -> models.WebhookCreated:
        """Creates a webhook: an address that receives your events as signed POST requests. Only
        this reply contains the secret.
        """
        return self._http.json("POST", "/api/v1/webhooks", body=body)

    def list_webhooks(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.WebhookPage:
        """Your webhooks, newest first. Administrators get the webhooks of all users."""
        return self._http.json("GET", "/api/v1/webhooks", query={"limit": limit, "offset": offset})

    def get_webhook(self, webhook_id: str) -> models.Webhook:
        """One webhook, without its secret."""
        return self._http.json("GET", f"/api/v1/webhooks/{self._http.part(webhook_id)}")

    def update_webhook(self, webhook_id: str, body: models.WebhookPatch) -> models.Webhook:
        """Changes events, description, or whether the webhook is active."""
        return self._http.json(
            "PATCH",
            f"/api/v1/webhooks/{self._http.part(webhook_id)}",
            body=body,
        )

    def delete_webhook(self, webhook_id: str) -> None:
        """Removes a webhook and its messages."""
        return self._http.nothing("DELETE", f"/api/v1/webhooks/{self._http.part(webhook_id)}")

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.WebhookDeliveryPage:
        """The messages of the last seven days with the outcome of every attempt, newest first."""
        return self._http.json(
            "GET",
            f"/api/v1/webhooks/{self._http.part(webhook_id)}/deliveries",
            query={"limit": limit, "offset": offset},
        )

    def test_webhook(self, webhook_id: str) -> models.WebhookTest:
        """Sends a test message with the event `ping` to the webhook."""
        return self._http.json("POST", f"/api/v1/webhooks/{self._http.part(webhook_id)}/test")

    def create_project(self, body: models.ProjectCreate) -> models.Project:
        """Creates a project. You become its owner."""
        return self._http.json("POST", "/api/v1/projects", body=body)

    def list_projects(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
        tags: Optional[List[str]] = None,
        sort: Optional[str] = None,
    ) -> models.ProjectPage:
        """Projects that you own or are a member of, newest first."""
        return self._http.json(
            "GET",
            "/api/v1/projects",
            query={"limit": limit, "offset": offset, "name": name, "tags": tags, "sort": sort},
        )

    def get_project(self, project_id: str) -> models.Project:
        """A project with the number of its flows."""
        return self._http.json("GET", f"/api/v1/projects/{self._http.part(project_id)}")

    def replace_project(
        self,
        project_id: str,
        body: models.ProjectReplace,
        *,
        if_match: Optional[str] = None,
    ) -> models.Project:
        """Replaces a project. Its id, owner, creation time and flows are kept."""
        return self._http.json(
            "PUT",
            f"/api/v1/projects/{self._http.part(project_id)}",
            headers={"If-Match": if_match},
            body=body,
        )

    def update_project(
        self,
        project_id: str,
        body: models.ProjectPatch,
        *,
        if_match: Optional[str] = None,
    ) -> models.Project:
        """Changes the given members of a project; null clears a member."""
        return self._http.json(
            "PATCH",
            f"/api/v1/projects/{self._http.part(project_id)}",
            headers={"If-Match": if_match},
            body=body,
        )

    def delete_project(
        self,
        project_id: str,
        *,
        force: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> None:
        """Removes a project and its flows. Run records and indexed documents are kept."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/projects/{self._http.part(project_id)}",
            query={"force": force},
            headers={"If-Match": if_match},
        )

    def list_project_flows(
        self,
        project_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
        tags: Optional[List[str]] = None,
        sort: Optional[str] = None,
        is_hidden: Optional[bool] = None,
        is_elyra: Optional[bool] = None,
    ) -> models.ProjectFlowPage:
        """The flows of a project, newest first, each with statistics of its runs."""
        return self._http.json(
            "GET",
            f"/api/v1/projects/{self._http.part(project_id)}/flows",
            query={"limit": limit, "offset": offset, "name": name, "tags": tags, "sort": sort, "is_hidden": is_hidden, "is_elyra": is_elyra},
        )

    def create_flow(
        self,
        body: Union[models.FlowCreate, models.ElyraFlowCreate],
        *,
        is_elyra: Optional[bool] = None,
    ) -> Union[models.Flow, models.ElyraFlow]:
        """Stores a flow."""
        return self._http.json("POST", "/api/v1/flows", query={"is_elyra": is_elyra}, body=body)

    def list_flows(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
        tags: Optional[List[str]] = None,
        sort: Optional[str] = None,
        project_id: Optional[str] = None,
        is_elyra: Optional[bool] = None,
        is_hidden: Optional[bool] = None,
    ) -> models.FlowPage:
        """Flows that you own or may read, newest first."""
        return self._http.json(
            "GET",
            "/api/v1/flows",
            query={"limit": limit, "offset": offset, "name": name, "tags": tags, "sort": sort, "project_id": project_id, "is_elyra": is_elyra, "is_hidden": is_hidden},
        )

    def delete_flows(self, *, flow_ids: str, force: Optional[bool] = None) -> models.FlowsDeleted:
        """Removes several flows independently, and returns each outcome."""
        return self._http.json(
            "DELETE",
            "/api/v1/flows",
            query={"flow_ids": flow_ids, "force": force},
        )

    def get_flow(
        self,
        flow_id: str,
        *,
        is_elyra: Optional[bool] = None,
    ) -> Union[models.Flow, models.ElyraFlow]:
        """One flow."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}",
            query={"is_elyra": is_elyra},
        )

    def replace_flow(
        self,
        flow_id: str,
        body: Union[models.FlowReplace, models.ElyraFlowCreate],
        *,
        is_elyra: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> Union[models.Flow, models.ElyraFlow]:
        """Replaces a flow. Its id, owner and creation time are kept, as is its project if none is
        sent.
        """
        return self._http.json(
            "PUT",
            f"/api/v1/flows/{self._http.part(flow_id)}",
            query={"is_elyra": is_elyra},
            headers={"If-Match": if_match},
            body=body,
        )

    def update_flow(
        self,
        flow_id: str,
        body: Union[models.FlowPatch, models.ElyraFlowPatch],
        *,
        is_elyra: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> Union[models.Flow, models.ElyraFlow]:
        """Changes the given members of a flow; null clears a member."""
        return self._http.json(
            "PATCH",
            f"/api/v1/flows/{self._http.part(flow_id)}",
            query={"is_elyra": is_elyra},
            headers={"If-Match": if_match},
            body=body,
        )

    def delete_flow(
        self,
        flow_id: str,
        *,
        force: Optional[bool] = None,
        with_records: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> Union[models.Removal, None]:
        """Removes a flow. Its run records and documents are kept, unless with_records removes them
        too.
        """
        return self._http.json(
            "DELETE",
            f"/api/v1/flows/{self._http.part(flow_id)}",
            query={"force": force, "with_records": with_records},
            headers={"If-Match": if_match},
        )

    def list_flow_versions(
        self,
        flow_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.FlowVersionPage:
        """The versions of a flow, newest first, each with author, time and what changed."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}/versions",
            query={"limit": limit, "offset": offset},
        )

    def get_flow_version(self, flow_id: str, version: int) -> models.FlowVersion:
        """A version of a flow with its content. Secrets are masked; earlier versions contain none."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}/versions/{self._http.part(version)}",
        )

    def compare_flow_versions(
        self,
        flow_id: str,
        version: int,
        *,
        base_version: Optional[int] = None,
    ) -> models.FlowVersionDifference:
        """The differences between two versions of a flow."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}/versions/{self._http.part(version)}/difference",
            query={"base_version": base_version},
        )

    def restore_flow_version(
        self,
        flow_id: str,
        version: int,
        *,
        if_match: Optional[str] = None,
    ) -> Union[models.Flow, models.ElyraFlow]:
        """Restores the content of an earlier version as the newest version of the flow."""
        return self._http.json(
            "POST",
            f"/api/v1/flows/{self._http.part(flow_id)}/versions/{self._http.part(version)}/restore",
            headers={"If-Match": if_match},
        )

    def create_job_run(
        self,
        body: models.JobRunCreate,
        *,
        idempotency_key: Optional[str] = None,
    ) -> models.JobRunAccepted:
        """Starts a run of a flow."""
        return self._http.json(
            "POST",
            "/api/v1/job_runs",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_job_runs(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        job_id: Optional[str] = None,
        flow_id: Optional[str] = None,
        project_id: Optional[str] = None,
        status: Optional[str] = None,
        flow_name: Optional[str] = None,
        sort: Optional[str] = None,
        owner: Optional[str] = None,
        created_from: Optional[str] = None,
        is_sample: Optional[bool] = None,
        is_waiting: Optional[bool] = None,
        created_to: Optional[str] = None,
    ) -> models.JobRunList:
        """Your job runs and those of your projects, newest first. Administrators get all job runs."""
        return self._http.json(
            "GET",
            "/api/v1/job_runs",
            query={"limit": limit, "offset": offset, "job_id": job_id, "flow_id": flow_id, "project_id": project_id, "status": status, "flow_name": flow_name, "sort": sort, "owner": owner, "created_from": created_from, "is_sample": is_sample, "is_waiting": is_waiting, "created_to": created_to},
        )

    def get_job_run(
        self,
        job_run_id: str,
        *,
        include_logs: Optional[bool] = None,
        include_batches: Optional[bool] = None,
    ) -> models.JobRun:
        """State, progress and counts of a run."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}",
            query={"include_logs": include_logs, "include_batches": include_batches},
        )

    def delete_job_run(self, job_run_id: str, *, force: Optional[bool] = None) -> None:
        """Removes the record of a run, its reports and its tables. Indexed documents are kept."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}",
            query={"force": force},
        )

    def cancel_job_run(self, job_run_id: str) -> models.JobRunAccepted:
        """Cancels a run. It is CANCELED within seconds."""
        return self._http.json("POST", f"/api/v1/job_runs/{self._http.part(job_run_id)}/cancel")

    def get_run_controls(self, job_run_id: str) -> models.JobRunControls:
        """Whether a run in progress is paused, and how many batches it runs at the same time."""
        return self._http.json("GET", f"/api/v1/job_runs/{self._http.part(job_run_id)}/controls")

    def pause_job_run(self, job_run_id: str) -> models.JobRunControls:
        """Pauses a run: running batches finish, no further one starts."""
        return self._http.json("POST", f"/api/v1/job_runs/{self._http.part(job_run_id)}/pause")

    def resume_job_run(self, job_run_id: str) -> models.JobRunControls:
        """Resumes a paused run."""
        return self._http.json("POST", f"/api/v1/job_runs/{self._http.part(job_run_id)}/resume")

    def set_run_concurrency(
        self,
        job_run_id: str,
        body: models.JobRunConcurrency,
    ) -> models.JobRunControls:
        """Changes how many batches of a run are processed at the same time, until it ends."""
        return self._http.json(
            "PUT",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/concurrency",
            body=body,
        )

    def get_job_run_flow_definition(self, job_run_id: str) -> models.FlowSnapshot:
        """The flow of a run as it was when the run was created, and its execution plan."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/flow_definition",
        )

    def list_job_run_documents(
        self,
        job_run_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        outcome: Optional[Literal["failed", "skipped"]] = None,
    ) -> models.RunDocumentPage:
        """The documents of a run that failed or were skipped, each with code and reason."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/documents",
            query={"limit": limit, "offset": offset, "outcome": outcome},
        )

    def list_step_rows(
        self,
        job_run_id: str,
        *,
        operator: str,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        columns: Optional[List[str]] = None,
        include_vectors: Optional[bool] = None,
    ) -> models.StepRowPage:
        """Rows that an operator of a run wrote and whose access list names you."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/rows",
            query={"operator": operator, "limit": limit, "offset": offset, "columns": columns, "include_vectors": include_vectors},
        )

    def export_step_rows(
        self,
        job_run_id: str,
        *,
        operator: str,
        format: Optional[Literal["parquet", "csv", "jsonl"]] = None,
        exact: Optional[bool] = None,
        columns: Optional[List[str]] = None,
        include_vectors: Optional[bool] = None,
    ) -> bytes:
        """All rows that an operator of a run wrote and whose access list names you, as a single
        file.
        """
        return self._http.binary(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/rows/export",
            query={"operator": operator, "format": format, "exact": exact, "columns": columns, "include_vectors": include_vectors},
        )

    def get_job_run_report(self, job_run_id: str, *, exact: Optional[bool] = None) -> str:
        """The outcome of each document of a finished run, as CSV."""
        return self._http.text(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/report",
            query={"exact": exact},
        )

    def watch_job_run(self, job_run_id: str) -> Iterator[Any]:
        """Live progress of a run, as server-sent events."""
        return self._http.events("GET", f"/api/v1/job_runs/{self._http.part(job_run_id)}/events")

    def get_job_run_log(
        self,
        job_run_id: str,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        level: Optional[Literal["info", "warning", "error"]] = None,
        operator: Optional[str] = None,
        document_id: Optional[str] = None,
    ) -> models.RunLogPage:
        """The log of a run by operator, batch and document, oldest entries first."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/log",
            query={"limit": limit, "after": after, "level": level, "operator": operator, "document_id": document_id},
        )

    def compare_job_runs(
        self,
        job_run_id: str,
        *,
        base_run_id: str,
        limit: Optional[int] = None,
    ) -> models.RunComparison:
        """Compares a run with another run of the same job, by documents and operators."""
        return self._http.json(
            "GET",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/comparison",
            query={"base_run_id": base_run_id, "limit": limit},
        )

    def rerun_job(
        self,
        job_run_id: str,
        body: models.JobRunRerun,
        *,
        idempotency_key: Optional[str] = None,
    ) -> models.JobRunAccepted:
        """Repeats a finished run: completely, for its failed documents only, or starting at an
        operator.
        """
        return self._http.json(
            "POST",
            f"/api/v1/job_runs/{self._http.part(job_run_id)}/rerun",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def change_job_runs(self, body: models.JobRunsBulk) -> models.BulkReply:
        """Cancels, pauses, resumes, repeats or deletes up to 100 runs."""
        return self._http.json("POST", "/api/v1/job_runs/bulk", body=body)

    def list_failed_documents(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        code: Optional[str] = None,
        operator: Optional[str] = None,
        flow_id: Optional[str] = None,
        state: Optional[Literal["failed", "left_out", "ignored"]] = None,
    ) -> models.FailedDocumentPage:
        """Documents whose last attempt failed, from all your runs."""
        return self._http.json(
            "GET",
            "/api/v1/failed_documents",
            query={"limit": limit, "offset": offset, "code": code, "operator": operator, "flow_id": flow_id, "state": state},
        )

    def group_failed_documents(
        self,
        *,
        by: Optional[Literal["code", "operator", "flow_id"]] = None,
        code: Optional[str] = None,
        operator: Optional[str] = None,
        flow_id: Optional[str] = None,
        state: Optional[Literal["failed", "left_out", "ignored"]] = None,
    ) -> models.FailedDocumentGroups:
        """How many documents failed by code, operator or flow."""
        return self._http.json(
            "GET",
            "/api/v1/failed_documents/groups",
            query={"by": by, "code": code, "operator": operator, "flow_id": flow_id, "state": state},
        )

    def get_failed_documents_report(
        self,
        *,
        code: Optional[str] = None,
        operator: Optional[str] = None,
        flow_id: Optional[str] = None,
        state: Optional[Literal["failed", "left_out", "ignored"]] = None,
    ) -> str:
        """Failed documents as CSV."""
        return self._http.text(
            "GET",
            "/api/v1/failed_documents/report",
            query={"code": code, "operator": operator, "flow_id": flow_id, "state": state},
        )

    def retry_failed_documents(
        self,
        body: models.FailedDocumentChoice,
    ) -> models.FailedDocumentsRetried:
        """Runs failed documents again, without the others."""
        return self._http.json("POST", "/api/v1/failed_documents/retry", body=body)

    def ignore_failed_documents(
        self,
        body: models.FailedDocumentsIgnore,
    ) -> models.FailedDocumentsChanged:
        """Ignores failed documents, or lists them as failed again."""
        return self._http.json("POST", "/api/v1/failed_documents/ignore", body=body)

    def leave_failed_documents_out(
        self,
        body: models.FailedDocumentsLeave,
    ) -> models.FailedDocumentsChanged:
        """Excludes failed documents from runs until they change, or includes them again."""
        return self._http.json("POST", "/api/v1/failed_documents/leave_out", body=body)

    def get_failed_document(self, failed_id: str) -> models.FailedDocumentDetail:
        """One failed document, and how many of its pages can be shown."""
        return self._http.json("GET", f"/api/v1/failed_documents/{self._http.part(failed_id)}")

    def get_failed_document_original(self, failed_id: str) -> bytes:
        """The file of a failed document, as an attachment."""
        return self._http.binary(
            "GET",
            f"/api/v1/failed_documents/{self._http.part(failed_id)}/original",
        )

    def get_failed_document_markdown(self, failed_id: str) -> str:
        """The Markdown of a document that was converted and failed afterwards."""
        return self._http.text(
            "GET",
            f"/api/v1/failed_documents/{self._http.part(failed_id)}/markdown",
        )

    def get_failed_document_page_image(self, failed_id: str, page: int) -> bytes:
        """A page of a failed document as a PNG image."""
        return self._http.binary(
            "GET",
            f"/api/v1/failed_documents/{self._http.part(failed_id)}/pages/{self._http.part(page)}/image",
        )

    def list_reviews(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        state: Optional[Literal["open", "accepted", "corrected"]] = None,
        code: Optional[Literal["low_confidence", "pages_unread", "content_left_out", "recognition"]] = None,
        flow_id: Optional[str] = None,
    ) -> models.ReviewPage:
        """Documents with a doubtful conversion, from all your runs."""
        return self._http.json(
            "GET",
            "/api/v1/reviews",
            query={"limit": limit, "offset": offset, "state": state, "code": code, "flow_id": flow_id},
        )

    def get_review(self, review_id: str) -> models.Review:
        """One document of the review queue."""
        return self._http.json("GET", f"/api/v1/reviews/{self._http.part(review_id)}")

    def get_review_markdown(self, review_id: str) -> str:
        """The Markdown of the document: the correction if there is one, otherwise the conversion."""
        return self._http.text("GET", f"/api/v1/reviews/{self._http.part(review_id)}/markdown")

    def create_reviews_accept(self, body: models.ReviewsAccept) -> models.ReviewsChanged:
        """Accepts conversions as they are, or returns documents to the queue."""
        return self._http.json("POST", "/api/v1/reviews/accept", body=body)

    def replace_review_correction(
        self,
        review_id: str,
        body: models.ReviewCorrection,
    ) -> models.ReviewCorrected:
        """Replaces the converted text of a document and processes the document with it."""
        return self._http.json(
            "PUT",
            f"/api/v1/reviews/{self._http.part(review_id)}/correction",
            body=body,
        )

    def delete_review_correction(self, review_id: str) -> models.ReviewCorrected:
        """Discards a correction and processes the document with its converted text."""
        return self._http.json("DELETE", f"/api/v1/reviews/{self._http.part(review_id)}/correction")

    def get_flow_access_sync(self, flow_id: str) -> models.AccessSyncReply:
        """The age of the access lists of the flow’s documents, and the changes of the last sync."""
        return self._http.json("GET", f"/api/v1/flows/{self._http.part(flow_id)}/access-sync")

    def create_flow_access_sync(self, flow_id: str) -> models.AccessSyncReply:
        """Reads the access lists of the flow’s documents now, without a run."""
        return self._http.json("POST", f"/api/v1/flows/{self._http.part(flow_id)}/access-sync")

    def create_flow_schedule(self, flow_id: str, body: models.ScheduleCreate) -> models.Schedule:
        """Schedules a flow with a cron expression; it runs as you."""
        return self._http.json(
            "POST",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules",
            body=body,
        )

    def list_flow_schedules(
        self,
        flow_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.ScheduleList:
        """The schedules of a flow, each with its next run times."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules",
            query={"limit": limit, "offset": offset},
        )

    def get_flow_schedule(self, flow_id: str, schedule_id: str) -> models.Schedule:
        """A schedule of a flow with its state and its last and next run times."""
        return self._http.json(
            "GET",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}",
        )

    def update_flow_schedule(
        self,
        flow_id: str,
        schedule_id: str,
        body: models.SchedulePatch,
    ) -> models.Schedule:
        """Changes name, times, time zone or note of a schedule."""
        return self._http.json(
            "PATCH",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}",
            body=body,
        )

    def delete_flow_schedule(self, flow_id: str, schedule_id: str) -> None:
        """Removes a schedule; an active run continues."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}",
        )

    def trigger_schedule(self, flow_id: str, schedule_id: str) -> models.Schedule:
        """Starts a run of the schedule now, as its owner. The times of the schedule do not change."""
        return self._http.json(
            "POST",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}/trigger",
        )

    def pause_flow_schedule(self, flow_id: str, schedule_id: str) -> models.Schedule:
        """Pauses a schedule; an active run continues."""
        return self._http.json(
            "POST",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}/pause",
        )

    def resume_flow_schedule(self, flow_id: str, schedule_id: str) -> models.Schedule:
        """Resumes a paused schedule. Missed runs are skipped."""
        return self._http.json(
            "POST",
            f"/api/v1/flows/{self._http.part(flow_id)}/schedules/{self._http.part(schedule_id)}/resume",
        )

    def change_schedules(self, body: models.SchedulesBulk) -> models.BulkReply:
        """Pauses, resumes, triggers or deletes up to 100 schedules."""
        return self._http.json("POST", "/api/v1/schedules/bulk", body=body)

    def list_operators(self) -> models.OperatorCatalogue:
        """All operators, with their inputs, outputs and configuration."""
        return self._http.json("GET", "/api/v1/operators/metadata")

    def list_audit_entries(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        user: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
    ) -> models.AuditPage:
        """The audit log, newest entry first."""
        return self._http.json(
            "GET",
            "/api/v1/audit",
            query={"limit": limit, "offset": offset, "user": user, "action": action, "outcome": outcome, "since": since, "until": until},
        )

    def get_storage(self) -> models.StorageReport:
        """Storage use of the database, files and indexes, and of each flow and project."""
        return self._http.json("GET", "/api/v1/storage")

    def get_overview(self) -> models.Overview:
        """What needs attention, and what the runs of the last day did."""
        return self._http.json("GET", "/api/v1/overview")

    def list_provider_models(
        self,
        provider: str,
        *,
        api_base: Optional[str] = None,
    ) -> models.ProviderModels:
        """The models of a provider: the local model host, or the hosted vendor."""
        return self._http.json(
            "GET",
            f"/api/v1/providers/{self._http.part(provider)}/models",
            query={"api_base": api_base},
        )

    def list_document_classes(self) -> models.DocumentClasses:
        """The document classes of the server: their fields and target tables."""
        return self._http.json("GET", "/api/v1/document_classes")

    def check_source(self, body: models.SourceCheckRequest) -> models.SourceCheck:
        """Tries each right that a source needs: to reach it, to sign in, to list, to read, to use
        its access lists.
        """
        return self._http.json("POST", "/api/v1/sources/check", body=body)

    def check_destination(self, body: models.DestinationCheckRequest) -> models.DestinationCheck:
        """Tries what an export does at its destination: to reach it, to sign in, to write, read and
        remove a file.
        """
        return self._http.json("POST", "/api/v1/destinations/check", body=body)

    def validate_flow(
        self,
        body: Union[models.FlowDraft, models.ElyraFlowCreate],
        *,
        is_elyra: Optional[bool] = None,
        deep: Optional[bool] = None,
    ) -> models.ValidationReply:
        """Checks whether a flow would run, and lists every reason why not."""
        return self._http.json(
            "POST",
            "/api/v1/validation/validate_flow",
            query={"is_elyra": is_elyra, "deep": deep},
            body=body,
        )

    def create_connection(self, body: models.ConnectionCreate) -> models.Connection:
        """Stores a secret and binds it to a type, to hosts and to the users who may use it."""
        return self._http.json("POST", "/api/v1/connections", body=body)

    def list_connections(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.ConnectionPage:
        """The connections that you may use, sorted by name. Administrators get all connections."""
        return self._http.json(
            "GET",
            "/api/v1/connections",
            query={"limit": limit, "offset": offset},
        )

    def get_connection(self, connection_id: str) -> models.Connection:
        """One connection, without its secret."""
        return self._http.json("GET", f"/api/v1/connections/{self._http.part(connection_id)}")

    def update_connection(
        self,
        connection_id: str,
        body: models.ConnectionPatch,
    ) -> models.Connection:
        """Changes the given members. New hosts without a secret remove the stored secret."""
        return self._http.json(
            "PATCH",
            f"/api/v1/connections/{self._http.part(connection_id)}",
            body=body,
        )

    def delete_connection(self, connection_id: str) -> None:
        """Removes a connection with its secret. Flows that refer to it fail."""
        return self._http.nothing("DELETE", f"/api/v1/connections/{self._http.part(connection_id)}")

    def check_connection(self, connection_id: str) -> models.ConnectionCheck:
        """Tries a connection: its secret, its hosts, and each right of the sources and destinations
        that use it in your flows.
        """
        return self._http.json(
            "POST",
            f"/api/v1/connections/{self._http.part(connection_id)}/check",
        )

    def list_identity_maps(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.IdentityMapPage:
        """The maps between accounts of sources and logins, with the time of their last sync."""
        return self._http.json(
            "GET",
            "/api/v1/identity-maps",
            query={"limit": limit, "offset": offset},
        )

    def get_identity_map(self, map_id: str) -> models.IdentityMap:
        """One map, without its accounts."""
        return self._http.json("GET", f"/api/v1/identity-maps/{self._http.part(map_id)}")

    def replace_identity_map(
        self,
        map_id: str,
        body: models.IdentityMapInput,
    ) -> models.IdentityMap:
        """Creates or replaces a map, and synchronizes it."""
        return self._http.json("PUT", f"/api/v1/identity-maps/{self._http.part(map_id)}", body=body)

    def delete_identity_map(self, map_id: str) -> None:
        """Removes a map. Its accounts and groups no longer give access to documents."""
        return self._http.nothing("DELETE", f"/api/v1/identity-maps/{self._http.part(map_id)}")

    def list_identity_map_identities(
        self,
        map_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        state: Optional[Literal["mapped", "unmapped", "ambiguous"]] = None,
    ) -> models.IdentityPage:
        """The accounts of the last sync with their logins; `state=unmapped` shows those that give
        access to nobody.
        """
        return self._http.json(
            "GET",
            f"/api/v1/identity-maps/{self._http.part(map_id)}/identities",
            query={"limit": limit, "offset": offset, "state": state},
        )

    def create_identity_map_sync(self, map_id: str) -> models.IdentityMap:
        """Reads accounts and groups now instead of when they are due."""
        return self._http.json("POST", f"/api/v1/identity-maps/{self._http.part(map_id)}/sync")

    def create_document_library(self, body: models.DocumentLibraryCreate) -> models.DocumentLibrary:
        """Creates a library of document sets."""
        return self._http.json("POST", "/api/v1/document-libraries", body=body)

    def list_document_libraries(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
        tags: Optional[List[str]] = None,
    ) -> models.DocumentLibraryPage:
        """Libraries that you own or may read, newest first."""
        return self._http.json(
            "GET",
            "/api/v1/document-libraries",
            query={"limit": limit, "offset": offset, "name": name, "tags": tags},
        )

    def get_document_library(self, library_id: str) -> models.DocumentLibrary:
        """One library."""
        return self._http.json("GET", f"/api/v1/document-libraries/{self._http.part(library_id)}")

    def update_document_library(
        self,
        library_id: str,
        body: models.DocumentLibraryPatch,
    ) -> models.DocumentLibrary:
        """Changes the given members; null clears a member."""
        return self._http.json(
            "PATCH",
            f"/api/v1/document-libraries/{self._http.part(library_id)}",
            body=body,
        )

    def delete_document_library(self, library_id: str) -> None:
        """Deletes a library and its files; its document sets are kept."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/document-libraries/{self._http.part(library_id)}",
        )

    def add_library_document_sets(
        self,
        library_id: str,
        body: models.LibraryDocumentSetIds,
        *,
        document_sets_ids: Optional[str] = None,
    ) -> Union[models.DocumentLibrary, None]:
        """Adds document sets to a library: all of them or none."""
        return self._http.json(
            "PUT",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/document-sets",
            query={"document_sets_ids": document_sets_ids},
            body=body,
        )

    def remove_library_document_sets(
        self,
        library_id: str,
        body: models.LibraryDocumentSetIds,
        *,
        document_sets_ids: Optional[str] = None,
    ) -> None:
        """Removes document sets from a library: all of them or none."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/document-sets",
            query={"document_sets_ids": document_sets_ids},
            body=body,
        )

    def list_library_document_sets(
        self,
        library_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.LibraryDocumentSetPage:
        """The document sets of a library that you may see, newest first."""
        return self._http.json(
            "GET",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/document-sets",
            query={"limit": limit, "offset": offset},
        )

    def start_upload(self, library_id: str, body: models.UploadCreate) -> models.Upload:
        """Announces a file of a library, or finds its unfinished upload."""
        return self._http.json(
            "POST",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/uploads",
            body=body,
        )

    def get_upload(self, library_id: str, upload_id: str) -> models.Upload:
        """An unfinished upload with the parts that are missing."""
        return self._http.json(
            "GET",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/uploads/{self._http.part(upload_id)}",
        )

    def cancel_upload(self, library_id: str, upload_id: str) -> None:
        """Ends an unfinished upload and removes its parts."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/uploads/{self._http.part(upload_id)}",
        )

    def upload_part(
        self,
        library_id: str,
        upload_id: str,
        part: int,
        content: bytes,
        *,
        sha256: Optional[str] = None,
    ) -> models.Upload:
        """Sends one part of a file."""
        return self._http.json(
            "PUT",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/uploads/{self._http.part(upload_id)}/parts/{self._http.part(part)}",
            query={"sha256": sha256},
            content=content,
        )

    def complete_upload(self, library_id: str, upload_id: str) -> models.LibraryFile:
        """Verifies an uploaded file and adds it to the library."""
        return self._http.json(
            "POST",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/uploads/{self._http.part(upload_id)}/complete",
        )

    def list_library_files(
        self,
        library_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
    ) -> models.LibraryFilePage:
        """The files of a library, sorted by name."""
        return self._http.json(
            "GET",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/files",
            query={"limit": limit, "offset": offset, "name": name},
        )

    def get_library_file(self, library_id: str, file_id: str) -> models.LibraryFile:
        """One file of a library."""
        return self._http.json(
            "GET",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/files/{self._http.part(file_id)}",
        )

    def delete_library_file(self, library_id: str, file_id: str) -> None:
        """Deletes a file of a library."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/files/{self._http.part(file_id)}",
        )

    def download_library_file(self, library_id: str, file_id: str) -> bytes:
        """The bytes of a file of a library, as an attachment."""
        return self._http.binary(
            "GET",
            f"/api/v1/document-libraries/{self._http.part(library_id)}/files/{self._http.part(file_id)}/content",
        )

    def create_document_set(self, body: models.DocumentSetCreate) -> models.DocumentSet:
        """Creates a document set, or returns yours with that name."""
        return self._http.json("POST", "/api/v1/document-sets", body=body)

    def list_document_sets(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        name: Optional[str] = None,
    ) -> models.DocumentSetPage:
        """Document sets that you own or may read, newest first."""
        return self._http.json(
            "GET",
            "/api/v1/document-sets",
            query={"limit": limit, "offset": offset, "name": name},
        )

    def get_document_set(self, set_id: str) -> models.DocumentSet:
        """One document set with its totals."""
        return self._http.json("GET", f"/api/v1/document-sets/{self._http.part(set_id)}")

    def update_document_set(self, set_id: str, body: models.DocumentSetPatch) -> models.DocumentSet:
        """Changes description, metadata or readers of a document set."""
        return self._http.json(
            "PATCH",
            f"/api/v1/document-sets/{self._http.part(set_id)}",
            body=body,
        )

    def delete_document_set(self, set_id: str, *, delete_data: Optional[bool] = None) -> None:
        """Deletes a document set and its rows, and removes it from every library."""
        return self._http.nothing(
            "DELETE",
            f"/api/v1/document-sets/{self._http.part(set_id)}",
            query={"delete_data": delete_data},
        )

    def preview_document_set(
        self,
        set_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        columns: Optional[List[str]] = None,
        include_vectors: Optional[bool] = None,
    ) -> models.DocumentSetPreview:
        """Rows of a document set whose access list names you, in the order they were stored."""
        return self._http.json(
            "GET",
            f"/api/v1/document-sets/{self._http.part(set_id)}/preview",
            query={"limit": limit, "offset": offset, "columns": columns, "include_vectors": include_vectors},
        )

    def export_document_set(
        self,
        set_id: str,
        *,
        format: Optional[Literal["parquet", "csv", "jsonl"]] = None,
        exact: Optional[bool] = None,
        columns: Optional[List[str]] = None,
        include_vectors: Optional[bool] = None,
    ) -> bytes:
        """All rows of a document set whose access list names you, as a single file."""
        return self._http.binary(
            "GET",
            f"/api/v1/document-sets/{self._http.part(set_id)}/export",
            query={"format": format, "exact": exact, "columns": columns, "include_vectors": include_vectors},
        )

    def change_document_sets(self, body: models.DocumentSetsBulk) -> models.BulkReply:
        """Deletes up to 100 document sets and their rows, or chooses who may read them."""
        return self._http.json("POST", "/api/v1/document-sets/bulk", body=body)

    def get_document_set_graph(
        self,
        set_id: str,
        document_id: str,
        *,
        part: Optional[Literal["graph", "provenance"]] = None,
    ) -> Dict[str, Any]:
        """The knowledge graph that a flow made of a document of the set."""
        return self._http.json(
            "GET",
            f"/api/v1/document-sets/{self._http.part(set_id)}/graphs/{self._http.part(document_id)}",
            query={"part": part},
        )

    def suggest_documents(
        self,
        *,
        q: str,
        limit: Optional[int] = None,
        index: Optional[str] = None,
        store: Optional[Literal["opensearch", "pgvector"]] = None,
    ) -> models.SuggestReply:
        """Completions of a question while it is typed."""
        return self._http.json(
            "GET",
            "/api/v1/documents/suggest",
            query={"q": q, "limit": limit, "index": index, "store": store},
        )

    def get_document(
        self,
        document_id: str,
        *,
        store: Optional[Literal["opensearch", "pgvector"]] = None,
    ) -> models.DocumentResponse:
        """One record or document, if its access list names you."""
        return self._http.json(
            "GET",
            f"/api/v1/documents/{self._http.part(document_id)}",
            query={"store": store},
        )

    def delete_document(
        self,
        document_id: str,
        *,
        everywhere: Optional[bool] = None,
    ) -> models.Removal:
        """Removes a document from everywhere that its job put it, and keeps it away."""
        return self._http.json(
            "DELETE",
            f"/api/v1/documents/{self._http.part(document_id)}",
            query={"everywhere": everywhere},
        )

    def get_document_original(self, document_id: str) -> bytes:
        """The file that a document was read from, as an attachment."""
        return self._http.binary(
            "GET",
            f"/api/v1/documents/{self._http.part(document_id)}/original",
        )

    def get_document_markdown(self, document_id: str) -> str:
        """A whole document as Markdown."""
        return self._http.text("GET", f"/api/v1/documents/{self._http.part(document_id)}/markdown")

    def get_document_json(self, document_id: str) -> Dict[str, Any]:
        """A whole document as a DoclingDocument: structure, tables, pages and boxes."""
        return self._http.json("GET", f"/api/v1/documents/{self._http.part(document_id)}/json")

    def get_document_html(self, document_id: str) -> str:
        """A whole document as one HTML page."""
        return self._http.text("GET", f"/api/v1/documents/{self._http.part(document_id)}/html")

    def list_document_facts(self, document_id: str) -> models.DocumentFacts:
        """The facts that flows found in a document, and the graphs that contain it."""
        return self._http.json("GET", f"/api/v1/documents/{self._http.part(document_id)}/facts")

    def list_document_chunks(
        self,
        document_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        store: Optional[Literal["opensearch", "pgvector"]] = None,
    ) -> models.SearchResponse:
        """The records of a document that you may read, in their order."""
        return self._http.json(
            "GET",
            f"/api/v1/documents/{self._http.part(document_id)}/chunks",
            query={"limit": limit, "offset": offset, "store": store},
        )

    def search_documents(self, body: models.SearchRequest) -> models.SearchResponse:
        """Searches the documents whose access lists name you."""
        return self._http.json("POST", "/api/v1/documents/search", body=body)

    def search_documents_as(self, body: models.SearchAsRequest) -> models.SearchAsReply:
        """Shows what another user would find: ids, counts and the rule that lets the user read each
        document.
        """
        return self._http.json("POST", "/api/v1/documents/search_as", body=body)

    def get_search_options(self) -> models.SearchOptions:
        """What a search may ask for on this server."""
        return self._http.json("GET", "/api/v1/search-options")

    def explain_access(self, body: models.ExplainAccessRequest) -> models.ExplainAccessReply:
        """Explains which rule allows a user to read a document or prevents it."""
        return self._http.json("POST", "/api/v1/access/explain", body=body)

    def list_document_pages(self, document_id: str) -> models.DocumentPages:
        """The pages and headings of a document."""
        return self._http.json("GET", f"/api/v1/documents/{self._http.part(document_id)}/pages")

    def get_document_page(
        self,
        document_id: str,
        page: int,
        *,
        uncovered: Optional[bool] = None,
    ) -> models.DocumentPage:
        """The contents of a page: items with their boxes, tables with their cells, and Markdown."""
        return self._http.json(
            "GET",
            f"/api/v1/documents/{self._http.part(document_id)}/pages/{self._http.part(page)}",
            query={"uncovered": uncovered},
        )

    def get_document_page_image(self, document_id: str, page: int) -> bytes:
        """A page as a PNG image."""
        return self._http.binary(
            "GET",
            f"/api/v1/documents/{self._http.part(document_id)}/pages/{self._http.part(page)}/image",
        )

    def get_document_access(self, document_id: str) -> models.AccessExplanation:
        """Who may read a document, and which rule decided it."""
        return self._http.json("GET", f"/api/v1/documents/{self._http.part(document_id)}/access")

    def get_document_life(self, document_id: str) -> models.DocumentLife:
        """The history of a document: its changes, the runs that processed it, and where it is
        indexed.
        """
        return self._http.json("GET", f"/api/v1/documents/{self._http.part(document_id)}/life")

    def list_removals(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.RemovalPage:
        """The removals that you requested, newest first. Administrators get all removals."""
        return self._http.json("GET", "/api/v1/removals", query={"limit": limit, "offset": offset})

    def get_removal(self, removal_id: str) -> models.Removal:
        """The receipt of a removal: what was removed, and from where."""
        return self._http.json("GET", f"/api/v1/removals/{self._http.part(removal_id)}")

    def restore_document(self, removal_id: str) -> models.Removal:
        """Lets runs ingest removed documents again. Documents that are still in the source return
        with the next run.
        """
        return self._http.json("POST", f"/api/v1/removals/{self._http.part(removal_id)}/restore")

    def list_indexes(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.IndexPage:
        """Indexes of the configured search server that you own or may write to, sorted by name.
        Administrators get all indexes.
        """
        return self._http.json("GET", "/api/v1/indexes", query={"limit": limit, "offset": offset})

    def get_index(self, index_name: str) -> models.Index:
        """One index, with the number of its records that you may read."""
        return self._http.json("GET", f"/api/v1/indexes/{self._http.part(index_name)}")

    def update_index(self, index_name: str, body: models.IndexPatch) -> models.Index:
        """Changes the description of an index."""
        return self._http.json("PATCH", f"/api/v1/indexes/{self._http.part(index_name)}", body=body)

    def delete_index(self, index_name: str) -> None:
        """Drops an index with all its records."""
        return self._http.nothing("DELETE", f"/api/v1/indexes/{self._http.part(index_name)}")

    def ask_documents(self, body: models.AskRequest) -> Iterator[Any]:
        """Answers a question from documents that you may read, each sentence with its sources."""
        return self._http.events("POST", "/api/v1/documents/ask", body=body)

    def create_saved_search(self, body: models.SavedSearchBody) -> models.SavedSearch:
        """Saves a search for yourself and the readers that you name."""
        return self._http.json("POST", "/api/v1/saved-searches", body=body)

    def list_saved_searches(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.SavedSearchPage:
        """Your saved searches and those that others share with you, sorted by name."""
        return self._http.json(
            "GET",
            "/api/v1/saved-searches",
            query={"limit": limit, "offset": offset},
        )

    def get_saved_search(self, search_id: str) -> models.SavedSearch:
        """One saved search."""
        return self._http.json("GET", f"/api/v1/saved-searches/{self._http.part(search_id)}")

    def replace_saved_search(
        self,
        search_id: str,
        body: models.SavedSearchBody,
    ) -> models.SavedSearch:
        """Replaces name, request and readers of a saved search. Only for its owner."""
        return self._http.json(
            "PUT",
            f"/api/v1/saved-searches/{self._http.part(search_id)}",
            body=body,
        )

    def delete_saved_search(self, search_id: str) -> None:
        """Removes a saved search. Only for its owner."""
        return self._http.nothing("DELETE", f"/api/v1/saved-searches/{self._http.part(search_id)}")

    def create_judged_query(self, body: models.Judgement) -> models.JudgedQuery:
        """Marks a document as relevant or not relevant for a query."""
        return self._http.json("POST", "/api/v1/judged-queries", body=body)

    def list_judged_queries(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> models.JudgedQueryPage:
        """Your judged queries, the newest first."""
        return self._http.json(
            "GET",
            "/api/v1/judged-queries",
            query={"limit": limit, "offset": offset},
        )

    def measure_search(self) -> models.SearchMeasurement:
        """Runs your judged queries in each mode, and stores how well the rankings answer them."""
        return self._http.json("POST", "/api/v1/judged-queries/measurements")

    def list_search_measurements(self) -> models.SearchMeasurements:
        """Your measurements of the rankings, oldest first."""
        return self._http.json("GET", "/api/v1/judged-queries/measurements")

    def delete_judged_query(self, query_id: str) -> None:
        """Removes a judged query with its marks."""
        return self._http.nothing("DELETE", f"/api/v1/judged-queries/{self._http.part(query_id)}")

    def create_graph(
        self,
        body: models.GraphCreate,
        *,
        idempotency_key: Optional[str] = None,
    ) -> models.Graph:
        """Builds the knowledge graph of a document that you may read."""
        return self._http.json(
            "POST",
            "/api/v1/graphs",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list_graphs(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        state: Optional[Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELED"]] = None,
    ) -> models.GraphPage:
        """Your graphs, newest first. Administrators get all graphs."""
        return self._http.json(
            "GET",
            "/api/v1/graphs",
            query={"limit": limit, "offset": offset, "state": state},
        )

    def list_graphs_templates(
        self,
        *,
        document_type: Optional[str] = None,
    ) -> models.GraphTemplates:
        """Templates for the document classes that ship with the product."""
        return self._http.json(
            "GET",
            "/api/v1/graphs/templates",
            query={"document_type": document_type},
        )

    def create_graphs_template(
        self,
        body: models.GraphTemplateRequest,
    ) -> models.GraphTemplateDraft:
        """Drafts a template from up to ten documents of one kind that you may read."""
        return self._http.json("POST", "/api/v1/graphs/template", body=body)

    def get_graph(self, graph_id: str) -> models.Graph:
        """State, progress, error and files of a graph, for its owner and administrators."""
        return self._http.json("GET", f"/api/v1/graphs/{self._http.part(graph_id)}")

    def delete_graph(self, graph_id: str) -> Union[models.Graph, None]:
        """Cancels a graph that is being built; removes a finished one with its files."""
        return self._http.json("DELETE", f"/api/v1/graphs/{self._http.part(graph_id)}")

    def update_graph(self, graph_id: str, body: models.GraphChange) -> models.Graph:
        """Changes settings of a graph of a corpus, for its owner."""
        return self._http.json("PATCH", f"/api/v1/graphs/{self._http.part(graph_id)}", body=body)

    def get_graph_result(
        self,
        graph_id: str,
        *,
        format: Optional[Literal["json", "csv", "cypher", "report", "html", "graphml", "gexf", "turtle", "jsonld", "parquet", "zip"]] = None,
    ) -> bytes:
        """A graph in one of its formats, or all of its files, for its owner."""
        return self._http.binary(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/result",
            query={"format": format},
        )

    def get_graph_file(self, graph_id: str, name: str) -> bytes:
        """A single file of a graph, for its owner."""
        return self._http.binary(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/files/{self._http.part(name)}",
        )

    def create_graph_update(self, graph_id: str, body: models.GraphUpdate) -> models.Graph:
        """Brings a graph of a corpus up to date with its document set."""
        return self._http.json(
            "POST",
            f"/api/v1/graphs/{self._http.part(graph_id)}/update",
            body=body,
        )

    def list_graph_nodes(
        self,
        graph_id: str,
        *,
        label: Optional[str] = None,
        property: Optional[str] = None,
        value: Optional[str] = None,
        query: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> models.GraphNodes:
        """Nodes of a graph by class, property and text, in order of id."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/nodes",
            query={"label": label, "property": property, "value": value, "query": query, "after": after, "limit": limit},
        )

    def list_graph_neighbours(
        self,
        graph_id: str,
        *,
        node: str,
        label: Optional[str] = None,
        direction: Optional[Literal["in", "out", "both"]] = None,
        limit: Optional[int] = None,
    ) -> models.GraphNeighbours:
        """A node with its relations and the nodes at their other ends."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/neighbours",
            query={"node": node, "label": label, "direction": direction, "limit": limit},
        )

    def list_graph_paths(
        self,
        graph_id: str,
        *,
        from_: str,
        to: str,
        max_length: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> models.GraphPaths:
        """The shortest paths between two nodes, over relations in either direction."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/paths",
            query={"from": from_, "to": to, "max_length": max_length, "limit": limit},
        )

    def list_graph_passages(
        self,
        graph_id: str,
        *,
        query: str,
        limit: Optional[int] = None,
    ) -> models.GraphPassages:
        """The passages of documents behind the facts of a graph that are nearest to a question."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/passages",
            query={"query": query, "limit": limit},
        )

    def list_graph_statistics(self, graph_id: str) -> models.GraphStatistics:
        """Counts of nodes and relations, by class and label."""
        return self._http.json("GET", f"/api/v1/graphs/{self._http.part(graph_id)}/statistics")

    def list_graph_documents(
        self,
        graph_id: str,
        *,
        state: Optional[Literal["done", "empty", "failed"]] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> models.GraphDocuments:
        """The source documents of a graph of a corpus, with the reasons for failures."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/documents",
            query={"state": state, "after": after, "limit": limit},
        )

    def list_graph_pairs(
        self,
        graph_id: str,
        *,
        state: Optional[Literal["open", "same", "different"]] = None,
        label: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> models.GraphPairs:
        """Pairs of graph nodes that may mean the same thing, with the decisions about them."""
        return self._http.json(
            "GET",
            f"/api/v1/graphs/{self._http.part(graph_id)}/pairs",
            query={"state": state, "label": label, "after": after, "limit": limit},
        )

    def create_graph_pair(self, graph_id: str, body: models.GraphDecisions) -> models.GraphDecided:
        """Decides which nodes of a graph of a corpus mean the same thing, for its owner."""
        return self._http.json(
            "POST",
            f"/api/v1/graphs/{self._http.part(graph_id)}/pairs",
            body=body,
        )
