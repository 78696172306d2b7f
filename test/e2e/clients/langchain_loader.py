"""The LangChain integration, by the service client that it takes as its converter. Prints one line of JSON per check.

Arguments: address, key, folder with report.md and report.docx, address of a host that serves /page.html.
"""
import json
import sys
from pathlib import Path

from docling.service_client.client import DoclingServiceClient
from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker
from langchain_docling import DoclingLoader
from langchain_docling.loader import ExportType

address, key, folder, host = sys.argv[1:5]
sources = [str(Path(folder) / "report.md"), str(Path(folder) / "report.docx"), f"{host}/page.html"]

with DoclingServiceClient(url=address, api_key=key, ws_fallback_to_poll=False) as client:
    for export in ExportType:
        # The default chunker would fetch a tokenizer.
        chunker = {"chunker": HierarchicalChunker()} if export is ExportType.DOC_CHUNKS else {}
        documents = DoclingLoader(sources, converter=client, export_type=export, **chunker).load()
        print(
            json.dumps(
                {
                    "check": export.value,
                    "contents": [document.page_content for document in documents],
                    "sources": [document.metadata["source"].split("/")[-1] for document in documents],
                    "metadata": sorted(documents[0].metadata),
                }
            ),
            flush=True,
        )
