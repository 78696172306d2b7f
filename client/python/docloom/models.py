# Generated from the OpenAPI document by scripts/doc-tables.js; changes here are lost.
"""The bodies of requests and replies. Members of `NotRequired` may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

class Welcome(TypedDict):
    message: str
    version: str
    addresses: Dict[str, str]


class ErrorReply(TypedDict):
    errors: List[ErrorEntry]
    trace: str
    """The transaction id, as in the X-Transaction-ID header and the logs."""
    status_code: int
    detail: NotRequired[str]
    """The message again, with status 413 only."""


class ErrorEntryTarget(TypedDict):
    type: Literal["parameter", "field", "header"]
    name: str


class ErrorEntry(TypedDict):
    code: str
    """A code from the catalogue. Programs decide by code."""
    message: str
    """For people: what was given, what was expected, and where."""
    target: NotRequired[ErrorEntryTarget]
    more_info: NotRequired[str]


class Health(TypedDict):
    status: Literal["ok"]


class ReadinessChecks(TypedDict):
    ok: bool
    reason: NotRequired[str]
    ms: float


class Readiness(TypedDict):
    status: Literal["ready", "not ready"]
    checks: Dict[str, ReadinessChecks]


class LoginRequest(TypedDict):
    username: str
    password: str


class TokenReply(TypedDict):
    access_token: str
    token_type: Literal["bearer"]


class CodeExchange(TypedDict):
    code: str


class ProviderListProviders(TypedDict):
    name: str
    display_name: str
    authorize_url: str


class ProviderList(TypedDict):
    providers: List[ProviderListProviders]


class DiscoveryDocument(TypedDict):
    issuer: NotRequired[str]


class UserInfo(TypedDict):
    username: str
    email: str
    full_name: str
    is_administrator: NotRequired[bool]
    """In the reply of /auth/me to administrators."""


class ApiKeyCreate(TypedDict):
    name: str
    """A label for the key, such as the program that uses it."""
    scopes: List[Literal["read", "run", "write", "admin"]]
    """`read`: read and search. `run`: start, cancel and repeat runs, retry documents, convert
    files. `write`: create, change and delete. `admin`: with the other scopes, as an
    administrator; without it a key of an administrator has the rights of an ordinary user.
    """
    expires_in_days: NotRequired[int]
    service_account: NotRequired[str]
    """For administrators: makes a key of this service account."""


class ApiKeyCreated(TypedDict):
    key_id: str
    name: str
    owner: str
    scopes: List[Literal["read", "run", "write", "admin"]]
    """`read`: read and search. `run`: start, cancel and repeat runs, retry documents, convert
    files. `write`: create, change and delete. `admin`: with the other scopes, as an
    administrator; without it a key of an administrator has the rights of an ordinary user.
    """
    created_at: str
    created_by: str
    expires_at: str
    last_used_at: Union[str, None]
    """To the minute."""
    key: str
    """Shown only here. Send it as `Authorization: Bearer KEY`; the server stores a hash of it."""


class ApiKeyPage(TypedDict):
    items: List[ApiKey]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class ApiKey(TypedDict):
    key_id: str
    name: str
    owner: str
    scopes: List[Literal["read", "run", "write", "admin"]]
    """`read`: read and search. `run`: start, cancel and repeat runs, retry documents, convert
    files. `write`: create, change and delete. `admin`: with the other scopes, as an
    administrator; without it a key of an administrator has the rights of an ordinary user.
    """
    created_at: str
    created_by: str
    expires_at: str
    last_used_at: Union[str, None]
    """To the minute."""


class SessionPage(TypedDict):
    items: List[Session]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class Session(TypedDict):
    session_id: str
    username: str
    issued_at: str
    expires_at: str
    last_used_at: str
    """To the minute."""
    client_address: str
    """Where the latest recorded request came from."""
    user_agent: str
    """The header User-Agent of that request, cut to 200 characters."""
    is_current: bool
    """True for the session of this request."""


class ServiceAccountCreate(TypedDict):
    account_name: str
    """The user name of the account; access lists and lists of readers and members may contain it."""
    description: NotRequired[str]
    groups: NotRequired[List[str]]
    """Groups of the account, as logins have them from the directory."""


class ServiceAccount(TypedDict):
    account_name: str
    description: str
    groups: List[str]
    """Groups of the account, as logins have them from the directory."""
    created_at: str
    created_by: str


class KnownNames(TypedDict):
    names: List[KnownName]
    """Users first, each kind sorted by name."""
    is_cut: bool
    """True if there are more: ask for a longer text."""
    directory: Literal["searched", "not_configured", "unavailable", "for_administrators"]
    """Whether the directory was asked. `not_configured`: LDAP_BIND_DN or its password is not set."""


KnownName = TypedDict(
    "KnownName",
    {
        "kind": "Literal[\"user\", \"group\"]",
        "name": "str",
        "full_name": "NotRequired[str]",
        "email": "NotRequired[str]",
        "from": "Literal[\"directory\", \"logins\", \"projects\"]",
    },
)


class ServiceAccountPage(TypedDict):
    items: List[ServiceAccount]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class WebhookCreate(TypedDict):
    url: str
    """An http or https address without user name and password, which receives POST requests. Cannot
    be changed, because the secret is bound to it.
    """
    events: List[Literal["run.ended", "document.failed", "rights.changed"]]
    """`run.ended`: a run of yours reached its final state. `document.failed`: documents of a batch
    failed, with names and codes. `rights.changed`: somebody changed owner, readers, members or
    users of something that is yours.
    """
    description: NotRequired[str]


class WebhookCreated(TypedDict):
    webhook_id: str
    url: str
    """For administrators only the origin of the address."""
    events: List[Literal["run.ended", "document.failed", "rights.changed"]]
    """`run.ended`: a run of yours reached its final state. `document.failed`: documents of a batch
    failed, with names and codes. `rights.changed`: somebody changed owner, readers, members or
    users of something that is yours.
    """
    description: str
    active: bool
    owner: str
    created_at: str
    secret: str
    """Shown only here. Messages carry `x-docloom-signature: sha256=` with the HMAC-SHA-256 of
    `TIMESTAMP.BODY` in hexadecimal; the timestamp is in `x-docloom-timestamp`.
    """


class WebhookPage(TypedDict):
    items: List[Webhook]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class Webhook(TypedDict):
    webhook_id: str
    url: str
    """For administrators only the origin of the address."""
    events: List[Literal["run.ended", "document.failed", "rights.changed"]]
    """`run.ended`: a run of yours reached its final state. `document.failed`: documents of a batch
    failed, with names and codes. `rights.changed`: somebody changed owner, readers, members or
    users of something that is yours.
    """
    description: str
    active: bool
    owner: str
    created_at: str


class WebhookPatch(TypedDict):
    events: NotRequired[List[Literal["run.ended", "document.failed", "rights.changed"]]]
    """`run.ended`: a run of yours reached its final state. `document.failed`: documents of a batch
    failed, with names and codes. `rights.changed`: somebody changed owner, readers, members or
    users of something that is yours.
    """
    description: NotRequired[str]
    active: NotRequired[bool]
    """An inactive webhook receives nothing."""


class WebhookDeliveryPage(TypedDict):
    items: List[WebhookDelivery]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class WebhookDeliveryAttempts(TypedDict):
    at: str
    status_code: NotRequired[int]
    """HTTP status of the answer."""
    error: NotRequired[str]
    """When there was no answer."""


class WebhookDelivery(TypedDict):
    delivery_id: str
    """Also in the header `x-docloom-delivery` of every attempt."""
    event: str
    status: Literal["pending", "delivered", "failed"]
    created_at: str
    attempts: List[WebhookDeliveryAttempts]


class WebhookTest(TypedDict):
    delivery_id: str


class Greeting(TypedDict):
    message: str
    user: UserInfo


class ProjectCreateRoles1(TypedDict):
    user: str
    role: Literal["viewer", "runner", "editor", "manager"]


class ProjectCreate(TypedDict):
    name: str
    """Unique among all projects."""
    description: NotRequired[Union[str, None]]
    tags: NotRequired[Union[List[str], None]]
    members: NotRequired[Union[List[str], None]]
    roles: NotRequired[Union[List[ProjectCreateRoles1], None]]


class ProjectRoles(TypedDict):
    user: str
    role: Literal["viewer", "runner", "editor", "manager"]


class Project(TypedDict):
    project_id: str
    """UUID in lower case."""
    name: str
    description: Union[str, None]
    tags: List[str]
    owner: str
    members: List[str]
    roles: List[ProjectRoles]
    flow_count: int
    created_on: str
    modified_on: str
    created_by: str
    modified_by: str
    href: str


class ProjectPage(TypedDict):
    projects: List[Project]
    total_count: int
    offset: int
    limit: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class ProjectReplaceRoles1(TypedDict):
    user: str
    role: Literal["viewer", "runner", "editor", "manager"]


class ProjectReplace(TypedDict):
    name: str
    """Unique among all projects."""
    description: NotRequired[Union[str, None]]
    tags: NotRequired[Union[List[str], None]]
    members: NotRequired[Union[List[str], None]]
    roles: NotRequired[Union[List[ProjectReplaceRoles1], None]]
    owner: NotRequired[str]
    """The owner, who can transfer ownership."""


class ProjectPatchRoles1(TypedDict):
    user: str
    role: Literal["viewer", "runner", "editor", "manager"]


class ProjectPatch(TypedDict):
    name: NotRequired[str]
    """Unique among all projects."""
    description: NotRequired[Union[str, None]]
    tags: NotRequired[Union[List[str], None]]
    members: NotRequired[Union[List[str], None]]
    roles: NotRequired[Union[List[ProjectPatchRoles1], None]]
    owner: NotRequired[str]
    """The owner, who can transfer ownership."""


class ProjectFlowPage(TypedDict):
    flows: List[ProjectFlow]
    total_count: int
    offset: int
    limit: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class ProjectFlow(TypedDict):
    flow_id: str
    """UUID in lower case."""
    name: str
    tags: List[str]
    created_on: str
    modified_on: str
    created_by: str
    modified_by: str
    job_run_summary: Union[JobRunSummary, None]


class JobRunSummary(TypedDict):
    total_runs: int
    last_run_id: str
    last_run_status: str
    last_run_start_time: Union[int, None]
    """Seconds since 1970."""
    status_counts: Dict[str, int]


class FlowCreate(TypedDict):
    flow_name: str
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    global_config: NotRequired[GlobalConfig]
    edges: NotRequired[List[FlowEdge]]
    tags: NotRequired[List[str]]
    project_id: NotRequired[Union[str, None]]
    flow: List[FlowOperatorInput]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""
    container_id: NotRequired[Union[str, None]]


class GlobalConfig(TypedDict):
    force_ingest: NotRequired[bool]
    """Ingest again what was ingested before."""
    retain_deleted_docs: NotRequired[bool]
    """Keep index entries of documents that were deleted from the source."""
    confirm_empty_source: NotRequired[bool]
    """Remove all documents although the source is empty. A parameter of a single run; refused in
    flows and schedules.
    """
    fail_fast: NotRequired[bool]
    """End the run at the first failed document."""
    micro_batch_size: NotRequired[int]
    """Documents per batch, default 32, or 64 small files in long listings."""
    max_concurrent_batches: NotRequired[int]
    """Batches at a time, default 4."""
    time_limit_minutes: NotRequired[int]
    """Ends a run that takes longer. Finished documents stay finished."""
    disable_validation: NotRequired[bool]
    """Ignored; a flow is always validated."""


class FlowEdge(TypedDict):
    source: str
    target: str


FlowOperatorInput: TypeAlias = "Union[IngestSourceOperator, DocumentClassifierOperator, ExtractOperator, SqlFilterOperator, DocIdHashOperator, LangDetectOperator, DocQualityOperator, RedactionOperator, ProfanityOperator, PiiOperator, ReadabilityOperator, FdedupOperator, EdedupOperator, BranchingOperator, MergeOperator, NoopOperator, SummaryOperator, TranslationOperator, TableRowsOperator, EntityCurationOperator, GraphOperator, ChunkerOperator, EmbeddingsOperator, VectordbOperator, StorageOperator, DocumentSetOperator]"


class IngestSourceOperator(TypedDict):
    """Lists documents and passes on those that are new or have changed since the last run of the
    job.
    """

    type: Literal["ingest_source"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[IngestSourceConfig]


class IngestSourceConfigConnectionParams(TypedDict):
    """Which documents to ingest."""

    paths: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    root_path: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    rights: NotRequired[Literal["posix", "windows", "source"]]
    """filesystem: `posix`, smb: `windows`, imap, sharepoint, google_drive, confluence: `source`:
    fail unless an identity map covers the documents. Where one does, the rights of the source
    decide who may read a document (owner, group, mode and access control list of a file; Windows
    permissions; access control lists of mail folders; permissions and restrictions), with or
    without this setting.
    """
    recursive: NotRequired[bool]
    """Include sub-folders; default true."""
    ignore_hidden_files: NotRequired[bool]
    """Skip names that begin with a dot; default true. Hidden files also need DOCLOOM_HIDDEN_FILES
    on the worker and a run for administrators.
    """
    max_file_size_mb: NotRequired[float]
    """Larger files become failed documents."""
    include_filter: NotRequired[Union[str, List[str]]]
    """Extensions (`pdf,txt`) or globs; only these files are read."""
    exclude_filter: NotRequired[Union[str, List[str]]]
    """Extensions or globs; these files and folders are left out."""
    exclude_patterns: NotRequired[Union[str, List[str]]]
    """Further globs to leave out."""
    allowed_users: NotRequired[List[str]]
    """Users who may read the documents, unless an `.acl.json` beside the files defines it. Only for
    runs that may ingest for everybody.
    """
    bucket: NotRequired[str]
    """s3, gcs: the bucket."""
    prefix: NotRequired[str]
    """s3, azure, gcs: only objects whose keys have this prefix."""
    endpoint_url: NotRequired[str]
    """s3, gcs, sharepoint, google_drive: the address of the server; default: the address of Amazon
    in the region, of Google, or of Microsoft Graph.
    """
    region: NotRequired[str]
    """s3: the region, default us-east-1."""
    skip_empty_files: NotRequired[bool]
    """s3: skip empty objects; default true."""
    skip_hidden_files: NotRequired[bool]
    """Alias of ignore_hidden_files."""
    access_key: NotRequired[str]
    """s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`."""
    secret_key: NotRequired[str]
    """s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`."""
    access_key_id: NotRequired[str]
    """Alias of access_key."""
    aws_access_key_id: NotRequired[str]
    """Alias of access_key."""
    secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    aws_secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    urls: NotRequired[Union[str, List[str]]]
    """http: addresses of pages and files."""
    url: NotRequired[Union[str, List[str]]]
    """http: alias of urls."""
    sitemaps: NotRequired[Union[str, List[str]]]
    """http: addresses of sitemaps: XML, also compressed or listing further sitemaps, or a text with
    one address per line.
    """
    headers: NotRequired[Dict[str, str]]
    """http: headers of requests to the servers in urls and sitemaps, not to others that a sitemap
    lists or a redirect leads to; use references for tokens.
    """
    respect_robots: NotRequired[bool]
    """http: skip pages from sitemaps that the robots.txt of their site disallows; default true.
    Addresses in urls are always read.
    """
    timeout: NotRequired[float]
    """http: timeout in seconds per page; default 30."""
    library_id: NotRequired[str]
    """library: the document library whose files are read. Its owner and its readers may read them."""
    folder_url: NotRequired[str]
    """webdav: the address of the folder, such as
    `https://cloud.example.org/remote.php/dav/files/USER/Documents`.
    """
    repository_url: NotRequired[str]
    """git: the address of the repository, such as `https://git.example.org/team/docs.git`."""
    branch: NotRequired[str]
    """git: the branch; by default the main branch of the repository."""
    folder: NotRequired[str]
    """git, sftp, imap, smb, sharepoint: only documents in this folder."""
    host: NotRequired[str]
    """sftp, imap, smb: the server."""
    port: NotRequired[int]
    """sftp, imap, smb: the port; default 22, 993 or 143, 445."""
    host_key: NotRequired[str]
    """sftp: the fingerprint of the server’s key, as `ssh-keygen -l` prints it. Required."""
    container_url: NotRequired[str]
    """azure: the address of the container, such as
    `https://ACCOUNT.blob.core.windows.net/CONTAINER`.
    """
    account_name: NotRequired[str]
    """azure: the storage account, where the address does not begin with its name."""
    security: NotRequired[Literal["tls", "starttls", "none"]]
    """imap: `tls` (default, port 993), `starttls` (port 143), or `none`, which sends the password
    in plain text.
    """
    share: NotRequired[str]
    """smb: the name of the share."""
    encryption: NotRequired[Literal["required", "if_possible"]]
    """smb: `required` (default) refuses servers that cannot encrypt (before SMB 3); `if_possible`
    reads from them, too, with signed messages.
    """
    traversal: NotRequired[Literal["check", "bypass"]]
    """smb, where an identity map covers the folder: `check` (default): readers of a file also need
    access to every folder above it, as with Samba. `bypass`: they do not, as with Windows.
    """
    tenant_id: NotRequired[str]
    """sharepoint: the tenant of Microsoft Entra ID, its id or its domain."""
    client_id: NotRequired[str]
    """sharepoint: the id of the application that signs in."""
    site: NotRequired[str]
    """sharepoint: the site, such as `contoso.sharepoint.com:/sites/legal`, or its host alone for
    the root site.
    """
    document_library: NotRequired[str]
    """sharepoint: the library of the site, by name; default: the first one of the site."""
    user: NotRequired[str]
    """sharepoint: instead of a site, the owner of a OneDrive, by id or user principal name."""
    drive_id: NotRequired[str]
    """sharepoint: instead of a site, the id of a drive; google_drive: a shared drive."""
    login_url: NotRequired[str]
    """sharepoint: the sign-in server of a national cloud. Also set `endpoint_url`."""
    folder_id: NotRequired[str]
    """google_drive: only documents in this folder, by the id in its address."""
    subject: NotRequired[str]
    """google_drive: the user for whom the service account acts (domain-wide delegation); default:
    the service account itself.
    """
    site_url: NotRequired[str]
    """confluence: the address of the site, such as `https://example.atlassian.net`."""
    space: NotRequired[str]
    """confluence: the key of the space."""
    api_url: NotRequired[str]
    """mediawiki: the address of the API, such as `https://wiki.example.org/w/api.php`."""
    namespaces: NotRequired[str]
    """mediawiki: numbers of the namespaces to read, separated by commas, such as `0,12`; default
    `0`, the articles. `6` stands for the uploaded files.
    """


class IngestSourceConfigProviderConfig(TypedDict):
    """The same as `connection_params`."""

    paths: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    root_path: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    rights: NotRequired[Literal["posix", "windows", "source"]]
    """filesystem: `posix`, smb: `windows`, imap, sharepoint, google_drive, confluence: `source`:
    fail unless an identity map covers the documents. Where one does, the rights of the source
    decide who may read a document (owner, group, mode and access control list of a file; Windows
    permissions; access control lists of mail folders; permissions and restrictions), with or
    without this setting.
    """
    recursive: NotRequired[bool]
    """Include sub-folders; default true."""
    ignore_hidden_files: NotRequired[bool]
    """Skip names that begin with a dot; default true. Hidden files also need DOCLOOM_HIDDEN_FILES
    on the worker and a run for administrators.
    """
    max_file_size_mb: NotRequired[float]
    """Larger files become failed documents."""
    include_filter: NotRequired[Union[str, List[str]]]
    """Extensions (`pdf,txt`) or globs; only these files are read."""
    exclude_filter: NotRequired[Union[str, List[str]]]
    """Extensions or globs; these files and folders are left out."""
    exclude_patterns: NotRequired[Union[str, List[str]]]
    """Further globs to leave out."""
    allowed_users: NotRequired[List[str]]
    """Users who may read the documents, unless an `.acl.json` beside the files defines it. Only for
    runs that may ingest for everybody.
    """
    bucket: NotRequired[str]
    """s3, gcs: the bucket."""
    prefix: NotRequired[str]
    """s3, azure, gcs: only objects whose keys have this prefix."""
    endpoint_url: NotRequired[str]
    """s3, gcs, sharepoint, google_drive: the address of the server; default: the address of Amazon
    in the region, of Google, or of Microsoft Graph.
    """
    region: NotRequired[str]
    """s3: the region, default us-east-1."""
    skip_empty_files: NotRequired[bool]
    """s3: skip empty objects; default true."""
    skip_hidden_files: NotRequired[bool]
    """Alias of ignore_hidden_files."""
    access_key: NotRequired[str]
    """s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`."""
    secret_key: NotRequired[str]
    """s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`."""
    access_key_id: NotRequired[str]
    """Alias of access_key."""
    aws_access_key_id: NotRequired[str]
    """Alias of access_key."""
    secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    aws_secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    urls: NotRequired[Union[str, List[str]]]
    """http: addresses of pages and files."""
    url: NotRequired[Union[str, List[str]]]
    """http: alias of urls."""
    sitemaps: NotRequired[Union[str, List[str]]]
    """http: addresses of sitemaps: XML, also compressed or listing further sitemaps, or a text with
    one address per line.
    """
    headers: NotRequired[Dict[str, str]]
    """http: headers of requests to the servers in urls and sitemaps, not to others that a sitemap
    lists or a redirect leads to; use references for tokens.
    """
    respect_robots: NotRequired[bool]
    """http: skip pages from sitemaps that the robots.txt of their site disallows; default true.
    Addresses in urls are always read.
    """
    timeout: NotRequired[float]
    """http: timeout in seconds per page; default 30."""
    library_id: NotRequired[str]
    """library: the document library whose files are read. Its owner and its readers may read them."""
    folder_url: NotRequired[str]
    """webdav: the address of the folder, such as
    `https://cloud.example.org/remote.php/dav/files/USER/Documents`.
    """
    repository_url: NotRequired[str]
    """git: the address of the repository, such as `https://git.example.org/team/docs.git`."""
    branch: NotRequired[str]
    """git: the branch; by default the main branch of the repository."""
    folder: NotRequired[str]
    """git, sftp, imap, smb, sharepoint: only documents in this folder."""
    host: NotRequired[str]
    """sftp, imap, smb: the server."""
    port: NotRequired[int]
    """sftp, imap, smb: the port; default 22, 993 or 143, 445."""
    host_key: NotRequired[str]
    """sftp: the fingerprint of the server’s key, as `ssh-keygen -l` prints it. Required."""
    container_url: NotRequired[str]
    """azure: the address of the container, such as
    `https://ACCOUNT.blob.core.windows.net/CONTAINER`.
    """
    account_name: NotRequired[str]
    """azure: the storage account, where the address does not begin with its name."""
    security: NotRequired[Literal["tls", "starttls", "none"]]
    """imap: `tls` (default, port 993), `starttls` (port 143), or `none`, which sends the password
    in plain text.
    """
    share: NotRequired[str]
    """smb: the name of the share."""
    encryption: NotRequired[Literal["required", "if_possible"]]
    """smb: `required` (default) refuses servers that cannot encrypt (before SMB 3); `if_possible`
    reads from them, too, with signed messages.
    """
    traversal: NotRequired[Literal["check", "bypass"]]
    """smb, where an identity map covers the folder: `check` (default): readers of a file also need
    access to every folder above it, as with Samba. `bypass`: they do not, as with Windows.
    """
    tenant_id: NotRequired[str]
    """sharepoint: the tenant of Microsoft Entra ID, its id or its domain."""
    client_id: NotRequired[str]
    """sharepoint: the id of the application that signs in."""
    site: NotRequired[str]
    """sharepoint: the site, such as `contoso.sharepoint.com:/sites/legal`, or its host alone for
    the root site.
    """
    document_library: NotRequired[str]
    """sharepoint: the library of the site, by name; default: the first one of the site."""
    user: NotRequired[str]
    """sharepoint: instead of a site, the owner of a OneDrive, by id or user principal name."""
    drive_id: NotRequired[str]
    """sharepoint: instead of a site, the id of a drive; google_drive: a shared drive."""
    login_url: NotRequired[str]
    """sharepoint: the sign-in server of a national cloud. Also set `endpoint_url`."""
    folder_id: NotRequired[str]
    """google_drive: only documents in this folder, by the id in its address."""
    subject: NotRequired[str]
    """google_drive: the user for whom the service account acts (domain-wide delegation); default:
    the service account itself.
    """
    site_url: NotRequired[str]
    """confluence: the address of the site, such as `https://example.atlassian.net`."""
    space: NotRequired[str]
    """confluence: the key of the space."""
    api_url: NotRequired[str]
    """mediawiki: the address of the API, such as `https://wiki.example.org/w/api.php`."""
    namespaces: NotRequired[str]
    """mediawiki: numbers of the namespaces to read, separated by commas, such as `0,12`; default
    `0`, the articles. `6` stands for the uploaded files.
    """


class IngestSourceConfigCredentials(TypedDict):
    """User names, passwords and keys. Use references to connections."""

    access_key: NotRequired[str]
    """s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`."""
    secret_key: NotRequired[str]
    """s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`."""
    access_key_id: NotRequired[str]
    """Alias of access_key."""
    aws_access_key_id: NotRequired[str]
    """Alias of access_key."""
    secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    aws_secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    username: NotRequired[str]
    """webdav, git, sftp, imap, smb: the user name; for smb as `DOMAIN\\\\name` or `name@domain`.
    confluence: the mail address of the account; mediawiki: the name of a bot password, such as
    `Reader@docloom`.
    """
    password: NotRequired[str]
    """webdav, git, sftp, imap, smb, mediawiki: the password; for git also an access token. Use a
    reference.
    """
    token: NotRequired[str]
    """webdav: a bearer token instead of user name and password; imap: an access token (XOAUTH2)
    instead of the password; confluence: the API token of the account; mediawiki: an access token
    (OAuth 2.0) instead of name and password.
    """
    private_key: NotRequired[str]
    """sftp: a private key in OpenSSH or PEM format instead of a password. Use a reference."""
    account_key: NotRequired[str]
    """azure: a key of the storage account. Use a reference such as `${connection:NAME}`."""
    sas_token: NotRequired[str]
    """azure: a shared access signature of the container instead of a key. Use a reference such as
    `${connection:NAME}`.
    """
    service_account_key: NotRequired[str]
    """gcs: the key file of a service account, the whole JSON as one text. Use a reference such as
    `${connection:NAME}`.
    """
    client_secret: NotRequired[str]
    """sharepoint: the secret of the application. Use a reference such as `${connection:NAME}`."""
    certificate: NotRequired[str]
    """sharepoint: instead of the secret, a certificate of the application with its RSA key, in PEM.
    Use a reference.
    """
    refresh_token: NotRequired[str]
    """sharepoint: a refresh token, to sign in for a user; without it, the application signs in as
    itself. Use a reference.
    """


class IngestSourceConfigMembers(TypedDict):
    archives: NotRequired[bool]
    """The files of ZIP, TAR, gzip, 7-Zip and RAR archives and the messages of mailboxes are
    documents.
    """
    attachments: NotRequired[bool]
    """The attachments of messages and notes and the documents within Office documents are
    documents.
    """
    pdf_attachments: NotRequired[bool]
    """With `attachments`, the files attached to PDF files are documents too. Every new or changed
    PDF is then also read when the source is listed.
    """
    tables: NotRequired[bool]
    """Groups of rows of CSV files beyond 12 MB, and of workbooks whose sheets hold more than 48 MB,
    are documents. False: such a file is one document, which may need more memory than a
    conversion has.
    """
    max_depth: NotRequired[int]
    """How deep files within files are opened."""
    max_files: NotRequired[int]
    """Maximum number of files that are taken out of one file."""
    max_mb: NotRequired[int]
    """Maximum megabytes of an archive, and of all that is taken out of one file."""


class IngestSourceConfig(TypedDict):
    """The configuration of ingest_source."""

    provider: NotRequired[str]
    """Where the documents are: filesystem, s3, ibm_cos, http, web, library, webdav, git, sftp,
    azure, azure_blob, gcs, google_cloud_storage, imap, smb, sharepoint, onedrive, google_drive,
    gdrive, confluence, mediawiki.
    """
    connection_params: NotRequired[IngestSourceConfigConnectionParams]
    """Which documents to ingest."""
    provider_config: NotRequired[IngestSourceConfigProviderConfig]
    """The same as `connection_params`."""
    credentials: NotRequired[IngestSourceConfigCredentials]
    """User names, passwords and keys. Use references to connections."""
    paths: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    root_path: NotRequired[Union[str, List[str]]]
    """Files and folders, one or a list. They must be inside the folders that the worker allows."""
    rights: NotRequired[Literal["posix", "windows", "source"]]
    """filesystem: `posix`, smb: `windows`, imap, sharepoint, google_drive, confluence: `source`:
    fail unless an identity map covers the documents. Where one does, the rights of the source
    decide who may read a document (owner, group, mode and access control list of a file; Windows
    permissions; access control lists of mail folders; permissions and restrictions), with or
    without this setting.
    """
    recursive: NotRequired[bool]
    """Include sub-folders; default true."""
    ignore_hidden_files: NotRequired[bool]
    """Skip names that begin with a dot; default true. Hidden files also need DOCLOOM_HIDDEN_FILES
    on the worker and a run for administrators.
    """
    max_file_size_mb: NotRequired[float]
    """Larger files become failed documents."""
    include_filter: NotRequired[Union[str, List[str]]]
    """Extensions (`pdf,txt`) or globs; only these files are read."""
    exclude_filter: NotRequired[Union[str, List[str]]]
    """Extensions or globs; these files and folders are left out."""
    exclude_patterns: NotRequired[Union[str, List[str]]]
    """Further globs to leave out."""
    allowed_users: NotRequired[List[str]]
    """Users who may read the documents, unless an `.acl.json` beside the files defines it. Only for
    runs that may ingest for everybody.
    """
    bucket: NotRequired[str]
    """s3, gcs: the bucket."""
    prefix: NotRequired[str]
    """s3, azure, gcs: only objects whose keys have this prefix."""
    endpoint_url: NotRequired[str]
    """s3, gcs, sharepoint, google_drive: the address of the server; default: the address of Amazon
    in the region, of Google, or of Microsoft Graph.
    """
    region: NotRequired[str]
    """s3: the region, default us-east-1."""
    skip_empty_files: NotRequired[bool]
    """s3: skip empty objects; default true."""
    skip_hidden_files: NotRequired[bool]
    """Alias of ignore_hidden_files."""
    access_key: NotRequired[str]
    """s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`."""
    secret_key: NotRequired[str]
    """s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`."""
    access_key_id: NotRequired[str]
    """Alias of access_key."""
    aws_access_key_id: NotRequired[str]
    """Alias of access_key."""
    secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    aws_secret_access_key: NotRequired[str]
    """Alias of secret_key."""
    urls: NotRequired[Union[str, List[str]]]
    """http: addresses of pages and files."""
    url: NotRequired[Union[str, List[str]]]
    """http: alias of urls."""
    sitemaps: NotRequired[Union[str, List[str]]]
    """http: addresses of sitemaps: XML, also compressed or listing further sitemaps, or a text with
    one address per line.
    """
    headers: NotRequired[Dict[str, str]]
    """http: headers of requests to the servers in urls and sitemaps, not to others that a sitemap
    lists or a redirect leads to; use references for tokens.
    """
    respect_robots: NotRequired[bool]
    """http: skip pages from sitemaps that the robots.txt of their site disallows; default true.
    Addresses in urls are always read.
    """
    timeout: NotRequired[float]
    """http: timeout in seconds per page; default 30."""
    library_id: NotRequired[str]
    """library: the document library whose files are read. Its owner and its readers may read them."""
    folder_url: NotRequired[str]
    """webdav: the address of the folder, such as
    `https://cloud.example.org/remote.php/dav/files/USER/Documents`.
    """
    repository_url: NotRequired[str]
    """git: the address of the repository, such as `https://git.example.org/team/docs.git`."""
    branch: NotRequired[str]
    """git: the branch; by default the main branch of the repository."""
    folder: NotRequired[str]
    """git, sftp, imap, smb, sharepoint: only documents in this folder."""
    host: NotRequired[str]
    """sftp, imap, smb: the server."""
    port: NotRequired[int]
    """sftp, imap, smb: the port; default 22, 993 or 143, 445."""
    host_key: NotRequired[str]
    """sftp: the fingerprint of the server’s key, as `ssh-keygen -l` prints it. Required."""
    container_url: NotRequired[str]
    """azure: the address of the container, such as
    `https://ACCOUNT.blob.core.windows.net/CONTAINER`.
    """
    account_name: NotRequired[str]
    """azure: the storage account, where the address does not begin with its name."""
    security: NotRequired[Literal["tls", "starttls", "none"]]
    """imap: `tls` (default, port 993), `starttls` (port 143), or `none`, which sends the password
    in plain text.
    """
    share: NotRequired[str]
    """smb: the name of the share."""
    encryption: NotRequired[Literal["required", "if_possible"]]
    """smb: `required` (default) refuses servers that cannot encrypt (before SMB 3); `if_possible`
    reads from them, too, with signed messages.
    """
    traversal: NotRequired[Literal["check", "bypass"]]
    """smb, where an identity map covers the folder: `check` (default): readers of a file also need
    access to every folder above it, as with Samba. `bypass`: they do not, as with Windows.
    """
    tenant_id: NotRequired[str]
    """sharepoint: the tenant of Microsoft Entra ID, its id or its domain."""
    client_id: NotRequired[str]
    """sharepoint: the id of the application that signs in."""
    site: NotRequired[str]
    """sharepoint: the site, such as `contoso.sharepoint.com:/sites/legal`, or its host alone for
    the root site.
    """
    document_library: NotRequired[str]
    """sharepoint: the library of the site, by name; default: the first one of the site."""
    user: NotRequired[str]
    """sharepoint: instead of a site, the owner of a OneDrive, by id or user principal name."""
    drive_id: NotRequired[str]
    """sharepoint: instead of a site, the id of a drive; google_drive: a shared drive."""
    login_url: NotRequired[str]
    """sharepoint: the sign-in server of a national cloud. Also set `endpoint_url`."""
    folder_id: NotRequired[str]
    """google_drive: only documents in this folder, by the id in its address."""
    subject: NotRequired[str]
    """google_drive: the user for whom the service account acts (domain-wide delegation); default:
    the service account itself.
    """
    site_url: NotRequired[str]
    """confluence: the address of the site, such as `https://example.atlassian.net`."""
    space: NotRequired[str]
    """confluence: the key of the space."""
    api_url: NotRequired[str]
    """mediawiki: the address of the API, such as `https://wiki.example.org/w/api.php`."""
    namespaces: NotRequired[str]
    """mediawiki: numbers of the namespaces to read, separated by commas, such as `0,12`; default
    `0`, the articles. `6` stands for the uploaded files.
    """
    max_files: NotRequired[int]
    """Maximum number of files of the source, not counting files within other files. No limit by
    default.
    """
    max_removed_percent: NotRequired[int]
    """If a listing lacks more than this share of the earlier documents, and more than 20 of them,
    nothing is removed and the run warns. If the source is empty, only a run with the parameter
    confirm_empty_source removes documents.
    """
    access_sync_minutes: NotRequired[int]
    """How old access lists may be: they are read again after this time without a run, and changed
    in the index in place. By default, runs alone read them.
    """
    when_access_stale: NotRequired[Literal["deny", "serve"]]
    """With `access_sync_minutes`, if access lists could not be read for `access_stale_hours`.
    `deny`: nobody may read the documents until they are read again. `serve`: the earlier lists
    apply, and the access sync reports their age.
    """
    access_stale_hours: NotRequired[int]
    """When access lists are too old; never less than twice `access_sync_minutes`. Longer than the
    longest run, which does not count as read until it ends.
    """
    force_ingest: NotRequired[bool]
    """Ingest all documents again."""
    include_exports: NotRequired[bool]
    """Also ingest files that other flows exported into the bucket. Files that this flow exported
    are always left out.
    """
    members: NotRequired[IngestSourceConfigMembers]


class DocumentClassifierOperator(TypedDict):
    """Classifies each document with a language model or by rules."""

    type: Literal["document_classifier"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[DocumentClassifierConfig]


class DocumentClassifierConfigProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class DocumentClassifierConfig(TypedDict):
    """The configuration of document_classifier."""

    type: NotRequired[Literal["rules", "local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx"]]
    """How the class is determined: `rules`, without a model, by the name of a class and the labels
    of its fields; or a language model of the type `local_api` (`ollama`, `openai`), `gateway`
    (`litellm`) or `hosted` (`watsonx`). Default: rules.
    """
    provider: NotRequired[Literal["rules", "local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx"]]
    """Alias of `type`; `type` takes precedence."""
    provider_config: NotRequired[DocumentClassifierConfigProviderConfig]
    document_types: NotRequired[Union[List[str], Dict[str, str]]]
    """The classes to choose from: names, or names with descriptions. Bundled classes need no
    description. Default: all bundled classes.
    """
    confidence_threshold: NotRequired[float]
    """Below this confidence, the class of a document is null."""
    doc_column: NotRequired[str]
    """The column with the text; without one, the document is read."""
    output_column: NotRequired[str]
    """The column for the class."""
    include_confidence: NotRequired[bool]
    """Adds `classification_confidence`, from 1 to 10."""
    include_reasoning: NotRequired[bool]
    """Adds `classification_reasoning`: the reason as text."""
    max_content_length: NotRequired[int]
    """Number of characters from the start of the text that are used."""
    timeout: NotRequired[float]
    """Timeout in seconds for reading a document."""


class ExtractOperator(TypedDict):
    """Converts each document to text (and Markdown on request), and optionally extracts facts."""

    type: Literal["extract_operator"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[ExtractOperatorConfig]


class ExtractOperatorConfigTextExtractionProviderConfigVlmPipelineEngineOptions(TypedDict):
    url: NotRequired[str]
    """Address of its chat completions, such as `http://127.0.0.1:8000/v1/chat/completions`."""
    api_key: NotRequired[str]
    """Sent as a bearer token. Use a reference such as `${DOCLOOM_SECRET_VISION_KEY}`."""
    params: NotRequired[Dict[str, Any]]
    """Members of the request: model, max_tokens, temperature."""
    timeout: NotRequired[float]
    """Timeout in seconds of one request. Default: 60, or DOCLOOM_VISION_SECONDS."""
    concurrency: NotRequired[int]
    """Concurrent requests for one document. Default: 1, or DOCLOOM_VISION_CONCURRENCY."""


class ExtractOperatorConfigTextExtractionProviderConfigVlmPipeline(TypedDict):
    engine: NotRequired[Literal["api", "api_openai", "api_ollama", "api_lmstudio", "auto_inline"]]
    """The kind of server of the model; `auto_inline` is that of the settings DOCLOOM_VISION_….
    Default: `api` with a url, else auto_inline.
    """
    engine_options: NotRequired[ExtractOperatorConfigTextExtractionProviderConfigVlmPipelineEngineOptions]
    response_format: NotRequired[Literal["doctags", "doclang", "otsl", "markdown", "deepseekocr_markdown", "unlimited_ocr_markdown", "html", "chandra_html", "plaintext"]]
    """Format in which it writes pages. Default: doctags, or DOCLOOM_VISION_FORMAT."""
    prompt: NotRequired[str]
    """The prompt for a page; default: one that suits response_format."""
    scale: NotRequired[float]
    """Scale of page images; 1 is 72 dots per inch."""


class ExtractOperatorConfigTextExtractionProviderConfig(TypedDict):
    base_url: NotRequired[str]
    """service: its address, without `/v1`."""
    api_key: NotRequired[str]
    """service: sent as X-Api-Key. Use a reference such as `${DOCLOOM_SECRET_CONVERT_KEY}`."""
    timeout: NotRequired[float]
    """service: timeout in seconds per document, including its time in the queue. Default: `timeout`
    of the operator.
    """
    poll_interval: NotRequired[float]
    """service: seconds between polls of the state."""
    max_retries: NotRequired[int]
    """service: further attempts after overload or outage."""
    do_ocr: NotRequired[bool]
    """Recognize text on pages that are images; default true."""
    force_ocr: NotRequired[bool]
    """Recognize the text of every page, ignoring its text layer."""
    ocr_engine: NotRequired[str]
    """The text recognition engine: tesseract, or ppocr with its model pack. Default: tesseract, or
    ppocr, if installed and it knows all languages, for photos and coarse scans in English, and
    for Chinese and Japanese without data for tesseract. service: any engine that it has.
    """
    ocr_languages: NotRequired[List[str]]
    """Languages of the text in images, as codes such as en or deu."""
    include_ocr_words: NotRequired[bool]
    """Add recognized words with their boxes and confidence to the document (`docloom__words` in
    `meta` of texts and tables).
    """
    pdf_backend: NotRequired[str]
    """service: the PDF parser."""
    table_mode: NotRequired[str]
    """service: `fast` or `accurate`."""
    image_export_mode: NotRequired[str]
    """service: `placeholder`, `embedded` or `referenced`."""
    pipeline: NotRequired[str]
    """`standard`, or `vlm`: a vision model reads PDF and images. Default: `vlm` if only
    vlm_pipeline is set. service: any pipeline that it supports.
    """
    vlm_pipeline: NotRequired[ExtractOperatorConfigTextExtractionProviderConfigVlmPipeline]
    do_code_enrichment: NotRequired[bool]
    """Read code and detect its language with the model of vlm_pipeline."""
    do_formula_enrichment: NotRequired[bool]
    """Read formulas as LaTeX with that model."""
    do_picture_classification: NotRequired[bool]
    """Classify pictures with that model."""
    do_picture_description: NotRequired[bool]
    """Describe pictures with that model."""
    do_chart_extraction: NotRequired[bool]
    """Extract the data of charts with that model."""
    picture_description_area_threshold: NotRequired[float]
    """Smallest picture to describe, as a share of its page."""


class ExtractOperatorConfigTextExtraction(TypedDict):
    provider: NotRequired[Literal["local", "docling_library", "service", "docling_serve"]]
    """`local`: the built-in engine; `service`: a remote conversion service. Aliases:
    docling_library, docling_serve.
    """
    provider_config: NotRequired[ExtractOperatorConfigTextExtractionProviderConfig]
    password: NotRequired[str]
    """`local`: password of protected documents (PDF, Office, OpenDocument). Use a reference such as
    `${DOCLOOM_SECRET_DOCUMENTS_PASSWORD}`.
    """
    include_formulas: NotRequired[bool]
    """`local`: formulas of spreadsheet cells, in brackets after the text of the cell."""
    doc_column: NotRequired[str]
    """A column for the Markdown of the document, besides `content`, which is the text as a person
    reads it.
    """


class ExtractOperatorConfigEntityExtractionProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class ExtractOperatorConfigEntityExtraction(TypedDict):
    provider: NotRequired[Literal["none", "model", "rules", "local_api", "gateway", "hosted", "ollama", "openai", "litellm", "watsonx", "docling"]]
    """`none`; `rules`: by the labels of fields, without a model; `model`: a language model of the
    `type`. Aliases: the types and their aliases; docling means rules.
    """
    type: NotRequired[Literal["local_api", "gateway", "hosted"]]
    """What runs the model: `local_api`, `gateway` or `hosted`. Default: from the provider, else
    local_api.
    """
    provider_config: NotRequired[ExtractOperatorConfigEntityExtractionProviderConfig]
    document_type: NotRequired[str]
    """The class of all documents, which defines the fields to extract."""
    document_type_column: NotRequired[str]
    """The column that names the class of each document."""
    custom_schema: NotRequired[Dict[str, Any]]
    """Custom fields instead of a class: names with `string`, `int`, `float`, `boolean`, `date`, a
    nested object, or a list of one of these.
    """
    output_column: NotRequired[str]
    """The column for the entities; their positions are in `entity_evidence`."""
    expand_extracted_data: NotRequired[bool]
    """Also add a column `entity_<field>` per entity."""
    max_doc_chars: NotRequired[int]
    """Maximum characters per request to a model; longer documents are split."""
    max_requests: NotRequired[int]
    """Maximum number of requests for a document; a warning is added if it is longer."""


class ExtractOperatorConfig(TypedDict):
    """The configuration of extract_operator."""

    text_extraction: NotRequired[ExtractOperatorConfigTextExtraction]
    entity_extraction: NotRequired[ExtractOperatorConfigEntityExtraction]
    timeout: NotRequired[float]
    """Timeout in seconds for the conversion of a document."""
    review_below: NotRequired[float]
    """Documents with a page of lower confidence wait in the review queue, as do those with pages or
    content that could not be read. They are already indexed while they wait. 0: no document
    waits.
    """


class SqlFilterOperator(TypedDict):
    """Keeps the rows that an SQL query or a list of criteria selects."""

    type: Literal["sql_filter"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[SqlFilterConfig]


class SqlFilterConfig(TypedDict):
    """The configuration of sql_filter."""

    filter_criteria: NotRequired[str]
    """A SELECT over the table `input`. Its result replaces the rows and must keep id, content,
    pages_processed. Unless it treats each row by itself, it runs over all rows of the run.
    """
    criteria_list: NotRequired[List[str]]
    """SQL conditions; rows that meet them are kept."""
    logical_operator: NotRequired[str]
    """Joins `criteria_list`: AND or OR."""
    criteria_json: NotRequired[Dict[str, Any]]
    """A criterion {variable, operator, value} or a group {logical_operator, criteria_list}.
    Operators: =, ==, !=, <>, >, <, >=, <=, like, not like, in, not in, is null, is not null,
    between.
    """
    features_to_drop: NotRequired[List[str]]
    """Columns to remove after the filter."""
    timeout: NotRequired[float]
    """Timeout in seconds of the query."""


class DocIdHashOperator(TypedDict):
    """Adds a hash of the text, which identifies equal texts."""

    type: Literal["doc_id_hash"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[DocIdHashConfig]


class DocIdHashConfig(TypedDict):
    """The configuration of doc_id_hash."""

    doc_column: NotRequired[str]
    """The column whose text is hashed."""
    doc_id_hash_column: NotRequired[str]
    """The column for the hash."""


class LangDetectOperator(TypedDict):
    """Detects the language of each text."""

    type: Literal["lang_detect"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[LangDetectConfig]


class LangDetectConfig(TypedDict):
    """The configuration of lang_detect."""

    language_provider: NotRequired[Literal["tinyld", "fasttext", "langdetect"]]
    """`tinyld` is the built-in detector. The other names are aliases for flows of other systems."""
    doc_column: NotRequired[str]
    """The column whose language is detected."""
    filter_unknown_language: NotRequired[bool]
    """Drop rows whose language cannot be detected."""


class DocQualityOperator(TypedDict):
    """Adds counts and ratios that help to find low-quality texts."""

    type: Literal["doc_quality"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[DocQualityConfig]


class DocQualityConfig(TypedDict):
    """The configuration of doc_quality."""

    text_lang: NotRequired[str]
    """The language of `bad_words`; accepted for compatibility."""
    doc_content_column: NotRequired[str]
    """The column to assess."""
    bad_words: NotRequired[List[str]]
    """Words and phrases that should not occur; case-insensitive."""
    bad_word_filepath: NotRequired[str]
    """Accepted for compatibility but ignored, since operators read no files. Use `bad_words`."""


class RedactionOperator(TypedDict):
    """Masks what the patterns match."""

    type: Literal["redaction"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: RedactionConfig


class RedactionConfig(TypedDict):
    """The configuration of redaction."""

    redaction_regex: Union[str, List[str]]
    """What to mask: a pattern in RE2 syntax, or a list. A leading `(?i)` makes a pattern
    case-insensitive.
    """
    redaction_masking_character: NotRequired[str]
    """The character that replaces each masked character."""
    doc_column: NotRequired[str]
    """The column that is masked."""
    stats_column: NotRequired[str]
    """The column for the number of masked passages."""
    timeout: NotRequired[float]
    """Timeout in seconds per document; slower documents fail."""


class ProfanityOperator(TypedDict):
    """Counts swear words by language, and masks them or removes rows with too many."""

    type: Literal["profanity"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[ProfanityConfig]


class ProfanityConfig(TypedDict):
    """The configuration of profanity."""

    languages: NotRequired[List[Literal["en", "de", "fr", "es"]]]
    """Word lists to use; with an empty list, only `words` count. A row with `lang_name` is checked
    against the list of its language only.
    """
    words: NotRequired[List[str]]
    """Additional words and phrases; a star at the start or end of a word matches any letters."""
    allowed_words: NotRequired[List[str]]
    """Words that never count."""
    action: NotRequired[Literal["detect", "mask", "remove"]]
    """detect: count; mask: each character becomes masking_character; remove: rows with at least
    `max_count` are skipped.
    """
    masking_character: NotRequired[str]
    """For `mask`."""
    max_count: NotRequired[int]
    """For `remove`: rows with at least this many matches are removed."""
    doc_column: NotRequired[str]
    """Column to search."""


class PiiOperator(TypedDict):
    """Finds and masks personal data by rules: e-mail addresses, phone, account, card and identity
    numbers.
    """

    type: Literal["pii"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[PiiConfig]


class PiiConfig(TypedDict):
    """The configuration of pii."""

    kinds: NotRequired[List[Literal["email", "iban", "credit_card", "national_id", "phone", "ip_address", "date_of_birth"]]]
    """What to look for: email (e-mail addresses); iban (bank accounts, by length and checksum);
    credit_card (card numbers, by issuer, length and checksum); national_id (identity, tax and
    insurance numbers with check digits of Belgium, Brazil, England (NHS), Finland, France,
    Germany, Italy, the Netherlands, Poland, Spain, Sweden and Switzerland; social security
    numbers of the USA and national insurance numbers of the United Kingdom by their form); phone
    (phone numbers: valid international ones, and national ones after a label or of
    `phone_region`); ip_address (IPv4 and IPv6 addresses, without those of the machine itself);
    date_of_birth (dates after a label such as “born on”, in English, German, French, Spanish,
    Italian, Dutch and Portuguese).
    """
    action: NotRequired[Literal["mask", "replace", "detect"]]
    """mask: each character becomes masking_character; replace: each passage becomes its kind, such
    as [EMAIL]; detect: the text stays.
    """
    masking_character: NotRequired[str]
    """For `mask`."""
    phone_region: NotRequired[str]
    """Country code such as US or DE. National phone numbers of this country are recognized without
    a label.
    """
    with_positions: NotRequired[bool]
    """Add the column `pii_positions`: kind, start and end of each match, without its text."""
    doc_column: NotRequired[str]
    """Column to search."""


class ReadabilityOperator(TypedDict):
    """Measures how hard each text is to read: Flesch, Kincaid, Fog, SMOG, LIX and others."""

    type: Literal["readability"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[ReadabilityConfig]


class ReadabilityConfig(TypedDict):
    """The configuration of readability."""

    language: NotRequired[Literal["en", "de", "fr", "es", "it", "nl"]]
    """The language of all texts. Default: `lang_name` of the row, else English."""
    doc_column: NotRequired[str]
    """The column to measure."""


class FdedupOperator(TypedDict):
    """Finds near-duplicates of earlier texts in the same run, and removes or marks them."""

    type: Literal["fdedup"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[FdedupConfig]


class FdedupConfig(TypedDict):
    """The configuration of fdedup."""

    threshold: NotRequired[float]
    """Minimum similarity of near-duplicates: the share of word sequences that two texts have in
    common.
    """
    shingle_words: NotRequired[int]
    """Number of words in a sequence. Shorter sequences find more matches, including accidental
    ones.
    """
    num_permutations: NotRequired[int]
    """Length of the MinHash signatures. Longer signatures miss fewer candidates and take more time."""
    action: NotRequired[Literal["remove", "mark"]]
    """remove: keep only the first of several similar texts; mark: keep all and record the id of the
    first.
    """
    across_access_lists: NotRequired[bool]
    """For `remove`: also compare documents with different access lists. Readers of a removed
    document may then lack access to the one that stays.
    """
    doc_column: NotRequired[str]
    """The column whose text is compared."""


class EdedupOperator(TypedDict):
    """Removes documents whose text equals that of an earlier document of the run."""

    type: Literal["ededup"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[EdedupConfig]


class EdedupConfig(TypedDict):
    """The configuration of ededup."""

    doc_column: NotRequired[str]
    """The column whose text is compared."""
    doc_id_column: NotRequired[str]
    """Accepted for compatibility: a row is always identified by its `id`."""
    across_access_lists: NotRequired[bool]
    """Also compare documents with different access lists; then readers of a removed copy may not be
    able to read the remaining one.
    """


class BranchingOperator(TypedDict):
    """Routes rows to branches by conditions."""

    type: Literal["branching"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: BranchingConfig


class BranchingConfigBranches(TypedDict):
    criteria_list: NotRequired[List[str]]
    criteria_json: NotRequired[Dict[str, Any]]
    logical_operator: NotRequired[str]
    features_to_drop: NotRequired[List[str]]
    link_name: NotRequired[str]


class BranchingConfig(TypedDict):
    """The configuration of branching."""

    branches: Dict[str, BranchingConfigBranches]
    """By name, the rows of each branch: `criteria_list` (SQL conditions, joined by
    `logical_operator`, AND or OR) or `criteria_json` as in sql_filter (operators: =, ==, !=, <>,
    >, <, >=, <=, like, not like, in, not in, is null, is not null, between). Without criteria a
    branch takes every row. `features_to_drop` removes columns from its rows; `link_name` is for
    people.
    """
    timeout: NotRequired[float]
    """Seconds that the conditions may take for one part."""


class MergeOperator(TypedDict):
    """Merges the rows of several operators or branches, by rows or by columns."""

    type: Literal["merge"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: MergeConfig


class MergeConfig(TypedDict):
    """The configuration of merge."""

    merge_type: Literal["rows", "columns"]
    """rows concatenates the rows of all inputs; columns joins rows with the same `id`."""
    column_option: NotRequired[Literal["inner_join", "full_outer"]]
    """With columns: inner_join keeps the rows that occur in every input; full_outer keeps all rows."""
    on_duplicate: NotRequired[Literal["fail", "first"]]
    """With rows: what happens if two inputs contain the same row. fail: the document fails. first:
    the row of the first input is kept.
    """
    features_to_drop: NotRequired[List[str]]
    """Columns to remove from the merged rows."""
    input_links: NotRequired[List[Any]]
    """Written by graphical editors. The actual inputs are the operators that the flow connects."""


class NoopOperator(TypedDict):
    """Passes the rows on unchanged."""

    type: Literal["noop"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[NoopConfig]


class NoopConfig(TypedDict):
    """The configuration of noop."""

    sleep_sec: NotRequired[float]
    """Seconds to wait per part of the run."""


class SummaryOperator(TypedDict):
    """Summarizes each text with a language model."""

    type: Literal["summary"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[SummaryConfig]


class SummaryConfigProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class SummaryConfig(TypedDict):
    """The configuration of summary."""

    type: NotRequired[Literal["local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx"]]
    """What runs the model: `local_api`, `gateway` or `hosted`, or one of their aliases."""
    provider_config: NotRequired[SummaryConfigProviderConfig]
    max_doc_chars: NotRequired[int]
    """Maximum characters per request; longer texts are cut into sections."""
    max_requests: NotRequired[int]
    """Maximum number of sections of a document; a warning is added if it is longer."""
    doc_column: NotRequired[str]
    """The column with the text."""
    max_words: NotRequired[int]
    """Approximate maximum length of a summary, in words."""
    language: NotRequired[str]
    """Language of the summary, such as German. Default: the language of the text."""
    instructions: NotRequired[str]
    """Additional instructions, such as which topics to emphasize."""
    output_column: NotRequired[str]
    """The column for the answer."""


class TranslationOperator(TypedDict):
    """Translates each text with a language model."""

    type: Literal["translation"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: TranslationConfig


class TranslationConfigProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class TranslationConfig(TypedDict):
    """The configuration of translation."""

    type: NotRequired[Literal["local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx"]]
    """What runs the model: `local_api`, `gateway` or `hosted`, or one of their aliases."""
    provider_config: NotRequired[TranslationConfigProviderConfig]
    max_doc_chars: NotRequired[int]
    """Maximum characters per request; longer texts are cut into sections."""
    max_requests: NotRequired[int]
    """Maximum number of sections of a document; a warning is added if it is longer."""
    doc_column: NotRequired[str]
    """The column with the text."""
    target_language: str
    """The language to translate into: a name such as German, or a code such as de."""
    glossary: NotRequired[Dict[str, str]]
    """Fixed translations of terms, such as {"tide gauge": "Pegel"}."""
    output_column: NotRequired[str]
    """The column for the answer."""


class TableRowsOperator(TypedDict):
    """Extracts the tables of documents: one row per table row, one row per table, or all in a
    column.
    """

    type: Literal["table_rows"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[TableRowsConfig]


class TableRowsConfig(TypedDict):
    """The configuration of table_rows."""

    output: NotRequired[Literal["rows", "tables", "column"]]
    """rows: each row of a table becomes a row of the flow; tables: each table does, as CSV; column:
    the documents stay and get their tables in a column.
    """
    min_rows: NotRequired[int]
    """Minimum number of rows below the header; smaller tables are ignored."""
    max_rows: NotRequired[int]
    """Maximum number of rows per table; a warning counts the tables that were cut."""


class EntityCurationOperator(TypedDict):
    """Normalizes extracted values (dates, amounts, weights, numbers) and fills the tables of their
    class.
    """

    type: Literal["entity_curation"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[EntityCurationConfig]


class EntityCurationConfigTargetTablesColumnsSource1(TypedDict):
    field: List[str]
    """Names of fields, the outermost first."""


class EntityCurationConfigTargetTablesColumnsSource2TransformArgumentsValue1(TypedDict):
    field: List[str]
    """Names of fields, the outermost first."""


class EntityCurationConfigTargetTablesColumnsSource2TransformArguments(TypedDict):
    name: str
    value: Union[EntityCurationConfigTargetTablesColumnsSource2TransformArgumentsValue1, str, float]


class EntityCurationConfigTargetTablesColumnsSource2Transform(TypedDict):
    transform_name: Literal["currency_to_numeric", "make_date_uniform", "to_number", "weight_to_numeric"]
    arguments: List[EntityCurationConfigTargetTablesColumnsSource2TransformArguments]


class EntityCurationConfigTargetTablesColumnsSource2(TypedDict):
    transform: EntityCurationConfigTargetTablesColumnsSource2Transform


class EntityCurationConfigTargetTablesColumns(TypedDict):
    name: str
    type: Literal["string", "date", "decimal", "float", "long", "int", "boolean"]
    description: str
    source: Union[EntityCurationConfigTargetTablesColumnsSource1, EntityCurationConfigTargetTablesColumnsSource2]


class EntityCurationConfigTargetTables(TypedDict):
    name: str
    columns: List[EntityCurationConfigTargetTablesColumns]


class EntityCurationConfig(TypedDict):
    """The configuration of entity_curation."""

    entities_column: NotRequired[str]
    """The column with the entities: an object, or its JSON text."""
    document_type_column: NotRequired[str]
    """The column that names the class of the document."""
    document_type: NotRequired[str]
    """The class of all documents; takes precedence over the column."""
    target_tables: NotRequired[List[EntityCurationConfigTargetTables]]
    """Replaces the tables of the class. Uses the format of document classes."""
    output_column: NotRequired[str]
    """The column for the tables."""
    date_order: NotRequired[Literal["auto", "dmy", "mdy", "ymd"]]
    """The order of day, month and year in numeric dates; `auto` assumes US order if the date is
    ambiguous.
    """
    number_format: NotRequired[Literal["auto", "point", "comma"]]
    """The decimal separator: `point` as in 1,234.56, `comma` as in 1.234,56; `auto` infers it from
    the digits.
    """


class GraphOperator(TypedDict):
    """Builds a knowledge graph of each document, or one of all documents, with a template, by rules
    or a language model.
    """

    type: Literal["graph"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: GraphConfig


class GraphConfigProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class GraphConfigLimit(TypedDict):
    """With `graph_name`: an update does not start if its estimate exceeds a limit, and stops when
    it reaches one.
    """

    documents: NotRequired[int]
    """Documents to read."""
    model_calls: NotRequired[int]
    """Requests to the model."""
    input_tokens: NotRequired[int]
    """Tokens sent to the model."""


class GraphConfig(TypedDict):
    """The configuration of graph."""

    template: Union[str, Dict[str, Any]]
    """What to extract: a template or a JSON Schema, as an object or as YAML or JSON text. Dotted
    paths are not supported here.
    """
    backend: NotRequired[Literal["rules", "llm"]]
    """`rules`: by labels and tables, without a model; `llm`: a language model of the `type`."""
    type: NotRequired[Literal["local_api", "gateway", "hosted"]]
    """What runs the model: `local_api`, `gateway` or `hosted`. Default: local_api."""
    provider_config: NotRequired[GraphConfigProviderConfig]
    graph_name: NotRequired[str]
    """Instead of a graph of each document, one graph of this name of all documents in the document
    set of the flow. Each run updates it.
    """
    resolution: NotRequired[Literal["off", "rules", "model"]]
    """With `graph_name`: whether nodes that mean the same thing are found after each update.
    Default: what the graph has, at first `off`.
    """
    limit: NotRequired[GraphConfigLimit]
    """With `graph_name`: an update does not start if its estimate exceeds a limit, and stops when
    it reaches one.
    """
    formats: NotRequired[List[Literal["json", "csv", "cypher", "report", "html", "graphml", "gexf", "turtle", "jsonld"]]]
    """Files of each graph: `graph.json`, which is always written, `csv` (`nodes.csv`, `edges.csv`),
    `cypher` (`graph.cypher`, `graph.merge.cypher`), `report`, `html`, `graphml`, `gexf`,
    `turtle` and `jsonld`.
    """
    chunk_max_tokens: NotRequired[int]
    """Maximum tokens of a chunk that is sent to a model; a token is four characters."""
    extraction_contract: NotRequired[Literal["direct", "dense", "auto"]]
    """How the model is queried. `direct`: once for the whole document, or chunk by chunk if it does
    not fit the context; `dense`: first for the entities in the chunks, then for their fields;
    `auto`: `direct` if one answer can hold everything, else `dense`.
    """
    context_limit: NotRequired[int]
    """Maximum tokens of a request and its answer together."""
    provenance: NotRequired[Literal["off", "standard", "detailed"]]
    """How much evidence to keep on nodes and in `provenance.json`."""
    reverse_edges: NotRequired[bool]
    """Add a reverse edge for each edge, labelled `reverse_…`."""


class ChunkerOperator(TypedDict):
    """Splits documents into chunks, with their offsets, headings, pages and boxes."""

    type: Literal["chunker"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[ChunkerConfig]


class ChunkerConfigEmbeddings(TypedDict):
    """semantic: the embedder for sentences, configured like the operator embeddings."""

    type: NotRequired[str]
    """As in the operator embeddings."""
    provider: NotRequired[str]
    """Alias of `type`."""
    provider_config: NotRequired[Dict[str, Any]]
    """As in the operator embeddings."""


class ChunkerConfigProviderConfig(TypedDict):
    """semantic: settings of `semantic_embeddings_model`."""

    host: NotRequired[str]
    """Address of the host of `semantic_embeddings_model`."""


class ChunkerConfig(TypedDict):
    """The configuration of chunker."""

    chunk_type: NotRequired[Literal["simple", "semantic", "hybrid"]]
    """Default: `hybrid`; `simple` where `chunk_size` or `chunk_overlap` is given, because they
    count characters there. `simple` splits by characters at paragraphs, lines, sentences and
    spaces. `hybrid` follows the structure of the document and counts tokens. `semantic` splits
    where the meaning changes between sentences, measured with `embeddings`.
    """
    chunk_size: NotRequired[int]
    """Most characters (UTF-16 code units) of a chunk, 2048 by default; with `hybrid` most tokens,
    by default as many as the model of the tokenizer takes.
    """
    chunk_overlap: NotRequired[int]
    """Most characters that a chunk shares with the one before; less than chunk_size. Default 200,
    or a tenth of a chunk_size that is not twice as large.
    """
    tokenizer: NotRequired[str]
    """hybrid: the tokenizer that counts tokens, as the name of a folder in the models folder. If
    that folder is missing, the bundled tokenizer is used, with a warning if you named another
    one. Default sentence-transformers/all-MiniLM-L6-v2.
    """
    docling_tokenizer: NotRequired[str]
    """Alias of `tokenizer`."""
    merge_peers: NotRequired[bool]
    """hybrid: merge small adjacent chunks under the same headings."""
    use_markdown_tables: NotRequired[bool]
    """hybrid: write tables as Markdown instead of "row, column = value"."""
    use_markdown_images: NotRequired[bool]
    """hybrid: write a placeholder for pictures in addition to their caption."""
    image_placeholder: NotRequired[str]
    """hybrid: the placeholder for pictures."""
    contextualize: NotRequired[bool]
    """hybrid: put the headings of a chunk before its text, one per line, so that they are embedded
    too.
    """
    embeddings: NotRequired[ChunkerConfigEmbeddings]
    """semantic: the embedder for sentences, configured like the operator embeddings."""
    semantic_embeddings_model: NotRequired[str]
    """semantic: short form of `embeddings` with a `local_api` model of this name."""
    provider_config: NotRequired[ChunkerConfigProviderConfig]
    """semantic: settings of `semantic_embeddings_model`."""
    breakpoint_threshold_type: NotRequired[Literal["percentile", "standard_deviation", "interquartile", "gradient"]]
    """semantic: how the distance at which a chunk ends is computed. `percentile`: a percentile of
    all distances; `standard_deviation`, `interquartile`: the mean plus a multiple of it;
    `gradient`: a percentile of the changes in distance.
    """
    breakpoint_threshold_amount: NotRequired[float]
    """semantic: the percentile, or the multiple. Default by kind: percentile 95, standard_deviation
    3, interquartile 1.5, gradient 95.
    """
    sentence_buffer: NotRequired[int]
    """semantic: number of neighbouring sentences on each side that are embedded with a sentence."""
    retain_original_content: NotRequired[bool]
    """Accepted for compatibility. `content` of a chunk row is the chunk; the whole text is in the
    table of the previous operator.
    """


class EmbeddingsOperator(TypedDict):
    """Adds a vector of the text to every row that has text."""

    type: Literal["embeddings"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[EmbeddingsConfig]


class EmbeddingsConfigProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    batch_size: NotRequired[int]
    """Maximum texts per request."""
    tokens_per_request: NotRequired[int]
    """Maximum (estimated) tokens per request."""
    dimensions: NotRequired[int]
    """Length of the vectors; requested from the model and checked. hashing: default 384."""
    pooling: NotRequired[Literal["mean", "cls"]]
    """How an `onnx` model pools the vectors of its tokens. Default: as `1_Pooling/config.json` of
    the model says, else mean.
    """


class EmbeddingsConfig(TypedDict):
    """The configuration of embeddings."""

    type: NotRequired[Literal["builtin", "hashing", "local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx", "onnx"]]
    """`builtin`: the best of the installed model packs (`docloom models`), run inside the worker;
    without one the same as `hashing`. `hashing`: feature hashing inside the worker; needs no
    model, but ignores meaning. `local_api`, `ollama`, `openai`: a local or remote server that
    speaks the OpenAI protocol, or that of the local model host. `gateway`, `litellm`: a gateway
    to several vendors that speaks the OpenAI protocol. `hosted`, `watsonx`: a hosted vendor's
    own interface. `onnx`: a model of the models folder, run inside the worker. Default: builtin.
    """
    provider: NotRequired[Literal["builtin", "hashing", "local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx", "onnx"]]
    """Alias of `type`; `type` takes precedence."""
    provider_config: NotRequired[EmbeddingsConfigProviderConfig]
    token_limit: NotRequired[int]
    """Maximum (estimated) tokens of a text; longer texts are split and the vectors are averaged.
    Default 8192; onnx and builtin: counted, and by default what the model takes.
    """
    overlap_ratio: NotRequired[float]
    """The fraction of a piece that the next one repeats."""
    context: NotRequired[bool]
    """Embeds title and headings of a chunk in front of its text. The text itself stays as it is.
    Needs a chunker before.
    """
    embeddings_column: NotRequired[str]
    """The column for the vectors."""


class VectordbOperator(TypedDict):
    """Writes rows with their access lists and vectors into a search index."""

    type: Literal["vectordb"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: VectordbConfig


class VectordbConfigAvailableFeatures(TypedDict):
    type: NotRequired[str]
    """string, int64, double, boolean, date, timestamp, list or json."""
    available_for_vector_db: NotRequired[Union[bool, None]]


class VectordbConfigProviderConfigIndexParameters(TypedDict):
    M: NotRequired[int]
    """Links of a node; default 16."""
    m: NotRequired[int]
    """Alias of M; for IVF_PQ the number of parts of a vector, a divisor of its dimension."""
    efConstruction: NotRequired[int]
    """Candidates while the graph is built; default 100."""
    ef_construction: NotRequired[int]
    """Alias of efConstruction."""
    nlist: NotRequired[int]
    """For IVF indexes: the number of lists; milvus: default 128."""
    nbits: NotRequired[int]
    """For IVF_PQ: bits per part of a vector; default 8."""


class VectordbConfigProviderConfigEngineParameters(TypedDict):
    M: NotRequired[int]
    """Links of a node; default 16."""
    m: NotRequired[int]
    """Alias of M; for IVF_PQ the number of parts of a vector, a divisor of its dimension."""
    efConstruction: NotRequired[int]
    """Candidates while the graph is built; default 100."""
    ef_construction: NotRequired[int]
    """Alias of efConstruction."""
    nlist: NotRequired[int]
    """For IVF indexes: the number of lists; milvus: default 128."""
    nbits: NotRequired[int]
    """For IVF_PQ: bits per part of a vector; default 8."""


class VectordbConfigProviderConfig(TypedDict):
    host: NotRequired[str]
    """opensearch: a search server other than the configured one. With the host and port of the
    configured server, its own connection is used, whatever user is named. milvus and pgvector:
    the server (needed). The search of the API does not find documents there, except in the
    PostgreSQL of DOCLOOM_SEARCH_POSTGRES. Private addresses must be in DOCLOOM_ALLOWED_HOSTS.
    """
    port: NotRequired[int]
    """Default 9200 for opensearch, 19530 for milvus, 5432 for pgvector."""
    username: NotRequired[str]
    password: NotRequired[str]
    """Use a reference such as `${DOCLOOM_SECRET_SEARCH_PASSWORD}`."""
    use_ssl: NotRequired[bool]
    verify_certs: NotRequired[bool]
    engine: NotRequired[Literal["lucene", "faiss", "nmslib"]]
    """faiss and nmslib need native libraries on the server."""
    algorithm: NotRequired[Literal["hnsw", "HNSW"]]
    """hnsw."""
    index_type: NotRequired[Literal["HNSW", "hnsw", "FLAT", "IVF_FLAT", "IVF_SQ8", "IVF_PQ", "DISKANN", "AUTOINDEX"]]
    """The kind of vector index. opensearch: HNSW, an alias of algorithm; milvus: HNSW, FLAT,
    IVF_FLAT, IVF_SQ8, IVF_PQ, DISKANN or AUTOINDEX; pgvector and lancedb: HNSW or IVF_FLAT.
    """
    token: NotRequired[str]
    """milvus: token instead of user name and password; use a reference."""
    database: NotRequired[str]
    """milvus and lancedb: the database, default `default`; pgvector: default `postgres`."""
    space_type: NotRequired[Literal["l2", "L2", "euclidean", "cosine", "cosinesimil", "COSINE", "innerproduct", "inner_product", "ip", "IP", "dot_product"]]
    """l2 (the default), cosine (cosinesimil) or innerproduct."""
    metric_type: NotRequired[Literal["l2", "L2", "euclidean", "cosine", "cosinesimil", "COSINE", "innerproduct", "inner_product", "ip", "IP", "dot_product"]]
    """Alias of space_type."""
    index_parameters: NotRequired[VectordbConfigProviderConfigIndexParameters]
    engine_parameters: NotRequired[VectordbConfigProviderConfigEngineParameters]


class VectordbConfig(TypedDict):
    """The configuration of vectordb."""

    provider: NotRequired[Literal["opensearch", "milvus", "pgvector", "lancedb"]]
    """opensearch; milvus: a server of that kind; pgvector: PostgreSQL with the extension; lancedb:
    a store in the data folder of the worker, without a server.
    """
    index_name: str
    """opensearch: lower case, no blanks, at most 255 bytes. milvus, pgvector and lancedb: letters,
    digits and underscore, under 255 characters (pgvector: at most 63).
    """
    writers: NotRequired[List[str]]
    """Users whose runs may also write into the index. Counts in runs of the owner of the index;
    without it, the grants stay as they are.
    """
    alias: NotRequired[str]
    """An alias that is switched to the index when the run has finished, so that you can rebuild an
    index under a new index_name without a gap.
    """
    synonyms: NotRequired[List[List[str]]]
    """opensearch: groups of texts that mean the same, such as [["tide gauge", "Pegel"]]; a search
    for one also finds the others in this index. Without it, those of the index stay as they are.
    """
    vector_dimension: NotRequired[int]
    """Must equal the dimension of the embeddings; default: that of the first batch."""
    embeddings_column: NotRequired[str]
    """The column with the vectors. Rows without a vector are indexed without one."""
    batch_size: NotRequired[int]
    """Records per request; a request is never larger than 5 MB."""
    available_features: NotRequired[Dict[str, VectordbConfigAvailableFeatures]]
    """Columns to write into `metadata` besides those that operators declare, with their types;
    `available_for_vector_db` false leaves a declared one out.
    """
    feature_mappings: NotRequired[Dict[str, str]]
    """Columns to write, each with its name below `metadata`, or `title`."""
    provider_config: NotRequired[VectordbConfigProviderConfig]


class StorageOperator(TypedDict):
    """Writes converted documents and rows to a folder, a bucket or a container, one file for each
    document and format, or rows to an index of Elasticsearch.
    """

    type: Literal["storage"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: StorageConfig


class StorageConfigConnectionParams(TypedDict):
    bucket: NotRequired[str]
    """s3, gcs: the bucket, which must exist."""
    prefix: NotRequired[str]
    """s3, azure, gcs: prefix of all names, such as `export/`."""
    endpoint_url: NotRequired[str]
    """s3, gcs: the address of the server; Amazon’s own of the region, or Google’s own, when absent.
    elasticsearch: the address, such as `https://search.example.org:9200`.
    """
    region: NotRequired[str]
    """s3: the region, default us-east-1."""
    access_key: NotRequired[str]
    """s3: the key id, as a reference such as `${connection:NAME.access_key}`."""
    secret_key: NotRequired[str]
    """s3: the secret key, as a reference such as `${connection:NAME.secret_key}`."""
    container_url: NotRequired[str]
    """azure: the address of the container, which must exist, such as
    `https://ACCOUNT.blob.core.windows.net/CONTAINER`.
    """
    account_name: NotRequired[str]
    """azure: the storage account, where the address does not begin with its name."""
    account_key: NotRequired[str]
    """azure: a key of the storage account, as a reference such as `${connection:NAME}`."""
    sas_token: NotRequired[str]
    """azure: a shared access signature with the permissions `r`, `c`, `w` and `d`, as a reference
    such as `${connection:NAME}`.
    """
    service_account_key: NotRequired[str]
    """gcs: the key file of a service account, the whole JSON as one text, as a reference such as
    `${connection:NAME}`.
    """
    index: NotRequired[str]
    """elasticsearch: the index. It is created when it is missing; an index of another program is
    refused.
    """
    alias: NotRequired[str]
    """elasticsearch: an alias that is switched to the index when the run has finished."""
    similarity: NotRequired[Literal["cosine", "dot_product", "l2_norm", "max_inner_product"]]
    """elasticsearch: how vectors are compared; cannot be changed later."""
    api_key: NotRequired[str]
    """elasticsearch: an encoded API key, as a reference such as `${connection:NAME}`."""
    username: NotRequired[str]
    """elasticsearch: the user, instead of `api_key`."""
    password: NotRequired[str]
    """elasticsearch: the password of the user, as a reference such as `${connection:NAME}`."""
    verify_certs: NotRequired[bool]
    """elasticsearch: false accepts any certificate of the server."""


class StorageConfig(TypedDict):
    """The configuration of storage."""

    destination: Literal["folder", "s3", "azure", "gcs", "elasticsearch"]
    """folder: a folder on the worker, below one of DOCLOOM_EXPORT_ROOTS; s3: a bucket of any S3
    server; azure: a container of Azure Blob Storage; gcs: a bucket of Google Cloud Storage;
    elasticsearch: an index of Elasticsearch, with one record for each row.
    """
    path: NotRequired[str]
    """folder: an absolute path. It is created when it is missing."""
    connection_params: NotRequired[StorageConfigConnectionParams]
    formats: NotRequired[List[Literal["md", "html", "json", "parquet", "jsonl", "csv"]]]
    """Needed, except for elasticsearch: what to write for each document. md, html and json are the
    converted document; parquet, jsonl and csv are its rows.
    """
    name_template: NotRequired[str]
    """The name of each file. Placeholders: {folder} the folders of the document within its source;
    {filename} its file name; {name} its file name without extension; {extension} the extension
    of its file name; {id} its id; {source} the source; {year} the year of its last change;
    {month} the month, 01 to 12; {day} the day, 01 to 31; {ext} the extension of the exported
    format, at the end; {metadata.NAME} a member of metadata.
    """
    columns: NotRequired[List[str]]
    """Columns of parquet, jsonl and csv. Default: all, without access lists and references to
    stored files.
    """
    audience: NotRequired[List[str]]
    """Who can read the destination: user names, groups as `g:SOURCE:ID`, `p:*` for everybody. Only
    documents that all of them may read are exported.
    """
    embeddings_column: NotRequired[str]
    """elasticsearch: the column with the vectors, default `embeddings`. Rows without a vector are
    written without one.
    """
    writers: NotRequired[List[str]]
    """elasticsearch: users whose runs may also write into the index. Counts in runs of the owner of
    the index; without it, the grants stay as they are.
    """


class DocumentSetOperator(TypedDict):
    """Stores rows in a document set, keyed by their ids."""

    type: Literal["document_set"]
    name: str
    """Unique within the flow."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""
    config: NotRequired[DocumentSetConfig]


