"""Main calls of the Python service client. Prints one line of JSON per check; a check that fails ends the script.

Arguments: address, key, folder with report.md and report.docx, address of a host that serves /page.html.
"""
import json
import sys
from pathlib import Path

from docling.datamodel.service.options import ConvertDocumentsOptions
from docling.datamodel.service.targets import InBodyTarget, ZipTarget
from docling.service_client.client import ChunkerKind, ConversionItem, DoclingServiceClient, StatusWatcherKind
from docling.service_client.exceptions import ServiceError

address, key, folder, host = sys.argv[1:5]
markdown = Path(folder) / "report.md"
docx = Path(folder) / "report.docx"


def tell(name, **facts):
    print(json.dumps({"check": name, **facts}), flush=True)


with DoclingServiceClient(url=address, api_key=key, ws_fallback_to_poll=False) as client:
    tell("health", status=client.health().status)
    tell("version", named="plaform" in client.version())

    # Waits over the WebSocket; polling is not allowed to help.
    result = client.convert(markdown)
    tell(
        "convert",
        status=result.status.value,
        markdown=result.document.export_to_markdown(),
        tables=len(result.document.tables),
        hash_bits=result.document.origin.binary_hash.bit_length(),
    )
    result = client.convert(docx)
    tell("convert docx", status=result.status.value, texts=len(result.document.texts))
    result = client.convert(f"{host}/page.html")
    tell("convert address", status=result.status.value, label=result.document.texts[0].label.value)

    names = [item.input.file.name for item in client.convert_all([markdown, docx, markdown])]
    tell("convert_all", names=names)

    job = client.submit(markdown, target=ZipTarget())
    states = [update.task_status.value for update in job.watch()]
    tell("submit and watch", last=states[-1], position=job.queue_position, done=job.done)
    raw = job.result()
    tell("zip", content_type=raw.content_type, starts=raw.content[:2].decode())

    for kind in ChunkerKind:
        chunked = client.chunk(markdown, chunker=kind)
        tell(f"chunk {kind.value}", chunks=len(chunked.chunks), text=chunked.chunks[0].text)

    outcomes = list(client.submit_and_retrieve_each([ConversionItem(source=markdown), ConversionItem(source=docx)]))
    tell("submit_and_retrieve_each", failures=[str(outcome) for _, outcome in outcomes if isinstance(outcome, Exception)])

    options = ConvertDocumentsOptions(to_formats=["json"], do_ocr=False, page_range=(1, 2))
    tell("options", status=client.convert(markdown, options=options).status.value)

with DoclingServiceClient(url=address, api_key=key, status_watcher=StatusWatcherKind.POLLING) as client:
    tell("polling", status=client.convert(markdown).status.value)

with DoclingServiceClient(url=address, api_key="wrong") as client:
    try:
        client.convert(markdown)
        tell("wrong key", refused=False)
    except ServiceError as error:
        tell("wrong key", refused="Unauthorized" in str(error) or "401" in str(error), message=str(error)[:200])
