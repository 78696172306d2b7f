"""Main calls of the Haystack integration. Prints one line of JSON per check.

Arguments: address, key, folder with report.md, address of a host that serves /page.html.
"""
import json
import sys
from pathlib import Path

from haystack.dataclasses import ByteStream
from haystack.utils import Secret
from haystack_integrations.components.converters.docling_serve import ConversionMode, DoclingServeConverter, ExportType

address, key, folder, host = sys.argv[1:5]
markdown = Path(folder) / "report.md"


def tell(name, **facts):
    print(json.dumps({"check": name, **facts}), flush=True)


for mode in (ConversionMode.SYNC, ConversionMode.ASYNC):
    for export in ExportType:
        converter = DoclingServeConverter(
            base_url=address,
            api_key=Secret.from_token(key),
            export_type=export,
            mode=mode,
            poll_interval=1,
            convert_options={"do_ocr": False, "table_mode": "fast"},
        )
        stream = ByteStream(data=b"# Stream\n\nfrom memory", meta={"file_name": "stream.md"}, mime_type="text/markdown")
        documents = converter.run(sources=[markdown, f"{host}/page.html", stream])["documents"]
        tell(f"{mode.value} {export.value}", contents=[document.content for document in documents])
