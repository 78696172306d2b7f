import { type Arbitrary, constantFrom, record, shuffledSubarray, tuple } from 'fast-check';
import type { FlowOperator } from '../../../model/flow/flow';
import { reading } from '../../support/system/over-http';
import { getName, type Username, users } from './documents';

/** One or more operators in a line; `names` and `depends_on` follow from their place. */
export type Step = Pick<FlowOperator, 'type' | 'config'>;

/** Operators that no flow of the test has, each with the reason. */
export const exceptions: Readonly<Record<string, string>> = {};

/** What a flow is built with: `NAME`, `MODELS` and the others stand for these in its configuration. */
export interface Place {
  /** Unique to the flow: its own name, and that of its set, index and folder. */
  name: string;
  folder: string;
  modelUrl: string;
  exportRoot: string;
  postgresPort: number;
}

const sql = (query: string): Step => ({ type: 'sql_filter', config: { filter_criteria: query } });
const mix = (how: string): Step => ({ type: 'mixing', config: { how } });
const model = { type: 'ollama', provider_config: { model_id: 'MODEL_ID', api_base: 'MODELS' } };
const template = {
  title: 'Report',
  type: 'object',
  properties: { animal: { type: 'string', description: 'Animal' } },
};

/** Operators that pass the documents on. Each is in one of the three flows of a round. */
export const middle: readonly Step[] = [
  sql(
    `SELECT i.* REPLACE (list_aggregate((SELECT list(content) FROM input), 'string_agg', ' ') AS content) FROM input i`,
  ),
  sql('SELECT *, content AS copied, name AS renamed FROM input'),
  { type: 'sql_filter', config: { criteria_list: ["content LIKE '%a%'"] } },
  { type: 'redaction', config: { redaction_regex: ['Of'] } },
  { type: 'pii', config: { with_positions: true } },
  { type: 'profanity', config: { action: 'mask' } },
  { type: 'doc_quality' },
  { type: 'lang_detect' },
  { type: 'readability' },
  { type: 'doc_id_hash' },
  { type: 'noop' },
  { type: 'ededup' },
  { type: 'fdedup', config: { action: 'mark', threshold: 0.3, shingle_words: 1, across_access_lists: true } },
  { type: 'summary', config: model },
  { type: 'translation', config: { ...model, target_language: 'German' } },
  { type: 'entity_curation', config: { document_type: 'invoice' } },
  { type: 'graph', config: { template } },
  { type: 'table_rows', config: { output: 'column' } },
  { type: 'branching', config: { branches: { all: {}, some: { criteria_list: ["content LIKE '%dawn%'"] } } } },
  mix('warn'),
  mix('columns'),
  mix('lists'),
  mix('mix'),
];

/** How documents become text: by rules and by a model, with the class that was found before, or without entities. */
export const readings: readonly { classifier: Step; extract: Step }[] = [
  {
    classifier: { type: 'document_classifier', config: { type: 'rules', include_reasoning: true } },
    extract: {
      type: 'extract_operator',
      config: { entity_extraction: { provider: 'rules', document_type: 'invoice', expand_extracted_data: true } },
    },
  },
  {
    classifier: { type: 'document_classifier', config: { ...model, include_reasoning: true } },
    extract: {
      type: 'extract_operator',
      config: {
        entity_extraction: { ...model, type: 'local_api', provider: 'model', custom_schema: { animal: 'string' } },
      },
    },
  },
  {
    classifier: { type: 'noop' },
    extract: { type: 'extract_operator', config: { text_extraction: { provider: 'local', doc_column: 'markdown' } } },
  },
];

/** What makes several rows of a document. */
const cutters: readonly Step[] = [
  { type: 'chunker', config: { chunk_size: 60 } },
  { type: 'chunker', config: { chunk_type: 'hybrid' } },
  { type: 'table_rows', config: { output: 'rows' } },
];

const embedders: readonly Step[] = [
  { type: 'embeddings', config: model },
  { type: 'embeddings', config: { type: 'hashing' } },
];

const exported = { destination: 'folder', path: 'EXPORT' };

/** Where rows go. Whole documents are exported before the chunker. */
const ends: readonly Step[] = [
  { type: 'document_set', config: { document_set_name: 'NAME', readers: [...users] } },
  { type: 'vectordb', config: { provider: 'opensearch', index_name: 'NAME', writers: [...users] } },
  { type: 'vectordb', config: { provider: 'lancedb', index_name: 'TABLE', writers: [...users] } },
  {
    type: 'vectordb',
    config: {
      provider: 'pgvector',
      index_name: 'TABLE',
      writers: [...users],
      provider_config: { host: '127.0.0.1', port: 'PORT', username: 'postgres' },
    },
  },
  { type: 'storage', config: { ...exported, formats: ['jsonl', 'csv', 'parquet'] } },
  { type: 'storage', config: { ...exported, formats: ['md', 'html', 'json'] } },
];
const ofDocuments = ends.at(-1);

/** What goes wrong in a flow: an operator that fails, the model server, or the first document that fails. */
const faults = [
  sql('SELECT i.* REPLACE (j.content AS content) FROM input i, input j WHERE i.id <= j.id'),
  sql('SELECT * REPLACE (error(content) AS content) FROM input'),
  sql('SELECT * REPLACE (CAST(content AS INTEGER) AS content) FROM input'),
  mix('throw'),
  mix('fail'),
  // Parts have few documents, so that none may be left.
  mix('skip'),
  400,
  500,
  'fail_fast',
] as const;