class DocumentSetConfig(TypedDict):
    """The configuration of document_set."""

    document_set_name: NotRequired[str]
    """The set of the run owner with this name, created if it does not exist. Letters, digits,
    underscore, hyphen; fewer than 255 characters.
    """
    document_set_id: NotRequired[str]
    """An existing set of the run owner; takes precedence over the name."""
    description: NotRequired[Union[str, None]]
    """For a new set."""
    metadata: NotRequired[Dict[str, Any]]
    """For a new set."""
    readers: NotRequired[List[str]]
    """Users who may see a new set, in addition to the owner. Each row has its own access list."""
    retain_deleted_docs: NotRequired[bool]
    """Keep rows of documents that were removed from the source; default: `retain_deleted_docs` of
    global_config, else false.
    """
    data_backend: NotRequired[str]
    """Accepted for compatibility; rows are always stored as Parquet."""


class ElyraFlowCreate(TypedDict):
    name: str
    description: NotRequired[Union[str, None]]
    definition: NotRequired[Union[Dict[str, Any], None]]
    tags: NotRequired[Union[List[str], None]]
    readers: NotRequired[Union[List[str], None]]
    container_kind: NotRequired[Union[Literal["project", "space"], None]]
    container_id: NotRequired[Union[str, None]]
    is_hidden: NotRequired[bool]
    flow_version: NotRequired[str]
    job_id: NotRequired[Union[str, None]]


