"""The calls of docling-serve-client. Prints one line of JSON per call: its name, whether it worked, and why not.

Argument: the address of the service.
"""
import asyncio
import base64
import json
import sys
import tempfile
from pathlib import Path

from docling_serve_sdk.client import DoclingClient
from docling_serve_sdk.models import (
    ConvertDocumentsRequest,
    FileSourceRequest,
    HierarchicalChunkerOptionsDocumentsRequest,
    HybridChunkerOptions,
    HybridChunkerOptionsDocumentsRequest,
)

text = "# Report\n\nIntro text.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
file = Path(tempfile.mkdtemp()) / "report.md"
file.write_text(text)
source = FileSourceRequest(base64_string=base64.b64encode(text.encode()).decode(), filename="report.md")
request = ConvertDocumentsRequest(sources=[source])


def is_report(result):
    document = getattr(result, "document", None) or result["document"]
    content = document.md_content if hasattr(document, "md_content") else document["md_content"]
    assert "# Report" in content, content
    return True


def has_chunks(result):
    chunks = result.chunks if hasattr(result, "chunks") else result["chunks"]
    assert any("Intro text." in chunk.text for chunk in chunks), chunks
    return True


def check(name, work):
    try:
        print(json.dumps({"check": name, "ok": bool(work())}), flush=True)
    except Exception as error:  # Whatever a client raises is a result.
        print(json.dumps({"check": name, "ok": False, "why": f"{type(error).__name__}: {error}"[:500]}), flush=True)


with DoclingClient(sys.argv[1]) as client:

    def ended(task):
        client.wait_for_task(task.task_id)
        return client.task_result(task.task_id)

    hybrid = HybridChunkerOptionsDocumentsRequest(sources=[source], chunking_options=HybridChunkerOptions())
    hierarchical = HierarchicalChunkerOptionsDocumentsRequest(sources=[source])
    check("health_check", lambda: client.health_check().status == "ok")
    check("version_info", lambda: client.version_info())
    check("convert_source", lambda: is_report(client.convert_source(request)))
    check("convert_file", lambda: is_report(client.convert_file(file)))
    check("convert_source_async_task", lambda: is_report(ended(client.convert_source_async_task(request))))
    check("convert_file_async_task", lambda: is_report(ended(client.convert_file_async_task(file))))
    check("chunk_hybrid_source", lambda: has_chunks(client.chunk_hybrid_source(hybrid)))
    check("chunk_hybrid_file", lambda: has_chunks(client.chunk_hybrid_file(file)))
    check("chunk_hybrid_source_async_task", lambda: ended(client.chunk_hybrid_source_async_task(hybrid))["chunks"])
    check("chunk_hierarchical_source", lambda: has_chunks(client.chunk_hierarchical_source(hierarchical)))
    check("chunk_hierarchical_file", lambda: has_chunks(client.chunk_hierarchical_file(file)))
    check("chunk_hierarchical_file_async_task", lambda: ended(client.chunk_hierarchical_file_async_task(file))["chunks"])
    check("task_status_poll", lambda: client.task_status_poll(client.convert_file_async_task(file).task_id).task_id)
    check("clear_converters", lambda: client.clear_converters().status)


async def in_async():
    async with DoclingClient(sys.argv[1]) as client:
        return [await client.convert_source_async(request), await client.convert_file_async(file)]


check("convert_source_async, convert_file_async", lambda: all(is_report(one) for one in asyncio.run(in_async())))
