import Pdf from 'pdfkit';
import type { Client } from '../../client';

const paragraph = 'The gauge is calibrated before delivery and read three times at intervals of five minutes. '.repeat(
  4,
);

/** A PDF with a heading and six paragraphs on each page. */
export function makeLongPdf(pages: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve) => {
    const pdf = new Pdf();
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    for (let page = 1; page <= pages; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.fontSize(16).text(`Section ${page}`).fontSize(11);
      for (let line = 0; line < 6; line += 1) pdf.text(paragraph).moveDown();
    }
    pdf.end();
  });
}

/** A long document in an index. */
export interface LongDocument {
  documentId: string;
  /** Removes the document, its flow and its library. */
  remove(): Promise<void>;
}

/** Uploads a PDF with the given number of pages and runs a flow that indexes it. */
export async function indexLongDocument(client: Client, pages: number): Promise<LongDocument> {
  const { library_id } = await client.documentLibraries.create({ name: `Long document ${Date.now()}` });
  const content = new Blob([await makeLongPdf(pages)], { type: 'application/pdf' });
  await client.documentLibraries.upload(library_id, { name: 'long.pdf', content });
  const { flow_id } = await client.flows.create({
    flow_name: `long document ${library_id}`,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'library', connection_params: { library_id } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: {} },
      { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { provider: 'opensearch', index_name: `long-document-${library_id.slice(0, 8)}` },
      },
    ],
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  const { status, message } = await client.jobRuns.waitFor(job_run_id);
  if (!status.startsWith('COMPLETED')) throw new Error(`The run of the long document ended as ${status}: ${message}`);
  const { documents } = await client.documents.search({ query: 'gauge calibrated', limit: 1 });
  const remove = async () => {
    await client.flows.remove(flow_id, { with_records: true, force: true });
    await client.documentLibraries.remove(library_id);
  };
  const documentId = documents[0]?.metadata['document_id'];
  if (typeof documentId !== 'string') throw new Error(`The long document was not found after its run: ${message}`);
  return { documentId, remove };
}