class Flow(TypedDict):
    flow_name: str
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    global_config: NotRequired[GlobalConfig]
    edges: NotRequired[List[FlowEdge]]
    tags: NotRequired[List[str]]
    project_id: NotRequired[Union[str, None]]
    flow: List[FlowOperator]
    """Empty only for a flow that was begun in the graphical editor."""
    flow_id: str
    """UUID in lower case."""
    owner: str
    readers: List[str]
    flow_source: Literal["api", "cli"]
    flow_version: str
    created_on: str
    modified_on: str
    created_by: str
    modified_by: str


class FlowOperator(TypedDict):
    type: str
    """The operator, as listed by /operators/metadata."""
    name: str
    """Unique within the flow."""
    config: NotRequired[Dict[str, Any]]
    """The configuration; its schema is the operator's."""
    depends_on: NotRequired[List[str]]
    """Names of the operators that provide its input rows."""


class ElyraFlow(TypedDict):
    flow_id: str
    name: str
    description: Union[str, None]
    definition: Dict[str, Any]
    """The pipeline document of the graphical editor, or an authoring flow."""
    tags: List[str]
    container_kind: Union[Literal["project", "space"], None]
    container_id: Union[str, None]
    is_hidden: bool
    flow_version: str
    created_on: str
    modified_on: str
    job_id: Union[str, None]
    created_by: str
    modified_by: str
    owner: str
    readers: List[str]
    href: str


