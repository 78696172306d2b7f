import type { TSchema } from '@sinclair/typebox';
import { RunEvent } from '../../model/run/wire';
import { RunLogEntry } from '../../model/run/wire-log';
import { AnswerEndEvent, AnswerSentence } from '../../model/search/wire-ask';
import { formatEvent } from './event-stream';
import { getSample } from './openapi-samples';

const run = '99ecb0d4-7d43-4f8e-8a43-5f6d1c2b3a49';
const invoice = 'b8ef438577f8c746e47fd118995df83c';

const rows: Examples = {
  'text/csv; charset=utf-8': `id,name,mimetype,size\n${invoice},annual-report-2024.pdf,application/pdf,6492\n`,
  'application/x-ndjson; charset=utf-8': `{"id":"${invoice}","name":"annual-report-2024.pdf","mimetype":"application/pdf","size":6492}\n`,
};

const graph: Examples = {
  'application/json': {
    nodes: [
      {
        id: 'Invoice_9697a12928d0a9b0',
        label: 'Invoice',
        type: 'entity',
        __class__: 'Invoice',
        number: '2026-0042',
        total: 1234.5,
      },
    ],
    edges: [],
    metadata: { node_count: 1, edge_count: 0 },
  },
  'text/csv':
    'id,label,type,__class__,number,total\nInvoice_9697a12928d0a9b0,Invoice,entity,Invoice,2026-0042,1234.5\n',
  'text/plain; charset=utf-8':
    'CREATE CONSTRAINT invoice_id IF NOT EXISTS FOR (n:Invoice) REQUIRE n.id IS UNIQUE;\nCREATE (:Invoice {id: "Invoice_9697a12928d0a9b0", type: "entity", __class__: "Invoice", number: "2026-0042", total: 1234.5});\n',
  'text/markdown; charset=utf-8':
    '# Knowledge Graph Report\n\n## Overview\n\n- **Total Nodes**: 1\n- **Total Edges**: 0\n',
  'text/html; charset=utf-8': '<!DOCTYPE html>\n<html lang="en">…</html>\n',
  'application/xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n  <key id="n4" for="node" attr.name="number" attr.type="string"/>\n  <graph edgedefault="directed">\n    <node id="Invoice_9697a12928d0a9b0"><data key="n4">2026-0042</data></node>\n  </graph>\n</graphml>\n',
  'text/turtle':
    '<urn:docloom:node/Invoice_9697a12928d0a9b0> a <urn:docloom:class/Invoice> ;\n  <urn:docloom:property/number> "2026-0042" .\n',
  'application/ld+json': [
    {
      '@id': 'urn:docloom:node/Invoice_9697a12928d0a9b0',
      '@type': ['urn:docloom:class/Invoice'],
      'urn:docloom:property/number': [{ '@value': '2026-0042', '@type': 'http://www.w3.org/2001/XMLSchema#string' }],
    },
  ],
};

const markdown: Examples = { 'text/markdown': '# Invoice 17\n\nTotal: 120.00\n' };

/** Examples of one reply by media type: text, or the value of a JSON format. */
export type Examples = Readonly<Record<string, unknown>>;

/**
 * Examples of replies that are not described by a JSON schema, by operation name. Binary media types and the pages of the
 * documentation have none.
 */
export const replyExamples: Readonly<Record<string, Examples>> = {
  get_metrics: {
    'text/plain; version=0.0.4; charset=utf-8':
      '# HELP docloom_process_cpu_seconds_total Total user and system CPU time spent in seconds.\n# TYPE docloom_process_cpu_seconds_total counter\ndocloom_process_cpu_seconds_total 8.34\n',
  },
  get_job_runs_job_run_id_rows_export: rows,
  get_document_sets_set_id_export: rows,
  get_job_runs_job_run_id_report: {
    'text/csv': `GUID,File name,Status,Status reason,Time stamp,Pages,Processing time\n${invoice},annual-report-2024.pdf,Completed,,2026-03-02T08:15:00.000Z,3,0.986\n`,
  },
  get_job_runs_job_run_id_events: {
    'text/event-stream': formatSampleEvent('progress', RunEvent) + formatSampleEvent('end', RunEvent),
  },
  get_job_runs_job_run_id_log: {
    'application/x-ndjson': `${JSON.stringify(getSample(RunLogEntry))}\n`,
  },
  get_failed_documents_report: {
    'text/csv': `Document,Flow,Run,Operator,Code,Reason,State,First failed,Last failed\nboard-minutes.pdf,invoices,${run},extract,DOCUMENT_ENCRYPTED,'board-minutes.pdf' is a PDF protected by a password.,failed,2026-03-02T08:15:00.000Z,2026-03-02T08:15:00.000Z\n`,
  },
  get_reviews_review_id_markdown: markdown,
  get_documents_document_id_markdown: markdown,
  get_failed_documents_failed_id_markdown: markdown,
  get_documents_document_id_html: { 'text/html': '<!DOCTYPE html>\n<html>…</html>\n' },
  post_documents_ask: {
    'text/event-stream': formatSampleEvent('sentence', AnswerSentence) + formatSampleEvent('end', AnswerEndEvent),
  },
  get_graphs_graph_id_result: graph,
  get_graphs_graph_id_files_name: graph,
};

function formatSampleEvent(name: string, data: TSchema): string {
  return formatEvent(name, getSample(data));
}
