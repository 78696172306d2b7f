import { iterateBatches } from '../../model/lists/batches';
import { runOnce, checkpointKey } from '../ask/checkpoints';
import { defaultOutputTokens } from '../ask/contract';
import { mapParallel } from '../ask/map-parallel';
import type { SourceChunk } from '../ask/source-chunks';
import { jsonText } from '../core/json-text';
import { type Attributes, isEmpty, setMember } from '../core/value';
import { type CatalogEntry, type FillForm, buildFillForm, createItemsSchema } from './catalog';
import { findIdentity, type Skeleton, type SkeletonNode } from './nodes';
import { buildRepeatQuestion, buildFillQuestion } from './prompts';
import { askDense, askLonger, type DenseRun, readList } from './run';

/** The fields of each node by key, with identities from the first phase. */
export type Filled = Map<string, Attributes>;

interface Batch {
  entry: CatalogEntry;
  form: FillForm;
  nodes: SkeletonNode[];
  /** Index among the nodes of its place. */
  index: number;
}

/** The second phase: extracts the fields of each node, deepest places first, a few instances per question. */
export async function fillNodes(run: DenseRun, skeleton: Skeleton): Promise<Filled> {
  const filled: Filled = new Map();
  const getDepth = ({ path }: CatalogEntry) => (path === '' ? -1 : path.split('.').length);
  const entries = [...run.catalog].sort((left, right) => getDepth(right) - getDepth(left));
  const batches = entries.flatMap((entry) => splitBatches(run, skeleton, entry));
  const answers = await mapParallel(batches, run.options.parallel, (batch) => fillBatch(run, batch));
  for (const node of skeleton.values()) filled.set(node.key, { ...node.ids });
  answers.forEach((items, at) =>
    batches[at]?.nodes.forEach((node, index) => filled.set(node.key, addIds(items[index] ?? {}, node.ids))),
  );
  return filled;
}

function splitBatches(run: DenseRun, skeleton: Skeleton, entry: CatalogEntry): Batch[] {
  const form = buildFillForm(run.template, run.catalog, entry);
  if (!form.hasMore) return [];
  const nodes = [...skeleton.values()].filter(({ path }) => path === entry.path);
  const size = form.hasReferenceLists ? 1 : Math.max(1, run.options.fillCap);
  const batches: Batch[] = [];
  for (const part of iterateBatches(nodes, size)) batches.push({ entry, form, nodes: part, index: batches.length });
  return batches;
}

async function fillBatch(run: DenseRun, batch: Batch): Promise<Attributes[]> {
  const { entry, form, nodes, index } = batch;
  const text = selectContext(run, nodes);
  const ids = nodes.map((node) => node.ids);
  const key = checkpointKey(`fill-${entry.path || 'root'}-${index}`, entry.path, form.template.schema, ids, text);
  const result = await runOnce(key, run, async (): Promise<Attributes> => {
    const items = await ask(run, batch, nodes, text);
    return items ? { items } : { items: [], failed: true };
  });
  if (result['failed'] === true)
    run.problems.push(`of ${nodes.length} at ${jsonText(entry.path)} only the ids are known`);
  return (result['items'] ?? []) as Attributes[];
}

async function ask(
  run: DenseRun,
  batch: Batch,
  nodes: readonly SkeletonNode[],
  text: string,
): Promise<Attributes[] | undefined> {
  const { entry, form, index } = batch;
  const question = buildFillQuestion(text, form, nodes);
  const about = {
    name: 'dense_fill',
    schema: createItemsSchema(form.template),
    unit: { path: entry.path, fill: index },
  };
  let answer = await askDense(run, question, about);
  if (answer.isTruncated && nodes.length > 1) {
    const middle = Math.floor(nodes.length / 2);
    const halves = [nodes.slice(0, middle), nodes.slice(middle)];
    const parts: (Attributes[] | undefined)[] = [];
    for (const half of halves) parts.push(await ask(run, batch, half, selectContext(run, half)));
    if (parts.every((part) => part === undefined)) return undefined;
    // Without an answer, the nodes of a half get no fields.
    return parts.flatMap((part, at) => part ?? (halves[at] ?? []).map(() => ({})));
  }
  if (answer.isTruncated) answer = (await askLonger(run, question, about)) ?? answer;
  let list = readList(answer.text, 'items');
  if (!list) {
    answer = await askDense(run, buildRepeatQuestion(question, answer.text), about);
    list = readList(answer.text, 'items');
  }
  return list && matchItems(run, nodes, list);
}

// Matches answers by identity if repeated, otherwise by position. Missing items are padded, extra ones dropped.
function matchItems(run: DenseRun, nodes: readonly SkeletonNode[], items: readonly Attributes[]): Attributes[] {
  const { profile } = run.options;
  const findItemIdentity = ({ path, ids }: SkeletonNode, item: Attributes) => {
    const idValues = Object.fromEntries(Object.keys(ids).map((field) => [field, item[field] ?? null]));
    return findIdentity({ path, ids: idValues }, profile);
  };
  const unused = new Set(items.keys());
  const places = nodes.map((node, index) => {
    const identity = findIdentity(node, profile);
    const at = [...unused].find(
      (value) => identity !== undefined && findItemIdentity(node, items[value] ?? {}) === identity,
    );
    const place = at ?? (nodes.length === 1 ? index : undefined);
    if (place !== undefined) unused.delete(place);
    return place;
  });
  return places.map((place, index) => {
    const chosen = place ?? (unused.has(index) ? index : undefined);
    return chosen === undefined ? {} : (items[chosen] ?? {});
  });
}

function addIds(item: Attributes, ids: Attributes): Attributes {
  const complete = { ...item };
  for (const [field, value] of Object.entries(ids)) if (!isEmpty(value)) setMember(complete, field, value);
  return complete;
}

const headCharacters = 2_000;
const maxCharacters = 48_000;

// The beginning states the subject of the document, which later parts may omit.
function selectContext(run: DenseRun, nodes: readonly SkeletonNode[]): string {
  const { chunks, options } = run;
  if (options.fillContext === 'full') return chunks.map(({ text }) => text).join('\n\n');
  const seen = new Set(nodes.flatMap((node) => node.chunks));
  const nodeChunks = chunks.filter(({ id }) => seen.has(id));
  const text = shortenText(nodeChunks.map(formatChunk).join('\n\n'), computeRoom(run));
  const [first] = chunks;
  return first === undefined || seen.has(first.id) ? text : `${takeHead(chunks)}\n…\n\n${text}`;
}

// The rest of the question and the answer also need room in the context.
function computeRoom({ model }: DenseRun): number {
  const { contextTokens, outputTokens = defaultOutputTokens } = model;
  if (contextTokens === undefined) return maxCharacters;
  return Math.max(headCharacters, Math.min(maxCharacters, (contextTokens - outputTokens) * 3 - headCharacters * 2));
}

// For an entity found everywhere, the beginning and end of the text are more useful than the middle.
function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const tail = Math.floor(maxLength / 3);
  return `${text.slice(0, maxLength - tail)}\n…\n${text.slice(-tail)}`;
}

function takeHead(chunks: readonly SourceChunk[]): string {
  let head = '';
  for (const { text } of chunks) {
    if (head.length >= headCharacters) break;
    head += `${head === '' ? '' : '\n\n'}${text}`;
  }
  return head.slice(0, headCharacters);
}

const formatChunk = ({ text, headings }: SourceChunk) =>
  headings.length > 0 && !text.startsWith(headings[0] ?? '') ? `(${headings.join(' > ')})\n${text}` : text;