class FlowPage(TypedDict):
    flows: List[Union[Flow, ElyraFlow]]
    """Each in the format it was stored in."""
    total_count: int
    offset: int
    limit: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class FlowReplace(TypedDict):
    flow_name: str
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    global_config: NotRequired[GlobalConfig]
    edges: NotRequired[List[FlowEdge]]
    tags: NotRequired[List[str]]
    project_id: NotRequired[Union[str, None]]
    flow: List[FlowOperatorInput]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""
    container_id: NotRequired[Union[str, None]]
    owner: NotRequired[str]


class FlowPatch(TypedDict):
    flow_name: NotRequired[str]
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    global_config: NotRequired[Union[Dict[str, Any], None]]
    flow: NotRequired[List[FlowOperatorInput]]
    edges: NotRequired[Union[List[FlowEdge], None]]
    tags: NotRequired[Union[List[str], None]]
    project_id: NotRequired[Union[str, None]]
    container_id: NotRequired[Union[str, None]]
    readers: NotRequired[Union[List[str], None]]
    owner: NotRequired[str]


class ElyraFlowPatch(TypedDict):
    name: NotRequired[str]
    description: NotRequired[Union[str, None]]
    definition: NotRequired[Union[Dict[str, Any], None]]
    tags: NotRequired[Union[List[str], None]]
    readers: NotRequired[Union[List[str], None]]
    container_kind: NotRequired[Union[Literal["project", "space"], None]]
    container_id: NotRequired[Union[str, None]]
    is_hidden: NotRequired[bool]
    flow_version: NotRequired[str]
    job_id: NotRequired[Union[str, None]]
    owner: NotRequired[str]


class Removal(TypedDict):
    removal_id: str
    kind: Literal["document", "flow"]
    state: Literal["WORKING", "DONE"]
    document_ids: List[str]
    """The documents to remove; for a flow, the first 100."""
    documents: int
    requested_by: str
    requested_at: str
    finished_at: Union[str, None]
    restored_at: Union[str, None]
    """The time since which runs may ingest the documents again."""
    places: List[RemovalPlace]


class RemovalPlace(TypedDict):
    place: Literal["indexes", "vector_stores", "exported_files", "document_sets", "tables", "kept_files", "graphs", "embedding_cache", "failed_documents", "runs", "library_files", "ledger"]
    removed: int
    """The number of removed records, rows or files."""
    state: Literal["done", "waiting", "kept"]
    """`waiting`: a worker tries it again every ten minutes. `kept`: you may not remove it."""
    note: Union[str, None]
    """Why it waits or was kept."""


class FlowsDeletedFailed(TypedDict):
    flow_id: str
    code: str
    error: str


class FlowsDeleted(TypedDict):
    deleted: List[str]
    failed: List[FlowsDeletedFailed]
    total_requested: int
    total_deleted: int
    total_failed: int


class FlowVersionPage(TypedDict):
    flow_id: str
    """UUID in lower case."""
    versions: List[FlowVersionItem]
    total_count: int
    offset: int
    limit: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class FlowVersionItem(TypedDict):
    version: int
    """Counts from 1."""
    saved_on: str
    saved_by: str
    changes: List[str]
    """Paths of the differences from the previous version; the first 20 of `total_changes`."""
    total_changes: int
    is_current: bool
    restored_from: NotRequired[int]
    """Set where an earlier version was restored."""


class FlowVersionContent(TypedDict):
    flow_name: str
    description: Union[str, None]
    global_config: Dict[str, Any]
    flow: List[FlowOperator]
    edges: List[FlowEdge]
    tags: List[str]
    flow_version: str
    """Version of the format."""
    definition: NotRequired[Dict[str, Any]]
    """The drawing of a flow in the format of the graphical editor."""


class FlowVersion(TypedDict):
    flow_id: str
    """UUID in lower case."""
    version: int
    """Counts from 1."""
    saved_on: str
    saved_by: str
    changes: List[str]
    """Paths of the differences from the previous version; the first 20 of `total_changes`."""
    total_changes: int
    is_current: bool
    restored_from: NotRequired[int]
    """Set where an earlier version was restored."""
    content: FlowVersionContent


class FlowVersionDifferenceDifferences(TypedDict):
    path: str
    """A JSON pointer that uses the names of operators, such as /flow/chunk/config/chunk_size."""
    kind: Literal["added", "removed", "changed"]
    before: NotRequired[Any]
    """Absent for added members, and for long values."""
    after: NotRequired[Any]
    """Absent for removed members, and for long values."""


class FlowVersionDifference(TypedDict):
    flow_id: str
    """UUID in lower case."""
    version: int
    """The requested version: `after` in each difference."""
    base_version: int
    """The version that it is compared with: `before` in each difference."""
    differences: List[FlowVersionDifferenceDifferences]
    """The first 500 of `total_differences`. Secrets are masked and never compared."""
    total_differences: int


class JobRunCreateEntityJobJobParameters(TypedDict):
    name: str
    value: Any


class JobRunCreateEntityJob(TypedDict):
    asset_ref: NotRequired[str]
    """The flow id."""
    asset_ref_type: NotRequired[str]
    name: NotRequired[Union[str, None]]
    description: NotRequired[Union[str, None]]
    configuration: NotRequired[Dict[str, str]]
    job_parameters: NotRequired[List[JobRunCreateEntityJobJobParameters]]
    """The same as members of configuration, which take precedence."""
    parameter_sets: NotRequired[List[Any]]
    """Ignored, with a warning."""


class JobRunCreateEntityJobRunConfiguration(TypedDict):
    """All other members override the global_config of the flow."""

    user_id: NotRequired[Union[str, None]]
    metadata: NotRequired[Dict[str, str]]


class JobRunCreateEntityJobRunJobParameters(TypedDict):
    name: str
    value: Any


class JobRunCreateEntityJobRun(TypedDict):
    name: NotRequired[Union[str, None]]
    description: NotRequired[Union[str, None]]
    configuration: NotRequired[JobRunCreateEntityJobRunConfiguration]
    """All other members override the global_config of the flow."""
    job_parameters: NotRequired[List[JobRunCreateEntityJobRunJobParameters]]
    """The same as members of configuration, which take precedence."""
    parameter_sets: NotRequired[List[Any]]
    """Ignored, with a warning."""


class JobRunCreateEntity(TypedDict):
    job: JobRunCreateEntityJob
    job_run: NotRequired[JobRunCreateEntityJobRun]


class JobRunCreateSample(TypedDict):
    """Tries the flow on its first documents, unchanged ones included: no index, set or ledger is
    written; the rows of each step can be looked at.
    """

    documents: int
    """How many documents to take, divided among the sources of the flow."""


class JobRunCreate(TypedDict):
    entity: NotRequired[JobRunCreateEntity]
    flow_id: NotRequired[str]
    job_id: NotRequired[str]
    """The same as flow_id."""
    flow_name: NotRequired[Union[str, None]]
    """Ignored."""
    flow_config: NotRequired[Dict[str, Any]]
    """The same as configuration."""
    configuration: NotRequired[Dict[str, Any]]
    metadata: NotRequired[Dict[str, str]]
    sample: NotRequired[JobRunCreateSample]
    """Tries the flow on its first documents, unchanged ones included: no index, set or ledger is
    written; the rows of each step can be looked at.
    """


