# The life of a flow through the client that openapi-python-client makes of the OpenAPI document; prints what it saw as JSON.
import json
import sys
import time

from docloom_client import AuthenticatedClient, Client
from docloom_client.api.authentication import login
from docloom_client.api.documents import search_documents
from docloom_client.api.flows import create_flow, delete_flow, get_flow, list_flows, update_flow
from docloom_client.api.job_runs import create_job_run, get_job_run, list_job_run_documents
from docloom_client.api.validation import validate_flow
from docloom_client.models import (
    ChunkerConfig,
    ChunkerOperator,
    EmbeddingsConfig,
    EmbeddingsOperator,
    ExtractOperator,
    Flow,
    FlowCreate,
    FlowDraft,
    FlowPatch,
    IngestSourceConfig,
    IngestSourceOperator,
    JobRunCreate,
    LoginRequest,
    SearchRequest,
    VectordbConfig,
    VectordbOperator,
)

address, documents, index = sys.argv[1:]
seen = {}

token = login.sync(client=Client(base_url=address), body=LoginRequest(username="alice", password="alice-secret"))
client = AuthenticatedClient(base_url=address, token=token.access_token)

operators = [
    IngestSourceOperator(
        type_="ingest_source", name="ingest", config=IngestSourceConfig.from_dict({"provider": "filesystem", "paths": [documents]})
    ),
    ExtractOperator(type_="extract_operator", name="extract", depends_on=["ingest"]),
    ChunkerOperator(
        type_="chunker", name="chunk", depends_on=["extract"], config=ChunkerConfig.from_dict({"chunk_type": "simple"})
    ),
    EmbeddingsOperator(
        type_="embeddings", name="embed", depends_on=["chunk"], config=EmbeddingsConfig.from_dict({"type": "hashing"})
    ),
    VectordbOperator(
        type_="vectordb", name="index", depends_on=["embed"], config=VectordbConfig.from_dict({"index_name": index})
    ),
]

wrong = FlowDraft.from_dict({"flow_name": index, "flow": [one.to_dict() for one in operators]})
wrong.flow[2].config = ChunkerConfig(chunk_size=100, chunk_overlap=100)
verdict = validate_flow.sync(client=client, body=wrong)
seen["draft"] = [verdict.status.value, verdict.errors[0].message_code]
right = FlowDraft.from_dict({"flow_name": index, "flow": [one.to_dict() for one in operators]})
seen["valid"] = validate_flow.sync(client=client, body=right).status.value

flow = create_flow.sync(client=client, body=FlowCreate(flow_name=index, flow=operators))
seen["created"] = type(flow).__name__
seen["patched"] = update_flow.sync(flow.flow_id, client=client, body=FlowPatch(tags=["otters"])).tags
listed = list_flows.sync(client=client, name=index)
seen["listed"] = [type(one).__name__ for one in listed.flows]
graphical = get_flow.sync(flow.flow_id, client=client, is_elyra=True)
seen["graphical"] = [type(graphical).__name__, graphical.definition.to_dict()["doc_type"]]

run = create_job_run.sync(client=client, body=JobRunCreate(flow_id=flow.flow_id))
deadline = time.monotonic() + 240
while True:
    report = get_job_run.sync(run.job_run_id, client=client)
    if report.status.value not in ("QUEUED", "STARTING", "RUNNING") or time.monotonic() > deadline:
        break
    time.sleep(0.5)
seen["state"] = report.status.value
seen["totals"] = [report.totals.documents, report.totals.completed, report.totals.failed]
rows = list_job_run_documents.sync(run.job_run_id, client=client)
seen["failed"] = [one.name for one in rows.documents]
hits = search_documents.sync(client=client, body=SearchRequest(query="otter", index=index))
seen["found"] = [one.metadata.to_dict()["name"] for one in hits.documents]

missing = get_flow.sync_detailed("0b8c0f6e-0000-4000-8000-000000000000", client=client)
seen["unknown"] = [missing.status_code.value, missing.parsed.errors[0].code]
gone = delete_flow.sync_detailed(flow.flow_id, client=client, force=True)
seen["deleted"] = [gone.status_code.value, get_flow.sync_detailed(flow.flow_id, client=client).status_code.value]
assert isinstance(flow, Flow)
print(json.dumps(seen))