/** A flow of a round. */
export interface Drawn {
  owner: Username;
  reading: (typeof readings)[number];
  steps: readonly Step[];
  cutter: Step;
  embedder: Step;
  ends: readonly Step[];
  fault: (typeof faults)[number] | undefined;
  path: 'folder' | 'file';
}

const shuffle = <T>(items: readonly T[]): Arbitrary<T[]> => shuffledSubarray([...items], { minLength: items.length });
const choose = <T>(items: readonly T[], minLength: number, maxLength: number): Arbitrary<T[]> =>
  shuffledSubarray([...items], { minLength, maxLength });
const deal = <T>(items: readonly T[], player: number): T[] =>
  items.filter((_item, index) => index % users.length === player);

/**
 * The flows of a round. All operators and ends are dealt out to one flow of each user, so that each of them gets rows. One
 * more flow, of any user, has a fault; it may name a file that its user may not read.
 */
export function drawRound(): Arbitrary<Drawn[]> {
  return tuple(drawHands(), drawFaulty()).map(([hands, faulty]) => [...hands, faulty]);
}

function drawHands(): Arbitrary<Drawn[]> {
  const decks = {
    middle: shuffle(middle),
    readings: shuffle(readings),
    cutters: shuffle(cutters),
    embedders: shuffle([...embedders, ...embedders.slice(0, 1)]),
    ends: shuffle(ends),
  };
  return record(decks).map((drawn) =>
    users.map((owner, player) => ({
      owner,
      reading: drawn.readings[player]!,
      steps: deal(drawn.middle, player),
      cutter: drawn.cutters[player]!,
      embedder: drawn.embedders[player]!,
      ends: deal(drawn.ends, player),
      fault: undefined,
      path: 'folder' as const,
    })),
  );
}

function drawFaulty(): Arbitrary<Drawn> {
  return record({
    owner: constantFrom(...users),
    reading: constantFrom(...readings),
    steps: choose(middle, 1, 4),
    cutter: constantFrom(...cutters),
    embedder: constantFrom(...embedders),
    ends: choose(ends, 1, 2),
    fault: constantFrom(...faults),
    path: constantFrom<('folder' | 'file')[]>('folder', 'folder', 'file'),
  });
}

/** The file that a flow names, if it names one. */
export const singleFile = `${getName('a')}.md`;

/** The name of the model that a flow asks; it tells whose request arrives at the server. */
export function getModel({ owner, fault }: Drawn): string {
  return fault === undefined ? owner : `${owner}-faulty`;
}

/** The flow of a drawing: one line of operators, then all ends side by side. */
export function buildFlow(drawn: Drawn, place: Place) {
  const source = drawn.path === 'folder' ? place.folder : `${place.folder}/${singleFile}`;
  const flow: FlowOperator[] = reading(source).slice(0, 1);
  const extra = typeof drawn.fault === 'object' ? [drawn.fault] : [];
  const line = [drawn.reading.classifier, drawn.reading.extract, ...drawn.steps];
  const into = { ...place, owner: drawn.owner, model: getModel(drawn) };
  for (const step of line) append(flow, fill(step, into));
  const documents = flow.at(-1)?.name ?? '';
  for (const step of extra) append(flow, fill(step, into));
  for (const step of [drawn.cutter, drawn.embedder]) append(flow, fill(step, into));
  const rows = flow.at(-1)?.name ?? '';
  for (const end of drawn.ends) {
    // Masked documents have no tables: behind these, an end could get no rows.
    const after = end === ofDocuments || drawn.cutter.type === 'table_rows' ? documents : rows;
    flow.push({ ...fill(end, into), name: `end${flow.length}`, depends_on: [after] });
  }
  return {
    flow_name: place.name,
    flow,
    readers: users.filter((user) => user !== drawn.owner),
    ...(drawn.fault === 'fail_fast' ? { global_config: { fail_fast: true } } : {}),
  };
}

/** Adds a step after the last; a branching with the merge of its branches. */
function append(flow: FlowOperator[], step: Step): void {
  const name = `s${flow.length}`;
  flow.push({ ...step, name, depends_on: [flow.at(-1)?.name ?? ''] });
  if (step.type !== 'branching') return;
  const merge = { merge_type: 'rows', on_duplicate: 'first' };
  flow.push({ type: 'merge', name: `s${flow.length}`, depends_on: [`${name}.all`, `${name}.some`], config: merge });
}

function fill({ type, config = {} }: Step, place: Place & { owner: Username; model: string }): Step {
  const text = JSON.stringify(config)
    .replaceAll('MODEL_ID', place.model)
    .replaceAll('MODELS', place.modelUrl)
    .replaceAll('"PORT"', String(place.postgresPort))
    .replaceAll('EXPORT', `${place.exportRoot}/${place.owner}/${place.name}`)
    .replaceAll('TABLE', place.name.replaceAll('-', '_'))
    .replaceAll('NAME', place.name);
  return { type, config: JSON.parse(text) as Record<string, unknown> };
}