class JobRunAccepted(TypedDict):
    job_run_id: str
    status: JobRunState
    message: str
    warnings: NotRequired[List[str]]
    """After a start: members of the flow or of the request that are ignored or are probably
    mistakes.
    """


JobRunState: TypeAlias = "Literal[\"QUEUED\", \"STARTING\", \"RUNNING\", \"CANCELING\", \"CANCELED\", \"FAILED\", \"CRASHED\", \"COMPLETED\", \"COMPLETED_WITH_ERRORS\", \"COMPLETED_WITH_WARNINGS\"]"


class JobRunList(TypedDict):
    list: List[JobRunItem]
    count: int
    total: int
    limit: int
    offset: int
    first: str
    """Address of the first page; it keeps the filters, as the others do."""
    next: Union[str, None]
    prev: Union[str, None]


class JobRunItemWaiting(TypedDict):
    operator: str
    code: str
    message: str
    since: str
    until: NotRequired[str]


class JobRunItemSample(TypedDict):
    """Set if the run only tries the flow on some documents."""

    documents: int


class JobRunItem(TypedDict):
    job_run_id: str
    job_id: str
    flow_id: str
    flow_name: str
    status: JobRunState
    message: str
    start_time: Union[int, None]
    """Seconds since 1970."""
    end_time: Union[int, None]
    """Seconds since 1970."""
    duration: Union[float, None]
    total_docs: int
    processed_docs: int
    completed_docs: int
    failed_docs: int
    skipped_docs: int
    orchestrator: str
    user_id: str
    created_at: str
    started_at: Union[str, None]
    ended_at: Union[str, None]
    waiting: NotRequired[List[JobRunItemWaiting]]
    """Only while operators wait for unavailable servers; the run ends at `until` if they stay
    unavailable.
    """
    sample: NotRequired[JobRunItemSample]
    """Set if the run only tries the flow on some documents."""


class JobRunTotals(TypedDict):
    documents: int
    completed: int
    failed: int
    skipped: int
    deleted: int
    pages: int
    withheld: NotRequired[int]
    """Documents withheld from the run, because somebody for whom it acts may not read them."""


class JobRunWaiting(TypedDict):
    operator: str
    code: str
    message: str
    since: str
    until: NotRequired[str]


class JobRunSample(TypedDict):
    """Set if the run only tries the flow on some documents."""

    documents: int


class JobRunJobStats(TypedDict):
    """For older clients. The same data is in totals, progress and operators."""

    job_id: str
    job_run_id: str
    flow_id: str
    status: JobRunState
    message: str
    start_time: Union[int, None]
    """Seconds since 1970."""
    end_time: Union[int, None]
    """Seconds since 1970."""
    duration: Union[float, None]
    total_docs: int
    processed_docs: int
    completed_docs: int
    failed_docs: int
    skipped_docs: int
    deleted_doc_count: int
    total_pages_processed: int
    orchestrator: str
    user_id: str
    node_stats: Dict[str, NodeStats]


class JobRunNodeMetadata(TypedDict):
    id: str
    operator: str
    node_metadata: Dict[str, Any]


class JobRun(TypedDict):
    job_run_id: str
    job_id: str
    flow_id: str
    flow_name: str
    status: JobRunState
    message: str
    project_id: Union[str, None]
    owner: str
    created_at: str
    started_at: Union[str, None]
    ended_at: Union[str, None]
    warnings: List[str]
    metadata: Dict[str, str]
    totals: JobRunTotals
    progress: RunProgress
    models: RunModels
    waiting: NotRequired[List[JobRunWaiting]]
    """Only while operators wait for unavailable servers; the run ends at `until` if they stay
    unavailable.
    """
    sample: NotRequired[JobRunSample]
    """Set if the run only tries the flow on some documents."""
    rerun_of: NotRequired[str]
    """The run that this one repeats, in whole or in part."""
    logs: NotRequired[Dict[str, str]]
    """With include_logs: lines per operator."""
    batches: NotRequired[List[BatchReport]]
    """With include_batches: the first 1,000 reports of parts."""
    operators: List[OperatorReport]
    temporal_ui: str
    """Address of the run's workflow in the Temporal UI."""
    node_sequence: List[str]
    """Names of operators; see operators."""
    job_stats: JobRunJobStats
    """For older clients. The same data is in totals, progress and operators."""
    node_metadata: List[JobRunNodeMetadata]
    """For older clients; see operators."""


class RunProgress(TypedDict):
    percent: Union[int, None]
    """Null until the sources are listed; 100 only when the run has completed."""
    documents_done: int
    documents_total: int
    """As far as the sources are listed."""
    documents_per_second: Union[float, None]
    seconds_elapsed: float
    seconds_remaining: Union[int, None]
    """An estimate from the rate so far."""


class RunModels(TypedDict):
    requests: int
    input_tokens: int
    output_tokens: int
    answers_from_cache: int
    """Answers served from the cache."""
    cost: float
    """At the prices of the flow; 0 without prices."""


BatchReport = TypedDict(
    "BatchReport",
    {
        "operator": "str",
        "part": "str",
        "in": "int",
        "out": "int",
        "failed": "int",
        "skipped": "int",
        "seconds": "float",
        "started_at": "str",
        "ended_at": "Union[str, None]",
    },
)


class OperatorReportPages(TypedDict):
    """Documents whose conversion takes more than a second, and how many of their pages are done."""

    documents: int
    done: int
    total: int


OperatorReport = TypedDict(
    "OperatorReport",
    {
        "name": "str",
        "type": "str",
        "documents": "float",
        "in": "int",
        "out": "int",
        "failed": "int",
        "skipped": "int",
        "seconds": "float",
        "parts": "int",
        "metrics": "Dict[str, float]",
        "started_at": "Union[str, None]",
        "ended_at": "Union[str, None]",
        "pages": "NotRequired[OperatorReportPages]",
    },
)


class NodeStats(TypedDict):
    node_id: str
    name: str
    operator: str
    node_status: str
    error: str
    start_time: Union[int, None]
    """Seconds since 1970."""
    end_time: Union[int, None]
    """Seconds since 1970."""
    duration: Union[float, None]
    time_taken: float
    """Seconds, summed over parts."""
    total_docs: int
    failed_docs: int
    skipped_docs: int
    docs_completed: int
    docs_completed_count: int
    node_metadata: Dict[str, float]
    batches: int


class JobRunControls(TypedDict):
    job_run_id: str
    is_paused: bool
    max_concurrent_batches: int
    """Batches that run at the same time."""


class JobRunConcurrency(TypedDict):
    max_concurrent_batches: int
    """Batches that run at the same time."""


class FlowSnapshot(TypedDict):
    job_run_id: str
    flow: FlowDefinition
    plan: Dict[str, Any]
    plan_hash: str


class FlowDefinition(TypedDict):
    flow_name: str
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    global_config: NotRequired[GlobalConfig]
    flow: List[FlowOperator]
    edges: NotRequired[List[FlowEdge]]
    tags: NotRequired[List[str]]
    project_id: NotRequired[Union[str, None]]


class RunDocumentPage(TypedDict):
    documents: List[RunDocument]
    total: int
    limit: int
    offset: int


class RunDocument(TypedDict):
    id: str
    name: str
    operator: str
    outcome: Literal["failed", "skipped"]
    code: str
    message: str
    failed_id: NotRequired[str]
    """For the routes of failed documents, which open it. Only if you may, and if no later run has
    succeeded with the document.
    """


class StepRowPage(TypedDict):
    job_run_id: str
    operator: str
    columns: List[str]
    """The columns of `rows`, in their order."""
    rows: List[Dict[str, Any]]
    limit: int
    offset: int
    has_more: bool
    """The next page begins at `offset` plus the number of rows. A page may contain fewer rows than
    `limit`.
    """


class RunEventTotals(TypedDict):
    documents: int
    completed: int
    failed: int
    skipped: int
    deleted: int
    pages: int
    withheld: NotRequired[int]
    """Documents withheld from the run, because somebody for whom it acts may not read them."""


class RunEventOperatorsPages(TypedDict):
    """Documents whose conversion takes more than a second, and how many of their pages are done."""

    documents: int
    done: int
    total: int


class RunEventOperators(TypedDict):
    name: str
    documents: float
    failed: int
    skipped: int
    pages: NotRequired[RunEventOperatorsPages]
    """Documents whose conversion takes more than a second, and how many of their pages are done."""


class RunEvent(TypedDict):
    job_run_id: str
    status: JobRunState
    message: str
    totals: RunEventTotals
    progress: RunProgress
    operators: List[RunEventOperators]


class RunLogPage(TypedDict):
    entries: List[RunLogEntry]
    next: Union[str, None]
    """Send it as `after` to continue; null when there are no further entries yet."""


RunLogEntryRows = TypedDict(
    "RunLogEntryRows",
    {
        "in": "int",
        "out": "int",
        "failed": "int",
        "skipped": "int",
    },
)


class RunLogEntry(TypedDict):
    time: str
    level: Literal["info", "warning", "error"]
    event: Literal["run_created", "run_started", "operator_started", "operator_finished", "warning", "document_failed", "document_processed", "document_finished", "run_ended"]
    """Operators report once per batch; `document_failed` names the operator, `document_finished` is
    the outcome of a document. `document_processed`, one per operator, only with `document_id`.
    """
    message: str
    operator: NotRequired[str]
    """Name of the operator in the flow."""
    batch: NotRequired[str]
    """The batch of documents that the operator worked on."""
    document_id: NotRequired[str]
    document_name: NotRequired[str]
    """Only for the owner of the run."""
    outcome: NotRequired[Literal["completed", "failed", "skipped"]]
    code: NotRequired[str]
    """A code of the error catalogue."""
    seconds: NotRequired[float]
    """Of an operator: its time for the batch. Of a document: its equal share of that time."""
    pages: NotRequired[int]
    rows: NotRequired[RunLogEntryRows]


class RunComparisonDocuments1AddedDocuments(TypedDict):
    document_id: str
    name: str


class RunComparisonDocuments1Added(TypedDict):
    """Only in this run."""

    total: int
    documents: List[RunComparisonDocuments1AddedDocuments]
    """At most `limit`. Names only for the owner of both runs."""


class RunComparisonDocuments1RemovedDocuments(TypedDict):
    document_id: str
    name: str


class RunComparisonDocuments1Removed(TypedDict):
    """Only in the base run."""

    total: int
    documents: List[RunComparisonDocuments1RemovedDocuments]
    """At most `limit`. Names only for the owner of both runs."""


class RunComparisonDocuments1ChangedDocuments(TypedDict):
    document_id: str
    name: str


class RunComparisonDocuments1Changed(TypedDict):
    """Processed in both runs: changed since the base run, or ingested again on request."""

    total: int
    documents: List[RunComparisonDocuments1ChangedDocuments]
    """At most `limit`. Names only for the owner of both runs."""


class RunComparisonDocuments1FailedDocuments(TypedDict):
    document_id: str
    name: str


class RunComparisonDocuments1Failed(TypedDict):
    """Failed in this run, and did not in the base run."""

    total: int
    documents: List[RunComparisonDocuments1FailedDocuments]
    """At most `limit`. Names only for the owner of both runs."""


class RunComparisonDocuments1RecoveredDocuments(TypedDict):
    document_id: str
    name: str


class RunComparisonDocuments1Recovered(TypedDict):
    """Failed in the base run, and did not in this run."""

    total: int
    documents: List[RunComparisonDocuments1RecoveredDocuments]
    """At most `limit`. Names only for the owner of both runs."""


class RunComparisonDocuments1(TypedDict):
    added: RunComparisonDocuments1Added
    """Only in this run."""
    removed: RunComparisonDocuments1Removed
    """Only in the base run."""
    changed: RunComparisonDocuments1Changed
    """Processed in both runs: changed since the base run, or ingested again on request."""
    failed: RunComparisonDocuments1Failed
    """Failed in this run, and did not in the base run."""
    recovered: RunComparisonDocuments1Recovered
    """Failed in the base run, and did not in this run."""


RunComparisonOperatorsRun1 = TypedDict(
    "RunComparisonOperatorsRun1",
    {
        "in": "int",
        "out": "int",
        "failed": "int",
        "skipped": "int",
        "seconds": "float",
    },
)


RunComparisonOperatorsBase1 = TypedDict(
    "RunComparisonOperatorsBase1",
    {
        "in": "int",
        "out": "int",
        "failed": "int",
        "skipped": "int",
        "seconds": "float",
    },
)


class RunComparisonOperators(TypedDict):
    name: str
    run: Union[RunComparisonOperatorsRun1, None]
    """Null where this run has no such operator."""
    base: Union[RunComparisonOperatorsBase1, None]
    """Null where the base run has no such operator."""


class RunComparison(TypedDict):
    job_run_id: str
    base_run_id: str
    """The run that it is compared with."""
    documents: Union[RunComparisonDocuments1, None]
    """Null where a run has more than 200,000 documents, and for members of the project who own
    neither run.
    """
    operators: List[RunComparisonOperators]


class JobRunRerun(TypedDict):
    mode: NotRequired[Literal["all", "failed", "operator"]]
    """`all` (default): every document from the source on. `failed`: the documents that failed.
    `operator`: from `from_operator` on, from its stored input tables.
    """
    from_operator: NotRequired[str]
    """The name of an operator of the flow; implies `operator`."""
    configuration: NotRequired[Dict[str, Any]]
    """Merged into the global_config of the earlier run. With `all`, force_ingest is true unless set
    here.
    """


class JobRunsBulk(TypedDict):
    action: Literal["cancel", "pause", "resume", "rerun", "retry", "delete"]
    job_run_ids: List[str]


class BulkReplyResults(TypedDict):
    id: str
    outcome: Literal["done", "refused"]
    code: NotRequired[str]
    """Why the item was rejected."""
    message: NotRequired[str]
    job_run_id: NotRequired[str]
    """The new run, where the action starts one."""


class BulkReply(TypedDict):
    results: List[BulkReplyResults]
    """One per item, in the order of the request."""
    done: int
    refused: int


class FailedDocumentPage(TypedDict):
    documents: List[FailedDocument]
    total: int
    limit: int
    offset: int


class FailedDocument(TypedDict):
    id: str
    """For the other routes of failed documents."""
    document_id: str
    name: str
    flow_id: str
    flow_name: str
    owner: str
    job_run_id: str
    """The run in which it failed last."""
    operator: str
    code: str
    message: str
    state: Literal["failed", "left_out", "ignored"]
    """`left_out` documents are skipped by runs until they change. Runs retry `ignored` ones; if one
    fails with another code, it is `failed` again.
    """
    first_failed_at: str
    failed_at: str


class FailedDocumentGroupsGroups(TypedDict):
    key: str
    name: str
    """For people: what the code means, or the name of the flow."""
    count: int


class FailedDocumentGroups(TypedDict):
    by: Literal["code", "operator", "flow_id"]
    groups: List[FailedDocumentGroupsGroups]
    total: int


class FailedDocumentChoice(TypedDict):
    ids: NotRequired[List[str]]
    code: NotRequired[str]
    operator: NotRequired[str]
    flow_id: NotRequired[str]


class FailedDocumentsRetriedRuns(TypedDict):
    job_run_id: str
    flow_name: str
    documents: int


class FailedDocumentsRetriedRefused(TypedDict):
    job_run_id: str
    documents: int
    code: str
    message: str


class FailedDocumentsRetried(TypedDict):
    runs: List[FailedDocumentsRetriedRuns]
    refused: List[FailedDocumentsRetriedRefused]


class FailedDocumentsIgnore(TypedDict):
    ids: NotRequired[List[str]]
    code: NotRequired[str]
    operator: NotRequired[str]
    flow_id: NotRequired[str]
    ignore: bool
    """False to list them as failed again."""


class FailedDocumentsChanged(TypedDict):
    changed: int


class FailedDocumentsLeave(TypedDict):
    ids: NotRequired[List[str]]
    code: NotRequired[str]
    operator: NotRequired[str]
    flow_id: NotRequired[str]
    leave_out: bool
    """True to skip them until they change, false to include them again."""


class FailedDocumentDetailNotShown1(TypedDict):
    code: str
    message: str


class FailedDocumentDetail(TypedDict):
    id: str
    """For the other routes of failed documents."""
    document_id: str
    name: str
    flow_id: str
    flow_name: str
    owner: str
    job_run_id: str
    """The run in which it failed last."""
    operator: str
    code: str
    message: str
    state: Literal["failed", "left_out", "ignored"]
    """`left_out` documents are skipped by runs until they change. Runs retry `ignored` ones; if one
    fails with another code, it is `failed` again.
    """
    first_failed_at: str
    failed_at: str
    meaning: str
    """What the code means."""
    forms: List[Literal["original", "markdown"]]
    """`markdown` if the document was converted before it failed."""
    page_count: Union[int, None]
    """Of PDF files and images; null if the pages cannot be shown."""
    not_shown: Union[FailedDocumentDetailNotShown1, None]
    """Why the pages of a PDF file or an image cannot be shown."""


class ReviewPage(TypedDict):
    reviews: List[Review]
    total: int
    limit: int
    offset: int


class ReviewDoubts(TypedDict):
    code: Literal["low_confidence", "pages_unread", "content_left_out", "recognition"]
    """`low_confidence`: pages below `review_below` of the operator; `pages_unread`: pages that
    could not be read; `content_left_out`: content of the file that is not in the text;
    `recognition`: text recognition reports a problem.
    """
    message: str
    pages: NotRequired[List[int]]


class Review(TypedDict):
    id: str
    """For the other routes of the review queue."""
    document_id: str
    name: str
    version: str
    """Identifies the content that the review is about."""
    flow_id: str
    flow_name: str
    owner: str
    job_run_id: str
    """The run that converted it last."""
    operator: str
    pages: int
    confidence: Union[float, None]
    """How sure the reader is of the whole document; null where it has no scores."""
    doubts: List[ReviewDoubts]
    state: Literal["open", "accepted", "corrected"]
    """`open` means that nobody has decided yet. A decision is valid until the content of the
    document changes.
    """
    found_at: str
    decided_at: Union[str, None]
    decided_by: Union[str, None]


class ReviewsAccept(TypedDict):
    ids: List[str]
    accept: NotRequired[bool]
    """False puts them back into the queue."""


class ReviewsChanged(TypedDict):
    changed: int


class ReviewCorrection(TypedDict):
    markdown: str
    """The whole document as Markdown."""
    version: str
    """The `version` of the review that was corrected; CONFLICT if the document has changed since."""


class ReviewCorrectedRefused1(TypedDict):
    code: str
    message: str


class ReviewCorrected(TypedDict):
    job_run_id: Union[str, None]
    refused: Union[ReviewCorrectedRefused1, None]
    """The correction is stored anyway, and the next run that reads the document applies it."""


class AccessSyncReply(TypedDict):
    items: List[AccessSync]


class AccessSyncCounts1(TypedDict):
    listed: int
    """Documents of the job that the source has."""
    changed: int
    """Documents whose access list was changed."""
    left_to_run: int
    """Of these, documents that have rows elsewhere than in OpenSearch, or rows made of several
    documents. The next run writes them; until then, rows elsewhere keep their earlier list, and
    rows of several documents gain no reader.
    """
    unknown: int
    """Documents whose rights could not be read. Their lists stay until they are closed for being
    too old.
    """


class AccessSyncError1(TypedDict):
    at: str
    code: str
    message: str


class AccessSync(TypedDict):
    job_id: str
    every_minutes: int
    """`access_sync_minutes` of the flow."""
    synced_at: str
    """Changes of rights before this moment count."""
    age_seconds: int
    is_fresh: bool
    """False if the lists are older than `every_minutes` and a minute."""
    closes_after_minutes: Union[int, None]
    """Nobody may read the documents when the lists are older; null with `when_access_stale: serve`."""
    is_closed: bool
    """True while nobody may read the documents, because the lists are too old."""
    counts: Union[AccessSyncCounts1, None]
    """Of the last sync; null if a run was the last."""
    error: Union[AccessSyncError1, None]
    """Why the last sync failed."""


class ScheduleCreate(TypedDict):
    cron: str
    """Five fields: minute, hour, day of month, month, day of week. `0 6 * * 1-5` is 06:00 on
    weekdays.
    """
    timezone: NotRequired[str]
    """A name of the IANA time zone database."""
    note: NotRequired[str]
    name: NotRequired[str]
    """The display name of the schedule; may be empty."""
    configuration: NotRequired[Dict[str, Any]]
    """Run parameters. They override the global_config."""


class ScheduleRecentRuns(TypedDict):
    scheduled_at: str
    started_at: str
    workflow_id: str


class Schedule(TypedDict):
    schedule_id: str
    flow_id: str
    owner: str
    cron: str
    timezone: str
    note: str
    name: str
    """The display name of the schedule; may be empty."""
    configuration: Dict[str, Any]
    created_at: str
    state: Literal["active", "paused", "missing"]
    """`missing`: the schedule no longer exists in Temporal and can only be deleted."""
    next_runs: List[str]
    """At most ten; none while paused."""
    recent_runs: List[ScheduleRecentRuns]
    skipped_runs: int
    """Scheduled times that were skipped because the previous run was not finished."""


class ScheduleList(TypedDict):
    schedules: List[Schedule]
    total: int
    limit: int
    offset: int


class SchedulePatch(TypedDict):
    cron: NotRequired[str]
    """Five fields: minute, hour, day of month, month, day of week. `0 6 * * 1-5` is 06:00 on
    weekdays.
    """
    timezone: NotRequired[str]
    """A name of the IANA time zone database."""
    note: NotRequired[str]
    name: NotRequired[str]
    """The display name of the schedule; may be empty."""


class SchedulesBulkSchedules(TypedDict):
    flow_id: str
    schedule_id: str


class SchedulesBulk(TypedDict):
    action: Literal["pause", "resume", "trigger", "delete"]
    schedules: List[SchedulesBulkSchedules]


OperatorCatalogue: TypeAlias = "Dict[str, OperatorMetadata]"


class OperatorMetadata(TypedDict):
    label: str
    category: str
    description: Union[str, None]
    scope: str
    """source, row or table."""
    features: Dict[str, OperatorProperty]
    """The columns that it adds."""
    required_features: List[str]
    """The columns that it needs."""
    attributes: Dict[str, OperatorProperty]
    """The members of its configuration."""
    config_schema: Dict[str, Any]


