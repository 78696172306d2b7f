# The life of a flow through the package of client/python; prints what it saw as JSON.
import json
import sys

from docloom import ApiError, Client

address, documents, index = sys.argv[1:]
client = Client.from_login(address, "alice", "alice-secret")


def status_of(action):
    try:
        action()
        return 200
    except ApiError as error:
        return error.status


operators = [
    {"type": "ingest_source", "name": "ingest", "config": {"provider": "filesystem", "paths": [documents]}},
    {"type": "extract_operator", "name": "extract", "depends_on": ["ingest"]},
    {"type": "chunker", "name": "chunk", "depends_on": ["extract"], "config": {"chunk_type": "simple"}},
    {"type": "embeddings", "name": "embed", "depends_on": ["chunk"], "config": {"type": "hashing"}},
    {"type": "vectordb", "name": "index", "depends_on": ["embed"], "config": {"index_name": index}},
]
wrong = [{**one, "config": {"chunk_size": 100, "chunk_overlap": 100}} if one["type"] == "chunker" else one for one in operators]
verdict = client.validate_flow({"flow_name": index, "flow": wrong})
seen = {"draft": [verdict["status"], verdict["errors"][0]["message_code"]]}
seen["valid"] = client.validate_flow({"flow_name": index, "flow": operators})["status"]

flow = client.create_flow({"flow_name": index, "flow": operators})
seen["created"] = "Flow" if flow["flow"] else flow
seen["patched"] = client.update_flow(flow["flow_id"], {"tags": ["otters"]})["tags"]
seen["listed"] = ["Flow" for _ in client.list_flows(name=index)["flows"]]
graphical = client.get_flow(flow["flow_id"], is_elyra=True)
seen["graphical"] = ["ElyraFlow", graphical["definition"]["doc_type"]]

accepted = client.create_job_run({"flow_id": flow["flow_id"]})
changes = []
run = client.wait_for_run(accepted["job_run_id"], timeout=240, on_change=changes.append)
seen["state"] = run["status"]
assert changes == [] or changes[-1]["status"] == run["status"], changes[-1]
seen["totals"] = [run["totals"][name] for name in ("documents", "completed", "failed")]
seen["failed"] = [one["name"] for one in client.list_job_run_documents(accepted["job_run_id"])["documents"]]
log = list(client.follow_log(accepted["job_run_id"]))
assert log[0]["event"] == "run_created", log[0]
hits = client.search_documents({"query": "otter", "index": index})
seen["found"] = [one["metadata"]["name"] for one in hits["documents"]]

try:
    client.get_flow("0b8c0f6e-0000-4000-8000-000000000000")
except ApiError as error:
    seen["unknown"] = [error.status, error.code]

library = client.create_document_library({"name": index})
stored = client.upload_file(library["library_id"], __file__)
assert stored["name"] == "docloom_package.py", stored

client.delete_flow(flow["flow_id"], force=True)
seen["deleted"] = [204, status_of(lambda: client.get_flow(flow["flow_id"]))]
print(json.dumps(seen))
