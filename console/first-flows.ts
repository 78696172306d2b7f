import type { FlowDefinition } from '../client';

/** The flows offered for uploaded files without writing one. */
export type TemplateName = 'search' | 'facts' | 'graph';
/** Document types whose relations a graph can show. */
export type GraphSubject = 'orders' | 'invoices';

type Operators = FlowDefinition['flow'];

const party = {
  title: 'Party',
  type: 'object',
  'x-graph-id-fields': ['name'],
  properties: { name: { type: 'string', description: 'Name of the company' } },
};

/** Templates whose fields are found by their labels, without a language model. */
export const graphTemplates: Readonly<Record<GraphSubject, object>> = {
  orders: {
    title: 'PurchaseOrder',
    type: 'object',
    'x-graph-id-fields': ['number'],
    required: ['number'],
    properties: {
      number: { type: 'string', description: 'Order number' },
      ordered: { type: 'string', format: 'date', description: 'Order date' },
      delivery_date: { type: 'string', format: 'date' },
      total: { type: 'string', format: 'decimal' },
      supplier: { $ref: '#/$defs/Party', 'x-edge-label': 'ORDERED_FROM' },
      buyer: { $ref: '#/$defs/Party', 'x-edge-label': 'ORDERED_BY' },
    },
    $defs: { Party: party },
  },
  invoices: {
    title: 'Invoice',
    type: 'object',
    'x-graph-id-fields': ['invoice_number'],
    required: ['invoice_number'],
    properties: {
      invoice_number: { type: 'string', description: 'Invoice number' },
      invoice_date: { type: 'string', format: 'date', description: 'Invoice date' },
      due_date: { type: 'string', format: 'date' },
      total: { type: 'string', format: 'decimal' },
      seller: { $ref: '#/$defs/Party', 'x-edge-label': 'SOLD_BY' },
      customer: { $ref: '#/$defs/Party', 'x-edge-label': 'SOLD_TO' },
    },
    $defs: { Party: party },
  },
};

/** The operators of a template after reading the files; `name` is part of an index name and a set name. */
function buildSteps(template: TemplateName, name: string, subject: GraphSubject): Operators {
  const extract = { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} };
  const store = (after: string) => ({
    type: 'document_set',
    name: 'store',
    depends_on: [after],
    config: { document_set_name: `${template}-${name}` },
  });
  if (template === 'facts')
    return [
      { type: 'document_classifier', name: 'classify', depends_on: ['ingest'], config: { type: 'rules' } },
      {
        ...extract,
        depends_on: ['classify'],
        config: { text_extraction: { provider: 'local' }, entity_extraction: { provider: 'rules' } },
      },
      { type: 'entity_curation', name: 'curate', depends_on: ['extract'], config: {} },
      store('curate'),
    ];
  if (template === 'graph')
    return [
      extract,
      {
        type: 'graph',
        name: 'graph',
        depends_on: ['extract'],
        config: { template: graphTemplates[subject], provenance: 'standard' },
      },
      store('graph'),
    ];
  return [
    extract,
    {
      type: 'chunker',
      name: 'chunk',
      depends_on: ['extract'],
      config: { chunk_type: 'hybrid', tokenizer: 'o200k_base' },
    },
    { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: {} },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['embed'],
      config: { provider: 'opensearch', index_name: `library-${name}` },
    },
  ];
}

/** Number of characters that the name of a flow may have. */
export const maxFlowName = 200;

/** A flow over the files of a library. Names contain the beginning of the library's id, so that they are unique. */
export function createFlow(
  library: { library_id: string; name: string },
  { template, subject, title }: { template: TemplateName; subject: GraphSubject; title: string },
): FlowDefinition {
  return {
    flow_name: `${library.name}: ${title}`.slice(0, maxFlowName),
    description: title,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'library', connection_params: { library_id: library.library_id } },
      },
      ...buildSteps(template, library.library_id.slice(0, 8), subject),
    ],
  };
}