class OperatorProperty(TypedDict):
    type: str
    """string, int32, double, boolean, list, json, vector, timestamp, enum, …"""
    description: str
    required: bool
    default: Any
    available_for_filter: Union[bool, None]
    available_for_vector_db: Union[bool, None]


class AuditPage(TypedDict):
    items: List[AuditEntry]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class AuditEntry(TypedDict):
    entry_id: str
    at: str
    user: str
    """The login name; for a failed login, the name that was tried."""
    api_key: NotRequired[str]
    """Id of the API key of the request."""
    action: str
    """Method and path of the route, as in `POST /api/v1/job_runs`."""
    target: Dict[str, str]
    """Ids in the path, the body and the reply, by their names."""
    changed: List[str]
    """Names of the members that a change set; not their values."""
    outcome: str
    """`OK`, or the code of the error."""
    client_address: str
    trace: str
    """As in the log of the api and in error replies."""


class StorageReportFiles(TypedDict):
    kind: str
    """`tables` (rows of runs), `documents` (converted documents and originals), `sets`,
    `libraries`, `graphs` or `other`.
    """
    files: int
    bytes: int


class StorageReportIndexes1(TypedDict):
    name: str
    records: int
    bytes: int


class StorageReportFlows(TypedDict):
    flow_id: str
    flow_name: Union[str, None]
    project_id: Union[str, None]
    tables_bytes: int
    documents_bytes: int
    graphs_bytes: int
    bytes: int


class StorageReportProjects(TypedDict):
    project_id: str
    name: Union[str, None]
    bytes: int


class StorageReport(TypedDict):
    measured_at: str
    is_complete: bool
    """False when there are more files than could be counted in time; the figures of files are then
    too low.
    """
    database_bytes: Union[int, None]
    """Null if the server does not report it."""
    files: List[StorageReportFiles]
    """Files of the object store, by what they belong to."""
    indexes: Union[List[StorageReportIndexes1], None]
    """Indexes of the configured search server, the largest first; null when it cannot be reached."""
    flows: List[StorageReportFlows]
    """Files of runs and documents by flow, the largest first, at most 100. Removed flows have no
    name.
    """
    projects: List[StorageReportProjects]
    """The same by project, the largest first, at most 100; flows without a project are left out."""


class OverviewWaiting(TypedDict):
    job_run_id: str
    flow_name: str
    operator: str
    code: str
    message: str
    since: str


class OverviewSkippingSchedules1(TypedDict):
    flow_id: str
    flow_name: str
    schedule_id: str
    name: str
    """Of the schedule; empty when it has no name."""
    skipped_runs: int
    """Since it was created."""


class OverviewStaleAccess(TypedDict):
    flow_id: str
    flow_name: str
    age_seconds: int
    is_closed: bool
    """Nobody may read the documents, because the lists are too old."""
    code: Union[str, None]
    """Why the last sync failed."""


OverviewDayHours = TypedDict(
    "OverviewDayHours",
    {
        "from": "str",
        "documents_completed": "int",
    },
)


class OverviewDay(TypedDict):
    runs: int
    is_complete: bool
    """False when there were more than 500 runs; the newest are counted."""
    documents_completed: int
    documents_failed: int
    pages: int
    hours: List[OverviewDayHours]
    """Documents of runs by the hour in which the run ended, or of this hour while it is active."""


class OverviewModelsFlows(TypedDict):
    flow_id: str
    flow_name: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    """At the prices of the flows; 0 without prices."""


class OverviewModels(TypedDict):
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    """At the prices of the flows; 0 without prices."""
    flows: List[OverviewModelsFlows]
    """By flow, the most expensive first; at most 20."""


class Overview(TypedDict):
    since: str
    waiting: List[OverviewWaiting]
    """Runs that wait for an unavailable server, the newest 20."""
    skipping_schedules: Union[List[OverviewSkippingSchedules1], None]
    """Schedules that skipped runs because the previous run was not finished; null without Temporal."""
    stale_access: List[OverviewStaleAccess]
    """Flows that you may change whose access lists are older than their settings allow."""
    day: OverviewDay
    models: OverviewModels


class CodecPayloadsPayloads(TypedDict):
    metadata: NotRequired[Dict[str, str]]
    data: NotRequired[str]
    """Bytes in base64."""


class CodecPayloads(TypedDict):
    payloads: List[CodecPayloadsPayloads]
    """In the order in which they are answered."""


class ProviderModels(TypedDict):
    provider: str
    models: List[ProviderModel]


class ProviderModel(TypedDict):
    model_id: str
    description: Union[str, None]
    functions: List[str]
    """What it can do: embedding, text_generation, …"""
    embedding_dimension: Union[int, None]
    """The length of its vectors. Null if it returns none, or if its host does not report it."""


DocumentClasses: TypeAlias = "List[DocumentClass]"


class DocumentClassFieldsFields(TypedDict):
    name: str
    description: str
    examples: List[str]
    """Invented values, written as in documents."""
    extraction_instructions: NotRequired[str]
    available_options: NotRequired[List[str]]
    """The allowed values."""


class DocumentClassFields(TypedDict):
    name: str
    description: str
    examples: List[str]
    """Invented values, written as in documents."""
    extraction_instructions: NotRequired[str]
    available_options: NotRequired[List[str]]
    """The allowed values."""
    fields: NotRequired[List[DocumentClassFieldsFields]]
    """The fields of one entry."""


class DocumentClassTargetTablesColumnsSource1(TypedDict):
    field: List[str]
    """Names of fields, the outermost first."""


class DocumentClassTargetTablesColumnsSource2TransformArgumentsValue1(TypedDict):
    field: List[str]
    """Names of fields, the outermost first."""


class DocumentClassTargetTablesColumnsSource2TransformArguments(TypedDict):
    name: str
    value: Union[DocumentClassTargetTablesColumnsSource2TransformArgumentsValue1, str, float]


class DocumentClassTargetTablesColumnsSource2Transform(TypedDict):
    transform_name: Literal["currency_to_numeric", "make_date_uniform", "to_number", "weight_to_numeric"]
    arguments: List[DocumentClassTargetTablesColumnsSource2TransformArguments]


class DocumentClassTargetTablesColumnsSource2(TypedDict):
    transform: DocumentClassTargetTablesColumnsSource2Transform


class DocumentClassTargetTablesColumns(TypedDict):
    name: str
    type: Literal["string", "date", "decimal", "float", "long", "int", "boolean"]
    description: str
    source: Union[DocumentClassTargetTablesColumnsSource1, DocumentClassTargetTablesColumnsSource2]


class DocumentClassTargetTables(TypedDict):
    name: str
    columns: List[DocumentClassTargetTablesColumns]


class DocumentClass(TypedDict):
    document_type: str
    document_description: str
    fields: List[DocumentClassFields]
    target_tables: List[DocumentClassTargetTables]


class SourceCheckRequest(TypedDict):
    config: Dict[str, Any]
    """The configuration of `ingest_source`: `provider`, `connection_params`, `credentials`. Secrets
    may be references to your connections.
    """


class SourceCheck(TypedDict):
    provider: str
    usable: bool
    """False if a right is denied."""
    rights: List[SourceRight]


class SourceRight(TypedDict):
    right: Literal["reach", "sign_in", "list", "read", "access"]
    needs: str
    """What grants the right."""
    outcome: Literal["granted", "denied", "unknown"]
    """`unknown`: it could not be tried."""
    code: NotRequired[str]
    """The error code with which a run would fail."""
    message: str
    """Never names a document."""


class DestinationCheckRequest(TypedDict):
    config: Dict[str, Any]
    """The configuration of `storage`: `destination`, and `path` or `connection_params`. Secrets may
    be references to your connections.
    """


class DestinationCheck(TypedDict):
    destination: str
    usable: bool
    """False if a right is denied."""
    rights: List[DestinationRight]


class DestinationRight(TypedDict):
    right: Literal["reach", "sign_in", "write", "read", "remove"]
    needs: str
    """What grants the right."""
    outcome: Literal["granted", "denied", "unknown"]
    """`unknown`: it could not be tried."""
    code: NotRequired[str]
    """The error code with which a run would fail."""
    message: str
    """Contains neither secrets nor what the server holds."""


class FlowDraft(TypedDict):
    flow_name: str
    """The job id of a command-line run is derived from it."""
    description: NotRequired[Union[str, None]]
    edges: NotRequired[List[FlowEdge]]
    tags: NotRequired[List[str]]
    project_id: NotRequired[Union[str, None]]
    flow: List[FlowOperatorInput]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""
    container_id: NotRequired[Union[str, None]]
    global_config: NotRequired[Dict[str, Any]]


class ValidationReply(TypedDict):
    status: Literal["SUCCEEDED", "FAILED", "SUCCEEDED_WITH_WARNINGS"]
    message: Union[str, None]
    errors: List[FlowAlert]
    warnings: List[FlowAlert]


class FlowAlert(TypedDict):
    code: str
    message: str
    message_code: Union[str, None]
    node_id: Union[str, None]
    node_name: Union[str, None]
    operator: Union[str, None]
    pointer: NotRequired[str]
    """JSON pointer into the flow."""


class ConnectionCreate(TypedDict):
    name: str
    """Flows refer to it as `${connection:NAME}`. Unique among your own connections, and among the
    shared ones.
    """
    type: Literal["model", "conversion", "web", "s3", "sftp", "azure", "gcs", "imap", "smb", "sharepoint", "google_drive", "confluence", "opensearch", "elasticsearch", "milvus", "postgresql", "custom"]
    """The kind of server that receives the secret: `model` (language, embedding and vision models),
    `conversion` (remote conversion services), `web` (web, WebDAV and git sources), `s3` (buckets
    of sources and exports), `sftp` (SSH servers of sources), `imap` (mail servers of sources),
    `smb` (file servers of sources), `azure` and `gcs` (Azure Blob Storage and Google Cloud
    Storage, of sources and exports), `sharepoint`, `google_drive` and `confluence` (online
    sources), `opensearch`, `elasticsearch` (exports), `milvus`, `postgresql`, `custom` (custom
    operators). Cannot be changed.
    """
    hosts: List[str]
    """Where the secret may go: `host`, `host:port` or `*.domain`; `operator:NAME` for custom
    operators. An entry without a port allows every port.
    """
    secret: Union[str, Dict[str, str]]
    """Never returned. A single text, or several named members, which flows reference as
    `${connection:NAME.MEMBER}`.
    """
    shared: NotRequired[bool]
    """For administrators: a connection for `users` and `groups` instead of its owner alone."""
    users: NotRequired[List[str]]
    """Login names of users who may use it; `*` for every user. For shared connections."""
    groups: NotRequired[List[str]]
    """Groups whose members may use it. For shared connections."""


class Connection(TypedDict):
    connection_id: str
    name: str
    type: Literal["model", "conversion", "web", "s3", "sftp", "azure", "gcs", "imap", "smb", "sharepoint", "google_drive", "confluence", "opensearch", "elasticsearch", "milvus", "postgresql", "custom"]
    """The kind of server that receives the secret: `model` (language, embedding and vision models),
    `conversion` (remote conversion services), `web` (web, WebDAV and git sources), `s3` (buckets
    of sources and exports), `sftp` (SSH servers of sources), `imap` (mail servers of sources),
    `smb` (file servers of sources), `azure` and `gcs` (Azure Blob Storage and Google Cloud
    Storage, of sources and exports), `sharepoint`, `google_drive` and `confluence` (online
    sources), `opensearch`, `elasticsearch` (exports), `milvus`, `postgresql`, `custom` (custom
    operators). Cannot be changed.
    """
    hosts: List[str]
    owner: str
    shared: bool
    users: List[str]
    """Empty unless you may change the connection."""
    groups: List[str]
    """Empty unless you may change the connection."""
    has_secret: bool
    """False after the hosts were changed without giving the secret again."""
    created_at: str
    updated_at: str


class ConnectionPage(TypedDict):
    items: List[Connection]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class ConnectionPatch(TypedDict):
    name: NotRequired[str]
    """Flows refer to it as `${connection:NAME}`. Unique among your own connections, and among the
    shared ones.
    """
    hosts: NotRequired[List[str]]
    """Where the secret may go: `host`, `host:port` or `*.domain`; `operator:NAME` for custom
    operators. An entry without a port allows every port.
    """
    secret: NotRequired[Union[str, Dict[str, str]]]
    """Never returned. A single text, or several named members, which flows reference as
    `${connection:NAME.MEMBER}`.
    """
    users: NotRequired[List[str]]
    """Login names of users who may use it; `*` for every user. For shared connections."""
    groups: NotRequired[List[str]]
    """Groups whose members may use it. For shared connections."""


class ConnectionCheck(TypedDict):
    usable: bool
    """False if anything is denied."""
    secret: ConnectionAnswer
    hosts: List[ConnectionHostCheck]
    sources: List[ConnectionSourceCheck]
    """The sources of your own flows that use the connection, up to five: each right that they need."""
    unchecked_sources: int
    """Further sources that use it."""
    destinations: List[ConnectionDestinationCheck]
    """The destinations of your own flows that use the connection, up to five: each right that they
    need.
    """
    unchecked_destinations: int
    """Further destinations that use it."""


class ConnectionAnswer(TypedDict):
    outcome: Literal["granted", "denied", "unknown"]
    """`unknown`: it could not be tried."""
    code: NotRequired[str]
    """The error code with which a run would fail."""
    message: str
    """Contains neither the secret nor addresses of servers."""


class ConnectionHostCheck(TypedDict):
    host: str
    outcome: Literal["granted", "denied", "unknown"]
    """`unknown`: it could not be tried."""
    code: NotRequired[str]
    """The error code with which a run would fail."""
    message: str
    """Contains neither the secret nor addresses of servers."""


class ConnectionSourceCheck(TypedDict):
    flow_id: str
    flow_name: str
    operator: str
    provider: str
    usable: bool
    """False if a right is denied, or if nothing can be checked."""
    code: NotRequired[str]
    """Why nothing can be checked."""
    message: NotRequired[str]
    rights: List[SourceRight]


class ConnectionDestinationCheck(TypedDict):
    flow_id: str
    flow_name: str
    operator: str
    destination: str
    usable: bool
    """False if a right is denied, or if nothing can be checked."""
    code: NotRequired[str]
    """Why nothing can be checked."""
    message: NotRequired[str]
    rights: List[DestinationRight]


class IdentityMapPage(TypedDict):
    items: List[IdentityMap]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class IdentityMapPairs(TypedDict):
    account: str
    login: Union[str, None]
    """null: nobody, whatever the rules say."""


class IdentityMapSyncError1(TypedDict):
    at: str
    code: str
    message: str


class IdentityMapSync(TypedDict):
    synced_at: Union[str, None]
    """When accounts and groups were last read."""
    age_seconds: Union[int, None]
    is_fresh: bool
    """False if they are older than `sync_minutes` and a minute."""
    is_closed: bool
    """True while nobody has an account, because the last sync is too old."""
    error: Union[IdentityMapSyncError1, None]
    """Why the last sync failed."""
    mapped: int
    unmapped: int
    """Accounts without a login; they give access to nobody."""
    ambiguous: int
    """Accounts that share a login or a mail address by rule; they give access to nobody. A pair
    decides.
    """
    groups: int


class IdentityMap(TypedDict):
    map_id: str
    places: List[str]
    """Where the rights of the source decide, for every flow: folders of the worker, such as
    `file:/srv/share`; folders of Windows shares, such as `smb://files.acme.example/docs` with
    the host as flows name it; `sharepoint://graph.microsoft.com/TENANT_ID`,
    `google-drive://www.googleapis.com` and `confluence://acme.atlassian.net`, each also with a
    drive or space; mail servers, such as `imap://mail.acme.example`, also with a folder. The
    innermost place counts.
    """
    directory: NotRequired[Literal["given", "system", "source", "ldap"]]
    """`given`: the accounts and groups of this map. `system`: those of the machine of the worker
    (`getent`). `source`: those of the service that `source` names. `ldap`: those of the LDAP
    directory of the logins. Accounts and groups of the map add to the last two.
    """
    source: NotRequired[ServiceDirectory]
    ldap: NotRequired[LdapDirectory]
    match: NotRequired[List[MatchRule]]
    """The first rule that gives a login decides. Pairs take precedence."""
    pairs: NotRequired[List[IdentityMapPairs]]
    """Exceptions: the login of single accounts."""
    acl: NotRequired[Literal["getfacl", "none"]]
    """How access control lists of files are read: with the program `getfacl` of the worker, or
    `none` if the places have no such lists.
    """
    sync_minutes: NotRequired[int]
    """How old accounts and groups may be: they are read again after this time."""
    max_staleness_minutes: NotRequired[int]
    """After this time without a successful sync, `when_stale` applies."""
    when_stale: NotRequired[Literal["deny", "serve"]]
    """`deny`: nobody has an account of this map until a sync succeeds. `serve`: the last known
    accounts count.
    """
    updated_at: str
    updated_by: str
    sync: IdentityMapSync


class ServiceDirectoryConnectionParams(TypedDict):
    tenant_id: NotRequired[str]
    """sharepoint: the tenant."""
    client_id: NotRequired[str]
    """sharepoint: the application that signs in."""
    sites: NotRequired[List[str]]
    """sharepoint: addresses of sites whose groups are read too, such as
    `https://contoso.sharepoint.com/sites/legal`. SharePoint accepts only a certificate or a
    refresh token for that, not a secret.
    """
    subject: NotRequired[str]
    """google_drive: an administrator of the directory, for whom the service account acts."""
    site_url: NotRequired[str]
    """confluence: the address of the site."""
    endpoint_url: NotRequired[str]
    """sharepoint, google_drive: the address of the server, when it is not the usual one."""
    login_url: NotRequired[str]
    """sharepoint: the sign-in server of a national cloud."""


class ServiceDirectoryCredentials(TypedDict):
    client_secret: NotRequired[str]
    """sharepoint: the secret of the application. A reference such as `${connection:NAME}`."""
    certificate: NotRequired[str]
    """sharepoint: instead of the secret, a certificate with its RSA key, in PEM. A reference such
    as `${connection:NAME}`.
    """
    refresh_token: NotRequired[str]
    """sharepoint: a refresh token. A reference such as `${connection:NAME}`."""
    service_account_key: NotRequired[str]
    """google_drive: the key file of the service account. A reference such as `${connection:NAME}`."""
    username: NotRequired[str]
    """confluence: the mail address of the account."""
    token: NotRequired[str]
    """confluence: the API token of the account. A reference such as `${connection:NAME}`."""


class ServiceDirectory(TypedDict):
    """For `directory: source`. Connections are those that the administrator who wrote the map may
    use: own ones, and shared ones for their name or for everybody.
    """

    provider: Literal["sharepoint", "google_drive", "confluence"]
    connection_params: ServiceDirectoryConnectionParams
    credentials: ServiceDirectoryCredentials


class LdapDirectory(TypedDict):
    """For `directory: ldap`. The directory is that of the logins (LDAP_SERVER, LDAP_BIND_DN)."""

    ids: Literal["sid", "number", "name"]
    """`sid`: security identifiers of an Active Directory, as Windows shares have them. `number`:
    user and group numbers (`uidNumber`, `gidNumber`), as files have them. `name`: `uid` or
    `sAMAccountName`, and `cn` of groups.
    """


MatchRule: TypeAlias = "Union[NameRule, MailRule]"


class NameRule(TypedDict):
    by: Literal["name"]
    """The login has the name of the account."""
    prefix: NotRequired[str]
    """Precedes the login in the name, such as `ACME\\\\`. Accounts without it do not match."""
    suffix: NotRequired[str]
    """Follows the login in the name, such as `@acme.example`. Accounts without it do not match."""
    lower_case: NotRequired[bool]
    """The login is the name in lower case."""


class MailRule(TypedDict):
    by: Literal["mail"]
    """The login has the mail address of the account. Addresses of logins count if the directory has
    them or the provider has verified them.
    """


class IdentityMapInputPairs(TypedDict):
    account: str
    login: Union[str, None]
    """null: nobody, whatever the rules say."""


class IdentityMapInput(TypedDict):
    places: List[str]
    """Where the rights of the source decide, for every flow: folders of the worker, such as
    `file:/srv/share`; folders of Windows shares, such as `smb://files.acme.example/docs` with
    the host as flows name it; `sharepoint://graph.microsoft.com/TENANT_ID`,
    `google-drive://www.googleapis.com` and `confluence://acme.atlassian.net`, each also with a
    drive or space; mail servers, such as `imap://mail.acme.example`, also with a folder. The
    innermost place counts.
    """
    directory: NotRequired[Literal["given", "system", "source", "ldap"]]
    """`given`: the accounts and groups of this map. `system`: those of the machine of the worker
    (`getent`). `source`: those of the service that `source` names. `ldap`: those of the LDAP
    directory of the logins. Accounts and groups of the map add to the last two.
    """
    source: NotRequired[ServiceDirectory]
    ldap: NotRequired[LdapDirectory]
    match: NotRequired[List[MatchRule]]
    """The first rule that gives a login decides. Pairs take precedence."""
    pairs: NotRequired[List[IdentityMapInputPairs]]
    """Exceptions: the login of single accounts."""
    acl: NotRequired[Literal["getfacl", "none"]]
    """How access control lists of files are read: with the program `getfacl` of the worker, or
    `none` if the places have no such lists.
    """
    sync_minutes: NotRequired[int]
    """How old accounts and groups may be: they are read again after this time."""
    max_staleness_minutes: NotRequired[int]
    """After this time without a successful sync, `when_stale` applies."""
    when_stale: NotRequired[Literal["deny", "serve"]]
    """`deny`: nobody has an account of this map until a sync succeeds. `serve`: the last known
    accounts count.
    """
    accounts: NotRequired[List[SourceAccount]]
    groups: NotRequired[List[SourceGroup]]


class SourceAccount(TypedDict):
    id: str
    name: NotRequired[str]
    mail: NotRequired[str]


class SourceGroup(TypedDict):
    id: str
    name: NotRequired[str]
    members: NotRequired[List[str]]
    """Ids of accounts."""
    groups: NotRequired[List[str]]
    """Ids of groups whose members are members of this one, too."""


class IdentityPage(TypedDict):
    items: List[Identity]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class Identity(TypedDict):
    account: str
    name: Union[str, None]
    mail: Union[str, None]
    state: Literal["mapped", "unmapped", "ambiguous"]
    login: Union[str, None]
    by: Union[Literal["pair", "name", "mail"], None]
    groups: List[str]
    """Ids of its groups, with those that contain them."""


class DocumentLibraryCreate(TypedDict):
    name: str
    """Begins with a letter; letters, digits, underscore, hyphen and blanks. Unique among your
    libraries.
    """
    description: NotRequired[Union[str, None]]
    purpose: NotRequired[Union[str, None]]
    original_size: NotRequired[Union[int, None]]
    final_size: NotRequired[Union[int, None]]
    tags: NotRequired[List[str]]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""


class DocumentLibrary(TypedDict):
    library_id: str
    """UUID in lower case."""
    name: str
    description: Union[str, None]
    purpose: Union[str, None]
    original_size: Union[int, None]
    final_size: Union[int, None]
    tags: List[str]
    owner: str
    readers: List[str]
    document_set_count: int
    """Linked sets that you may see."""
    created_by: str
    href: str
    created_at: str
    updated_at: str


class DocumentLibraryPage(TypedDict):
    items: List[DocumentLibrary]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class DocumentLibraryPatch(TypedDict):
    name: NotRequired[str]
    """Begins with a letter; letters, digits, underscore, hyphen and blanks. Unique among your
    libraries.
    """
    description: NotRequired[Union[str, None]]
    purpose: NotRequired[Union[str, None]]
    original_size: NotRequired[Union[int, None]]
    final_size: NotRequired[Union[int, None]]
    tags: NotRequired[List[str]]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""


class LibraryDocumentSetIds(TypedDict):
    document_set_ids: NotRequired[List[str]]


class LibraryDocumentSetPage(TypedDict):
    document_sets: List[LibraryDocumentSet]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class LibraryDocumentSetDocuments(TypedDict):
    size: int
    count: int


class LibraryDocumentSet(TypedDict):
    id: str
    name: str
    container_id: Union[str, None]
    container_type: Union[str, None]
    description: Union[str, None]
    documents: LibraryDocumentSetDocuments
    tags: List[str]
    propagate_source_acls: Union[bool, None]
    is_derivative_available: Union[bool, None]


class UploadCreate(TypedDict):
    name: str
    """Name of the file, without a folder; at most 255 bytes. A file with this name is replaced."""
    size: int
    """Bytes of the whole file."""
    sha256: str
    """SHA-256, hexadecimal in lower case."""


class Upload(TypedDict):
    """With `state` complete the library has this very file, and `file` is it."""

    upload_id: str
    """Id of the upload: a UUID in lower case."""
    library_id: str
    name: str
    size: int
    sha256: str
    """SHA-256, hexadecimal in lower case."""
    state: Literal["open", "complete"]
    part_size: int
    """Bytes of each part but the last, which has the rest."""
    part_count: int
    missing_parts: List[int]
    """Numbers of the parts that have not arrived, from 1; send only these to resume."""
    expires_at: str
    """When it is removed unless another part arrives."""
    file: NotRequired[LibraryFile]


class LibraryFile(TypedDict):
    file_id: str
    """Id of the file: a UUID in lower case."""
    library_id: str
    name: str
    size: int
    sha256: str
    """SHA-256, hexadecimal in lower case."""
    mimetype: str
    """By the extension of the name."""
    uploaded_by: str
    created_at: str
    updated_at: str
    """When the present content was uploaded."""


class LibraryFilePage(TypedDict):
    items: List[LibraryFile]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class DocumentSetCreate(TypedDict):
    name: str
    """Letters, digits, underscore and hyphen; under 255 characters. Unique among your sets."""
    description: NotRequired[Union[str, None]]
    metadata: NotRequired[Union[Dict[str, Any], None]]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""
    retain_deleted_docs: NotRequired[Union[bool, None]]
    """Whether the rows of documents that are gone from their source are kept. With null (the
    default), `global_config` of the flow decides. `retain_deleted_docs` of the writing operator
    takes precedence.
    """


class DocumentSet(TypedDict):
    id: str
    """UUID in lower case."""
    name: str
    description: Union[str, None]
    owner: str
    readers: List[str]
    metadata: Dict[str, Any]
    retain_deleted_docs: Union[bool, None]
    """Whether the rows of documents that are gone from their source are kept. With null (the
    default), `global_config` of the flow decides. `retain_deleted_docs` of the writing operator
    takes precedence.
    """
    storage_backend: str
    """Storage format of the rows: parquet."""
    database_path: str
    """Prefix of the row files in the object store."""
    table_name: str
    total_documents: int
    """Number of documents with rows that you may read. Chunks of one document count once."""
    total_rows: int
    """Rows that you may read."""
    total_size_bytes: int
    total_pages: int
    created_at: str
    updated_at: str


class DocumentSetPage(TypedDict):
    items: List[DocumentSet]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class DocumentSetPatch(TypedDict):
    description: NotRequired[Union[str, None]]
    """At most 2,000 characters; null clears it."""
    metadata: NotRequired[Union[Dict[str, Any], None]]
    """Replaces the stored value. {} clears it, null keeps it."""
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""
    retain_deleted_docs: NotRequired[Union[bool, None]]
    """Whether the rows of documents that are gone from their source are kept. With null (the
    default), `global_config` of the flow decides. `retain_deleted_docs` of the writing operator
    takes precedence.
    """


class DocumentSetPreview(TypedDict):
    columns: List[str]
    """The columns of `data`, in their order."""
    data: List[Dict[str, Any]]
    total_rows: int
    limit: int
    offset: int
    has_more: bool


class DocumentSetsBulk(TypedDict):
    action: Literal["delete", "share"]
    set_ids: List[str]
    readers: NotRequired[List[str]]
    """User names of people who may read it, in addition to the owner."""


class SuggestReplySuggestions(TypedDict):
    text: str
    kind: Literal["title", "words"]
    """`title`: the title of a record; `words`: what was typed, its last word complete."""


class SuggestReply(TypedDict):
    suggestions: List[SuggestReplySuggestions]


class DocumentResponseProvenanceBoxes(TypedDict):
    page: float
    bbox: List[float]
    """Left, top, right, bottom in points from the top left of the page."""


class DocumentResponseProvenance(TypedDict):
    """Position within its document, as far as it is indexed. Only in searches with `provenance`."""

    document_id: NotRequired[str]
    """The document that the chunk belongs to."""
    pages: List[float]
    boxes: List[DocumentResponseProvenanceBoxes]


class DocumentResponseGroup(TypedDict):
    """The document that the record represents. Only in searches with `group`."""

    document_id: str
    records: int
    """Number of matching records of the document."""


class DocumentResponseFactsNodes(TypedDict):
    id: str
    label: str
    """Its class."""
    title: NotRequired[str]
    """Its name or title, else its first text."""


class DocumentResponseFacts(TypedDict):
    graph_id: str
    passage: str
    nodes: List[DocumentResponseFactsNodes]


class DocumentResponseExplanationWords(TypedDict):
    field: str
    terms: List[str]


class DocumentResponseExplanationRanks(TypedDict):
    """Positions in the rankings, from 1. Only in the modes `vector` and `hybrid`."""

    words: NotRequired[int]
    vectors: NotRequired[int]


class DocumentResponseExplanation(TypedDict):
    """Why it was found. Only in searches with `explain`."""

    words: NotRequired[List[DocumentResponseExplanationWords]]
    """Matching words of the query in each field, as they are indexed."""
    ranks: NotRequired[DocumentResponseExplanationRanks]
    """Positions in the rankings, from 1. Only in the modes `vector` and `hybrid`."""
    similarity: NotRequired[float]
    """The score of its vector; higher means nearer."""
    rerank_score: NotRequired[float]
    """The score of the model; higher fits better. Only in searches with `rerank`."""


class DocumentResponseNeighbours(TypedDict):
    """Adjacent records that you may read, in order. Only in searches with `expand`."""

    before: List[Neighbour]
    after: List[Neighbour]


class DocumentResponse(TypedDict):
    id: str
    content: str
    title: str
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str
    highlights: NotRequired[Dict[str, List[str]]]
    """Passages by field, HTML-escaped, with the matching words in `<em>`. Only in searches with
    `highlight`.
    """
    provenance: NotRequired[DocumentResponseProvenance]
    """Position within its document, as far as it is indexed. Only in searches with `provenance`."""
    group: NotRequired[DocumentResponseGroup]
    """The document that the record represents. Only in searches with `group`."""
    forms: NotRequired[List[Literal["chunks", "json", "markdown", "original"]]]
    """The subpaths at which you may read the document. Only for ids of documents."""
    facts: NotRequired[List[DocumentResponseFacts]]
    """Facts near the query that the record supports: the passage and the nodes that it is about.
    Only in the mode `graph`.
    """
    explanation: NotRequired[DocumentResponseExplanation]
    """Why it was found. Only in searches with `explain`."""
    neighbours: NotRequired[DocumentResponseNeighbours]
    """Adjacent records that you may read, in order. Only in searches with `expand`."""


class Neighbour(TypedDict):
    id: str
    content: str
    chunk_index: int


class DocumentFactsSets(TypedDict):
    set_id: str
    name: str
    owner: str
    total_rows: int
    rows: List[Dict[str, Any]]
    """The first 20 rows of the document, without vectors."""


class DocumentFactsGraphs(TypedDict):
    graph_id: str
    name: Union[str, None]
    """Of a graph of a corpus, else null."""
    template: str
    """Name of the root of the template."""
    state: Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELED"]
    created_at: str


class DocumentFacts(TypedDict):
    document_id: str
    sets: List[DocumentFactsSets]
    """The first 20 document sets with rows of the document."""
    graphs: List[DocumentFactsGraphs]
    """The newest 20 graphs of the document, and of corpora that contain it: yours and those shared
    with you.
    """


class SearchResponseFacetsValues(TypedDict):
    value: str
    count: int


class SearchResponseFacets(TypedDict):
    field: str
    values: List[SearchResponseFacetsValues]
    other: int
    """Records with values that are not listed."""


class SearchResponse(TypedDict):
    documents: List[DocumentResponse]
    total: int
    limit: int
    offset: int
    has_more: bool
    facets: NotRequired[List[SearchResponseFacets]]
    """Counts in the order of the request. In the modes `vector` and `hybrid`, only ranked records
    are counted.
    """
    warnings: NotRequired[List[str]]
    """Indexes that a vector search left out, with the reason, and models that do not know the
    language of the query. Absent if there are none.
    """


class SearchRequest(TypedDict):
    query: NotRequired[Union[str, None]]
    """Full text over content, title and metadata."""
    filters: NotRequired[Union[Dict[str, Union[Union[str, float, bool], List[Union[str, float, bool]], FilterCondition]], None]]
    """Field to a value, to an array of values of which one must match, or to conditions such as
    `{"gte": "2025-01-01"}`.
    """
    sort: NotRequired[Union[List[Dict[str, Literal["asc", "desc"]]], None]]
    """Fields with their direction, by precedence."""
    limit: NotRequired[int]
    offset: NotRequired[int]
    """Pages end at 100,000; in all modes but text at 1,000."""
    store: NotRequired[Literal["opensearch", "pgvector"]]
    """Where to search. `pgvector`: the tables that vectordb wrote to the PostgreSQL of
    DOCLOOM_SEARCH_POSTGRES, under the same access rule.
    """
    mode: NotRequired[Literal["text", "vector", "hybrid", "graph"]]
    """`text` finds words; `vector` finds the records whose vectors are nearest to the query;
    `hybrid` does both and adds the scores (except of `hashing` vectors). `graph` is `hybrid`
    with the passages behind the nearest facts of `graph`: it finds documents that share no word
    with the query. All but `text` need a query and accept no sort; their `total` counts the
    ranked records: at most 1,000 by words, and 1,000 by vectors (200 in the mode `hybrid`).
    """
    graph: NotRequired[Union[str, List[str]]]
    """Graphs that you may query, for the mode `graph`. Only facts that you may see count."""
    embedding: NotRequired[QueryEmbedding]
    index: NotRequired[Union[str, List[str]]]
    """Only records of these indexes, by name or alias."""
    flow: NotRequired[Union[str, List[str]]]
    """Only records that runs of these flows wrote; you must see the flows."""
    project: NotRequired[Union[str, List[str]]]
    """Only records that flows of these projects wrote; you must see the projects."""
    document_set: NotRequired[Union[str, List[str]]]
    """Only documents that you may read in these document sets; you must see the sets."""
    like: NotRequired[str]
    """The id of a record. Finds similar records of other documents. Used instead of `query`, in all
    modes but `graph`.
    """
    group: NotRequired[bool]
    """Each document once, by its best record. limit and offset count documents, `total` counts
    records.
    """
    expand: NotRequired[int]
    """Adds `neighbours`: this many records before and after each hit in its document."""
    facets: NotRequired[List[Union[str, FacetRequest]]]
    """Fields whose values are counted over all matching records that you may read."""
    boost: NotRequired[SearchBoost]
    rerank: NotRequired[bool]
    """Orders the first 50 hits by a model of the server (`DOCLOOM_RERANK_MODEL`), which reads the
    query with each hit. Pages end at 50.
    """
    explain: NotRequired[bool]
    """Adds `explanation` to each document: why it was found."""
    highlight: NotRequired[bool]
    """Adds `highlights` to each document."""
    provenance: NotRequired[bool]
    """Adds `provenance` to each document."""


FilterCondition = TypedDict(
    "FilterCondition",
    {
        "gt": "NotRequired[Union[str, float]]",
        "gte": "NotRequired[Union[str, float]]",
        "lt": "NotRequired[Union[str, float]]",
        "lte": "NotRequired[Union[str, float]]",
        "prefix": "NotRequired[str]",
        "phrase": "NotRequired[str]",
        "not": "NotRequired[Union[Union[str, float, bool], List[Union[str, float, bool]]]]",
        "exists": "NotRequired[bool]",
    },
)


class QueryEmbedding(TypedDict):
    type: Literal["builtin", "hashing", "local_api", "ollama", "openai", "gateway", "litellm", "hosted", "watsonx", "onnx"]
    """The type of the embeddings operator that made the vectors."""
    model_id: NotRequired[str]
    """The model, as its host names it."""


class FacetRequest(TypedDict):
    field: str
    limit: NotRequired[int]
    """Maximum number of values."""
    interval: NotRequired[Literal["year", "month", "week", "day"]]
    """For dates: the interval of each count. Default: month."""


class SearchBoostRecency(TypedDict):
    """Multiplies scores by 1 plus the weight, which halves with each half-life of age."""

    field: NotRequired[Literal["created_at", "updated_at"]]
    half_life_days: float
    weight: NotRequired[float]


class SearchBoost(TypedDict):
    fields: NotRequired[Dict[str, float]]
    """`title`, `content` or keys of metadata, each with a factor for words found there."""
    recency: NotRequired[SearchBoostRecency]
    """Multiplies scores by 1 plus the weight, which halves with each half-life of age."""


class SearchAsRequest(TypedDict):
    user_id: str
    """The login name to search as."""
    query: NotRequired[str]
    mode: NotRequired[Literal["text", "vector", "hybrid"]]
    limit: NotRequired[int]
    offset: NotRequired[int]


class SearchAsReplyHits(TypedDict):
    id: str
    document_id: str
    rule: Union[Literal["library", "access_list", "source", "flow", "run_owner", "earlier_run"], None]
    """What decided who may read it: the readers of its `library`, the `access_list` beside it, the
    rights of the `source` itself, `allowed_users` of the `flow`, only the owner of the run
    (`run_owner`), or an `earlier_run` of another user. Null where it was ingested by an earlier
    version.
    """
    title: NotRequired[str]
    """Only of documents that you may read yourself."""


class SearchAsReply(TypedDict):
    user_id: str
    total: int
    hits: List[SearchAsReplyHits]
    warnings: NotRequired[List[str]]


class SearchOptions(TypedDict):
    rerank: bool
    """Whether a model orders the hits of searches with `rerank`."""


class ExplainAccessRequest(TypedDict):
    user: str
    """A login name; your own unless you administer."""
    document_id: str


class ExplainAccessReply(TypedDict):
    user: str
    document_id: str
    may_read: bool
    reason: Literal["named", "allowed_principal", "denied_principal", "required_list", "groups_unknown", "not_listed"]
    """The list names the user (`named`) or one of their principals (`allowed_principal`); it denies
    one of them (`denied_principal`); the user is missing in the list of another document that
    the record was made of (`required_list`); their groups are not known at the moment, and the
    list allows or denies groups (`groups_unknown`); or the list does not have them
    (`not_listed`).
    """
    principals: List[str]
    """The principals of the user that decided; at most ten."""
    rule: Union[Literal["library", "access_list", "source", "flow", "run_owner", "earlier_run"], None]
    """What decided who may read it: the readers of its `library`, the `access_list` beside it, the
    rights of the `source` itself, `allowed_users` of the `flow`, only the owner of the run
    (`run_owner`), or an `earlier_run` of another user. Null where it was ingested by an earlier
    version.
    """
    records: int
    """In the index, for administrators; all others get those that they may read. How many the user
    may read is `readable`.
    """
    readable: int
    groups_known: bool
    """False if the groups of the user are unknown, because the user never logged in or the
    directory does not answer.
    """


class DocumentPagesPages(TypedDict):
    page: int
    width: Union[float, None]
    """In points; null where the document has no pages."""
    height: Union[float, None]
    """In points; null where the document has no pages."""
    items: int


class DocumentPagesHeadings(TypedDict):
    ref: str
    text: str
    level: int
    page: int


class DocumentPages(TypedDict):
    document_id: str
    name: str
    kind: Literal["pages", "parts"]
    """`parts`: the document has no pages and is split into parts of 200 items."""
    has_images: bool
    """Whether page images are available: for PDF files and images whose original is stored."""
    pages: List[DocumentPagesPages]
    headings: List[DocumentPagesHeadings]
    """At most 5,000."""


class DocumentPageItemsTableCells(TypedDict):
    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    is_header: bool
    box: NotRequired[List[float]]
    """Left, top, right, bottom in points from the top left of the page."""


class DocumentPageItemsTable(TypedDict):
    rows: int
    columns: int
    cells: List[DocumentPageItemsTableCells]


class DocumentPageItems(TypedDict):
    ref: str
    """As in the DoclingDocument, such as `#/texts/3`."""
    label: str
    depth: int
    """Depth in the document tree."""
    order: NotRequired[int]
    """Its place in the reading order of the document. Groups have none."""
    layer: str
    """`body`, or for page headers and the like `furniture` and others."""
    text: str
    is_cut: NotRequired[bool]
    """The text or the cells continue."""
    level: NotRequired[int]
    """Of headings; 0 is the title."""
    boxes: List[List[float]]
    table: NotRequired[DocumentPageItemsTable]


class DocumentPageMarkdown(TypedDict):
    text: str
    refs: List[str]


class DocumentPageUncovered(TypedDict):
    text: str
    box: List[float]
    """Left, top, right, bottom in points from the top left of the page."""


class DocumentPage(TypedDict):
    page: int
    width: Union[float, None]
    """In points; null where the document has no pages."""
    height: Union[float, None]
    """In points; null where the document has no pages."""
    items: List[DocumentPageItems]
    """In reading order."""
    markdown: List[DocumentPageMarkdown]
    """The Markdown of the page in pieces, with the items of each."""
    uncovered: NotRequired[List[DocumentPageUncovered]]
    """Words on the page that no item contains, at most 1,000. Present if requested and the page can
    be drawn.
    """


class AccessExplanationReaders(TypedDict):
    user: str
    records: NotRequired[int]
    """For administrators."""


class AccessExplanation(TypedDict):
    document_id: str
    you_may_read: bool
    rule: Union[Literal["library", "access_list", "source", "flow", "run_owner", "earlier_run"], None]
    """What decided who may read it: the readers of its `library`, the `access_list` beside it, the
    rights of the `source` itself, `allowed_users` of the `flow`, only the owner of the run
    (`run_owner`), or an `earlier_run` of another user. Null where it was ingested by an earlier
    version.
    """
    readers: NotRequired[List[AccessExplanationReaders]]
    """At most 1,000. Administrators get everybody whom the access lists of its records name; the
    owner of a run that ingested it gets everybody whom their own runs allow to read it.
    """
    principals: NotRequired[List[str]]
    """Others who may read it: `g:SOURCE:ID` for a group, `p:*` for everybody. For those who see the
    readers; absent when there are none.
    """
    denied: NotRequired[List[str]]
    """Principals who may not read it, even if something else allows them. Only for users who may
    see the readers.
    """
    records: NotRequired[int]
    """For administrators."""
    owners: NotRequired[List[str]]
    """Users who ingested it. Only for users who may see the readers."""


class DocumentLifeIngestionsRunSteps(TypedDict):
    name: str
    type: str
    ended_at: Union[str, None]


class DocumentLifeIngestionsRun(TypedDict):
    """The run that last ingested it. Only for users who may see the run."""

    job_run_id: str
    flow_name: str
    steps: List[DocumentLifeIngestionsRunSteps]
    """Operators in the order of the flow."""


class DocumentLifeIngestions(TypedDict):
    name: str
    status: Literal["done", "failed", "left_out"]
    version: str
    """SHA-256 of the file; empty where it is not known."""
    indexes: List[str]
    run: NotRequired[DocumentLifeIngestionsRun]
    """The run that last ingested it. Only for users who may see the run."""


class DocumentLife(TypedDict):
    document_id: str
    changed_at: Union[str, None]
    """At its source."""
    indexed_at: str
    forms: List[str]
    """In which forms it can be read."""
    ingestions: List[DocumentLifeIngestions]
    """One per job that read the document and lets you read it."""


class RemovalPage(TypedDict):
    items: List[Removal]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class IndexPage(TypedDict):
    items: List[Index]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class Index(TypedDict):
    name: str
    description: Union[str, None]
    owner: str
    """The first user who wrote to the index; empty if unknown."""
    writers: List[str]
    is_searched: bool
    """False for an index that is waiting to take over an alias, and for one that was replaced."""
    records: int
    """Records that you may read."""
    dimension: NotRequired[int]
    """Dimensions of the vectors. Absent if the index has none."""
    embedder: NotRequired[str]
    """What made its vectors, as far as it is known."""


class IndexPatch(TypedDict):
    description: NotRequired[Union[str, None]]
    """null clears."""


class AskRequest(TypedDict):
    question: str
    mode: NotRequired[Literal["text", "hybrid", "graph"]]
    """How passages are found."""
    passages: NotRequired[int]
    """Maximum number of records that the model receives."""
    filters: NotRequired[Union[Dict[str, Union[Union[str, float, bool], List[Union[str, float, bool]], FilterCondition]], None]]
    """Field to a value, to an array of values of which one must match, or to conditions such as
    `{"gte": "2025-01-01"}`.
    """
    index: NotRequired[Union[str, List[str]]]
    """Only records of these indexes, by name or alias."""
    flow: NotRequired[Union[str, List[str]]]
    """Only records that runs of these flows wrote; you must see the flows."""
    project: NotRequired[Union[str, List[str]]]
    """Only records that flows of these projects wrote; you must see the projects."""
    document_set: NotRequired[Union[str, List[str]]]
    """Only documents that you may read in these document sets; you must see the sets."""
    graph: NotRequired[Union[str, List[str]]]
    """Graphs that you may query, for the mode `graph`. Only facts that you may see count."""
    store: NotRequired[Literal["opensearch", "pgvector"]]
    """Where to search. `pgvector`: the tables that vectordb wrote to the PostgreSQL of
    DOCLOOM_SEARCH_POSTGRES, under the same access rule.
    """
    rerank: NotRequired[bool]
    """Orders the first 50 hits by a model of the server (`DOCLOOM_RERANK_MODEL`), which reads the
    query with each hit. Pages end at 50.
    """


class AnswerSentenceCitationsBoxes(TypedDict):
    page: float
    bbox: List[float]


class AnswerSentenceCitations(TypedDict):
    id: str
    """The record."""
    document_id: NotRequired[str]
    title: str
    pages: List[float]
    boxes: List[AnswerSentenceCitationsBoxes]


class AnswerSentence(TypedDict):
    text: str
    """Plain text."""
    citations: List[AnswerSentenceCitations]


class AnswerEndUsage(TypedDict):
    requests: float
    input_tokens: float
    output_tokens: float
    cost: float


class AnswerEnd(TypedDict):
    answered: bool
    """False if the documents that you may read do not contain the answer."""
    passages: int
    """Number of records that the model received."""
    dropped: int
    """Sentences of the model left out because no cited record says so."""
    truncated: bool
    """The model stopped at its limit."""
    warnings: NotRequired[List[str]]
    """What the search for records left out, and why."""
    usage: AnswerEndUsage


class AnswerError(TypedDict):
    code: str
    message: str


class SavedSearchBody(TypedDict):
    name: str
    request: SearchRequest
    readers: NotRequired[List[str]]
    """Login names of the users who may see and run it. They find only what they may read."""


class SavedSearch(TypedDict):
    search_id: str
    name: str
    request: SearchRequest
    owner: str
    readers: NotRequired[List[str]]
    """Login names of the users who may see and run it. They find only what they may read."""
    created_at: str
    updated_at: str


class SavedSearchPage(TypedDict):
    items: List[SavedSearch]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class Judgement(TypedDict):
    query: str
    """The words of the search."""
    document_id: str
    is_relevant: Union[bool, None]
    """Whether the document answers the query; null removes the mark."""


class JudgedQuery(TypedDict):
    query_id: str
    query: str
    relevant: List[str]
    """Ids of documents, the newest mark last."""
    not_relevant: List[str]
    """Ids of documents, the newest mark last."""
    updated_at: str


class JudgedQueryPage(TypedDict):
    items: List[JudgedQuery]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class SearchMeasurementNdcg(TypedDict):
    text: Union[float, None]
    """Mean nDCG@10 over the queries; null where this ranking is not possible."""
    vector: Union[float, None]
    """Mean nDCG@10 over the queries; null where this ranking is not possible."""
    hybrid: Union[float, None]
    """Mean nDCG@10 over the queries; null where this ranking is not possible."""


class SearchMeasurement(TypedDict):
    measured_at: str
    queries: int
    """Judged queries with at least one relevant document."""
    ndcg: SearchMeasurementNdcg


class SearchMeasurements(TypedDict):
    measurements: List[SearchMeasurement]
    """The newest 100, oldest first."""


class GraphCreate(TypedDict):
    document_id: NotRequired[str]
    """A record of the index, or a document whose chunks are in the index: they are joined in order."""
    document_set_id: NotRequired[str]
    """Look up `document_id` in this document set instead of in the index."""
    task_id: NotRequired[str]
    """Instead: a task of `/v1` that has succeeded, with the output `json`, `md` or `text`."""
    document_index: NotRequired[int]
    """Index of the document in the task, from 0; required if the task has several."""
    text: NotRequired[str]
    """Instead: the text itself, as Markdown."""
    name: NotRequired[str]
    """Instead of a graph of one document: a graph of all documents of `document_set_id`, under this
    name. It stays until it is deleted, and its updates follow the set.
    """
    readers: NotRequired[List[str]]
    """With `name`: users who may query the graph besides its owner. Each sees the facts of
    documents that they may read.
    """
    resolution: NotRequired[Literal["off", "rules", "model"]]
    """Whether nodes that mean the same thing are found after each update: `off`; `rules` by names,
    key values and neighbours; `model` asks the model of the graph about the doubtful ones as
    well. Doubtful pairs wait for the owner, see `pairs`.
    """
    auto_update: NotRequired[bool]
    """Whether an update follows each run that writes the document set, with the `limit` of the
    latest update. Runs that end during an update cause one more update.
    """
    limit: NotRequired[GraphLimit]
    dry_run: NotRequired[bool]
    """With `name`: only compare and estimate, without calling a model."""
    template: Union[str, Dict[str, Any]]
    """A template or a JSON Schema, as an object, or as its YAML or JSON text; no dotted paths."""
    options: NotRequired[GraphOptions]


class GraphLimit(TypedDict):
    """With `name`: an update fails before it starts if the estimate exceeds a limit, and stops when
    it reaches one.
    """

    documents: NotRequired[int]
    """Documents to read."""
    model_calls: NotRequired[int]
    """Requests to the model."""
    input_tokens: NotRequired[int]
    """Tokens sent to the model."""


class GraphOptionsProviderConfig(TypedDict):
    model_id: NotRequired[str]
    """The name of the model on its host."""
    api_base: NotRequired[str]
    """URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured
    LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.
    """
    api_key: NotRequired[str]
    """Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as
    `${DOCLOOM_SECRET_MODEL_KEY}`.
    """
    protocol: NotRequired[Literal["openai", "native"]]
    """The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native`
    (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else
    `openai`.
    """
    container_id: NotRequired[str]
    """Project or space at the hosted vendor; required for `hosted`."""
    container_kind: NotRequired[Literal["project", "space"]]
    """What container_id refers to. Default: project."""
    timeout: NotRequired[float]
    """Timeout of a request in seconds."""
    max_retries: NotRequired[int]
    """Retries of a request that failed because of overload or an outage."""
    max_wait: NotRequired[float]
    """Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer
    delays the run waits, shows this, and retries.
    """
    max_concurrent_requests: NotRequired[int]
    """Concurrent requests."""
    requests_per_minute: NotRequired[float]
    """Maximum requests per minute that a worker sends to the model."""
    tokens_per_minute: NotRequired[float]
    """Maximum (estimated) tokens per minute that a worker sends."""
    input_price: NotRequired[float]
    """Price of a million input tokens; with it, the report includes the cost."""
    output_price: NotRequired[float]
    """Price of a million output tokens."""
    temperature: NotRequired[float]
    """Sampling temperature."""
    max_tokens: NotRequired[int]
    """Maximum tokens of an answer."""
    stream: NotRequired[bool]
    """Stream the answer; `timeout` then applies between its pieces."""
    structured_output: NotRequired[Literal["schema", "prompt"]]
    """How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by
    schema, and in the prompt once the host has refused that.
    """


class GraphOptions(TypedDict):
    backend: NotRequired[Literal["rules", "llm", "vlm"]]
    """`rules`: by labels and tables, without a model; `llm`: a language model of the `type`; `vlm`:
    a local vision model, on the page images that a task of `/v1` stores with
    `include_page_images`.
    """
    type: NotRequired[Literal["local_api", "gateway", "hosted"]]
    """The service that runs the model: `local_api`, `gateway` or `hosted`. Default: local_api."""
    provider_config: NotRequired[GraphOptionsProviderConfig]
    extraction_contract: NotRequired[Literal["direct", "dense", "auto"]]
    """`direct` asks once about the whole document, or chunk by chunk if it does not fit the
    context; `dense` asks first for the entities in the chunks, then for their fields; `auto` is
    `direct` if one answer can hold everything, else `dense`.
    """
    context_limit: NotRequired[int]
    """Maximum number of tokens of a prompt and its answer together."""
    max_output_tokens: NotRequired[int]
    """Maximum number of tokens of one answer. Default: max_tokens of provider_config."""
    processing_mode: NotRequired[Literal["one-to-one", "many-to-one"]]
    """A model for each page, or one for the document."""
    use_chunking: NotRequired[bool]
    chunk_max_tokens: NotRequired[int]
    parallel_workers: NotRequired[int]
    """Number of concurrent requests."""
    gleaning_enabled: NotRequired[bool]
    provenance: NotRequired[Literal["off", "standard", "detailed"]]
    """How much evidence is kept on nodes and in `provenance.json`."""
    reverse_edges: NotRequired[bool]
    profile: NotRequired[Literal["spec", "peer"]]
    """`peer` writes the files as the Python library does."""
    formats: NotRequired[List[Literal["json", "csv", "cypher", "report", "html", "graphml", "gexf", "turtle", "jsonld", "parquet"]]]
    """`json` is always written."""


class GraphSource(TypedDict):
    document_id: NotRequired[str]
    document_set_id: NotRequired[str]
    task_id: NotRequired[str]
    document_index: NotRequired[int]
    name: str
    """Title or file name; `text` for text in the request."""


class GraphProgress(TypedDict):
    chunks: int
    """Chunks that a model has finished; 0 with `rules`."""


class GraphFiles(TypedDict):
    name: str
    format: Union[Literal["json", "csv", "cypher", "report", "html", "graphml", "gexf", "turtle", "jsonld", "parquet"], None]
    bytes: int
    media_type: str


class GraphError1(TypedDict):
    code: str
    message: str


class Graph(TypedDict):
    id: str
    """UUID in lower case."""
    owner: str
    name: NotRequired[str]
    """For graphs of a corpus only, like the next two members."""
    readers: NotRequired[List[str]]
    """For the owner."""
    corpus: NotRequired[GraphCorpus]
    state: Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELED"]
    source: GraphSource
    template: str
    """The name of the root class."""
    options: UsedGraphOptions
    progress: GraphProgress
    nodes: Union[int, None]
    """Number of nodes. Null until the graph is built, like `edges` and `problems`. The counts of a
    graph of a corpus depend on the reader; see `statistics`.
    """
    edges: Union[int, None]
    """Number of edges."""
    problems: Union[int, None]
    """Number of values that were changed or left out."""
    files: List[GraphFiles]
    error: Union[GraphError1, None]
    """The reason for the failure."""
    created_at: str
    started_at: Union[str, None]
    ended_at: Union[str, None]


class GraphCorpusChanges1(TypedDict):
    added: int
    changed: int
    """Changed documents, and those that failed before."""
    removed: int
    unchanged: int
    without_headings: NotRequired[int]
    """Added and changed documents that are read as plain text, because their headings are unknown."""


class GraphCorpusEstimate1(TypedDict):
    documents: int
    """Added and changed documents."""
    chunks: int
    model_calls: int
    """Requests about documents and about pairs."""
    input_tokens: int
    pairs: NotRequired[int]
    """Estimated number of pairs of nodes that the model decides, with `resolution` `model`."""


class GraphCorpusUsage1(TypedDict):
    model_calls: int
    input_tokens: int
    output_tokens: int


class GraphCorpus(TypedDict):
    update: int
    """Number of the latest update, from 1. The state of the graph is that of this update."""
    updated_at: Union[str, None]
    """When the graph was last brought up to date."""
    resolution: Literal["off", "rules", "model"]
    """Whether nodes that mean the same thing are found after each update: `off`; `rules` by names,
    key values and neighbours; `model` asks the model of the graph about the doubtful ones as
    well. Doubtful pairs wait for the owner, see `pairs`.
    """
    auto_update: bool
    """Whether an update follows each run that writes the document set, with the `limit` of the
    latest update. Runs that end during an update cause one more update.
    """
    is_dry_run: bool
    """The latest update only compares and estimates."""
    limit: Union[GraphLimit, None]
    changes: Union[GraphCorpusChanges1, None]
    """How the set differs from the graph, for the owner; null until the update is planned."""
    estimate: Union[GraphCorpusEstimate1, None]
    """The estimated cost of the update, for the owner; null until the update is planned."""
    usage: Union[GraphCorpusUsage1, None]
    """The usage of the update so far, for the owner."""


class UsedGraphOptions(TypedDict):
    backend: NotRequired[Literal["rules", "llm", "vlm"]]
    """`rules`: by labels and tables, without a model; `llm`: a language model of the `type`; `vlm`:
    a local vision model, on the page images that a task of `/v1` stores with
    `include_page_images`.
    """
    type: NotRequired[Literal["local_api", "gateway", "hosted"]]
    """The service that runs the model: `local_api`, `gateway` or `hosted`. Default: local_api."""
    extraction_contract: NotRequired[Literal["direct", "dense", "auto"]]
    """`direct` asks once about the whole document, or chunk by chunk if it does not fit the
    context; `dense` asks first for the entities in the chunks, then for their fields; `auto` is
    `direct` if one answer can hold everything, else `dense`.
    """
    context_limit: NotRequired[int]
    """Maximum number of tokens of a prompt and its answer together."""
    max_output_tokens: NotRequired[int]
    """Maximum number of tokens of one answer. Default: max_tokens of provider_config."""
    processing_mode: NotRequired[Literal["one-to-one", "many-to-one"]]
    """A model for each page, or one for the document."""
    use_chunking: NotRequired[bool]
    chunk_max_tokens: NotRequired[int]
    parallel_workers: NotRequired[int]
    """Number of concurrent requests."""
    gleaning_enabled: NotRequired[bool]
    provenance: NotRequired[Literal["off", "standard", "detailed"]]
    """How much evidence is kept on nodes and in `provenance.json`."""
    reverse_edges: NotRequired[bool]
    profile: NotRequired[Literal["spec", "peer"]]
    """`peer` writes the files as the Python library does."""
    formats: NotRequired[List[Literal["json", "csv", "cypher", "report", "html", "graphml", "gexf", "turtle", "jsonld", "parquet"]]]
    """`json` is always written."""
    model_id: NotRequired[str]


class GraphPage(TypedDict):
    items: List[Graph]
    total: int
    limit: int
    offset: int
    first: str
    next: Union[str, None]
    prev: Union[str, None]


class GraphTemplatesTemplates(TypedDict):
    document_type: str
    """The document class, as `document_classifier` names it."""
    description: str
    template: Dict[str, Any]
    """In the form of classes and fields, see docs/graph.md."""


class GraphTemplates(TypedDict):
    templates: List[GraphTemplatesTemplates]
    """In order of document_type."""


class GraphTemplateRequest(TypedDict):
    document_ids: NotRequired[List[str]]
    """Documents of the index, or of the document set."""
    document_set_id: NotRequired[str]
    """The document set that contains them. Without `document_ids`, its first documents are used."""
    text: NotRequired[str]
    """Instead: one sample as Markdown."""
    root: NotRequired[str]
    """Name of the root class. Default: the common words of the names of the documents."""
    use_model: NotRequired[bool]
    """Whether the model that the operator configured improves the draft; it receives the beginning
    of up to five documents. Default: if there is one, and the draft of the rules if it fails.
    With `true`, a missing or failing model is an error.
    """


class GraphTemplateDraftModel1Usage(TypedDict):
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float


class GraphTemplateDraftModel1Error(TypedDict):
    code: str
    message: str


class GraphTemplateDraftModel1(TypedDict):
    improved: bool
    """False if the model failed; the draft is that of the rules."""
    usage: GraphTemplateDraftModel1Usage
    error: NotRequired[GraphTemplateDraftModel1Error]


class GraphTemplateDraft(TypedDict):
    root: str
    samples: List[str]
    """Names of the documents that were read."""
    template: Dict[str, Any]
    """In the form of classes and fields, see docs/graph.md."""
    markdown: str
    """A description of what was recognized."""
    model: Union[GraphTemplateDraftModel1, None]
    """What the model did; null if none was asked."""


class GraphUpdate(TypedDict):
    limit: NotRequired[GraphLimit]
    dry_run: NotRequired[bool]
    """Only compare and estimate, without calling a model."""


class GraphChange(TypedDict):
    readers: NotRequired[List[str]]
    """With `name`: users who may query the graph besides its owner. Each sees the facts of
    documents that they may read.
    """
    resolution: NotRequired[Literal["off", "rules", "model"]]
    """Whether nodes that mean the same thing are found after each update: `off`; `rules` by names,
    key values and neighbours; `model` asks the model of the graph about the doubtful ones as
    well. Doubtful pairs wait for the owner, see `pairs`.
    """
    auto_update: NotRequired[bool]
    """Whether an update follows each run that writes the document set, with the `limit` of the
    latest update. Runs that end during an update cause one more update.
    """


class GraphNodes(TypedDict):
    nodes: List[GraphNode]
    next: Union[str, None]
    """The value of `after` for the next page; null on the last."""


class GraphNodeOthers(TypedDict):
    property: str
    value: Any
    documents: List[str]


class GraphNode(TypedDict):
    id: str
    label: str
    """The class in the template."""
    properties: Dict[str, Any]
    support: List[GraphSupport]
    members: List[str]
    """Ids of the nodes that are shown as this one because they mean the same thing; else empty."""
    others: List[GraphNodeOthers]
    """Values that contradict the ones shown, and the documents that state them."""


class GraphSupportPassages(TypedDict):
    chunk: int
    """Index among the chunks that were read."""
    page: NotRequired[int]
    text: str


class GraphSupport(TypedDict):
    document_id: str
    name: NotRequired[str]
    """Of the document."""
    passages: List[GraphSupportPassages]
    """Empty if only the document as a whole supports the fact."""


class GraphNeighboursNeighbours(TypedDict):
    label: str
    """Of the relation."""
    direction: Literal["in", "out"]
    properties: Dict[str, Any]
    support: List[GraphSupport]
    node: GraphNode


class GraphNeighbours(TypedDict):
    node: GraphNode
    neighbours: List[GraphNeighboursNeighbours]
    is_cut: bool
    """True if there are more than the limit."""


class GraphPathsPaths(TypedDict):
    nodes: List[GraphNode]
    edges: List[GraphEdge]
    """The relations from each node to the next, in either direction."""


class GraphPaths(TypedDict):
    paths: List[GraphPathsPaths]
    is_cut: bool
    """True if there are more than the limit."""


class GraphEdge(TypedDict):
    source: str
    target: str
    label: str
    properties: Dict[str, Any]
    support: List[GraphSupport]


class GraphPassagesPassages(TypedDict):
    document_id: str
    name: NotRequired[str]
    """Of the document."""
    chunk: int
    """Index among the chunks that were read."""
    page: NotRequired[int]
    text: str
    score: float
    """Comparable only within one answer."""
    nodes: List[str]
    """Ids of nodes that it supports, nearest first."""


class GraphPassagesNodes(TypedDict):
    id: str
    label: str
    properties: Dict[str, Any]


class GraphPassages(TypedDict):
    passages: List[GraphPassagesPassages]
    """Nearest first."""
    nodes: List[GraphPassagesNodes]
    """The nodes that passages name, as the documents that you may read describe them; at most 200."""
    is_cut: bool
    """True if there are more than the limit."""


class GraphStatistics(TypedDict):
    nodes: int
    edges: int
    node_types: Dict[str, int]
    edge_types: Dict[str, int]


class GraphDocuments(TypedDict):
    documents: List[GraphDocument]
    next: Union[str, None]
    """The value of `after` for the next page, which may be empty; null on the last."""


class GraphDocumentError1(TypedDict):
    code: str
    message: str


class GraphDocument(TypedDict):
    document_id: str
    name: str
    state: Literal["done", "empty", "failed"]
    """`empty`: nothing in the document matches the template; `failed`: the next update reads it
    again.
    """
    error: Union[GraphDocumentError1, None]


class GraphPairs(TypedDict):
    pairs: List[GraphPair]
    next: Union[str, None]
    """The value of `after` for the next page, which may be empty; null on the last."""


class GraphPairReasons(TypedDict):
    code: Literal["same_name", "same_words", "initials", "nickname", "acronym", "abbreviation", "part_of_name", "similar_spelling", "look_alike_letters", "same_number", "other_numbers", "other_legal_form", "other_name", "same_key", "other_key", "same_value", "other_value", "same_neighbour", "named_together", "related_to_each_other"]
    property: NotRequired[str]


class GraphPair(TypedDict):
    nodes: List[GraphNode]
    state: Literal["open", "same", "different"]
    """`open`: a person should decide; `same`: shown as one node; `different`: two things."""
    decided_by: Literal["rules", "model", "person"]
    """Decisions of a person count for all readers; those of a model for readers of the documents
    that it was shown.
    """
    decided_at: Union[str, None]
    """When the model or a person decided."""
    score: float
    """How certain the rules are, from 0 to 1, by what you may read."""
    reasons: List[GraphPairReasons]


class GraphDecisionsDecisions(TypedDict):
    nodes: List[str]
    """Ids of two nodes of one class, each by its own id. They need not have been proposed."""
    state: Literal["open", "same", "different"]
    """`open`: a person should decide; `same`: shown as one node; `different`: two things."""


class GraphDecisions(TypedDict):
    decisions: List[GraphDecisionsDecisions]


class GraphDecided(TypedDict):
    decided: int
