import { runOnce, checkpointKey } from '../ask/checkpoints';
import type { SourceChunk } from '../ask/source-chunks';
import { type Attributes, type GraphValue, isRecord } from '../core/value';
import { writePythonText } from '../peer/python-text';
import { type CatalogEntry } from './catalog';
import {
  buildRepeatQuestion,
  type KnownNode,
  buildMissedQuestion,
  buildSkeletonQuestion,
  createSkeletonSchema,
} from './prompts';
import { askDense, askLonger, type DenseAsk, type DenseRun, readList } from './run';

/** A node named in one batch. `parent` is its index in the batch's list, or the key of a node known before. */
export interface FoundNode {
  path: string;
  ids: Attributes;
  parent: number | string | null;
  /** The chunks in which it was found. */
  chunks: number[];
}

/** Result of the first phase for one batch of chunks. */
export interface BatchFind {
  nodes: FoundNode[];
  /** Chunks without a usable answer. */
  failed: number[];
  truncations: number;
  splits: number;
  /** Number of nodes found only by the second question. */
  gleaned: number;
}

/** Groups the chunks, in order, into batches within the token limit. A larger chunk is a separate batch. */
export function packChunks(
  chunks: readonly SourceChunk[],
  maxTokens: number,
  countTokens: (text: string) => number,
): SourceChunk[][] {
  const batches: { chunks: SourceChunk[]; tokens: number }[] = [];
  for (const chunk of chunks) {
    const tokens = countTokens(chunk.text);
    const last = batches.at(-1);
    if (last && last.tokens + tokens <= maxTokens) {
      last.chunks.push(chunk);
      last.tokens += tokens;
    } else batches.push({ chunks: [chunk], tokens });
  }
  return batches.map((batch) => batch.chunks);
}

/** Runs the first phase for one batch, as a unit of work. `known` lists nodes from earlier batches. */
export async function findInBatch(
  run: DenseRun,
  {
    batch,
    index,
    known,
  }: { batch: readonly SourceChunk[]; index: number; known: readonly (KnownNode & { key: string })[] },
): Promise<BatchFind> {
  const { template, options } = run;
  const texts = batch.map(({ text, headings }): GraphValue => [text, headings]);
  const knownPaths = known.map(({ path, ids }): GraphValue => [path, ids]);
  const key = checkpointKey(`skeleton-${index}`, template.root, template.schema, texts, knownPaths, options.isGleaning);
  const result = await runOnce(key, run, async () => {
    const find = await askBatch(run, batch, known, 0);
    const complete = options.isGleaning ? await askForMissed(run, batch, find) : find;
    return { ...complete } as unknown as Attributes;
  });
  return result as unknown as BatchFind;
}

const maxHalvings = 4;

async function askBatch(
  run: DenseRun,
  batch: readonly SourceChunk[],
  knownNodes: readonly (KnownNode & { key: string })[],
  depth: number,
): Promise<BatchFind> {
  const question = buildSkeletonQuestion(batch, run.catalog, knownNodes);
  const about = createAsk(batch, run.catalog);
  let answer = await askDense(run, question, about);
  const truncations = answer.isTruncated ? 1 : 0;
  if (answer.isTruncated && batch.length > 1 && depth < maxHalvings) {
    const middle = Math.floor(batch.length / 2);
    const first = await askBatch(run, batch.slice(0, middle), knownNodes, depth + 1);
    const second = await askBatch(run, batch.slice(middle), knownNodes, depth + 1);
    return joinFinds(first, second, truncations);
  }
  if (answer.isTruncated) answer = (await askLonger(run, question, about)) ?? answer;
  let catalog = run.catalog;
  let list = readList(answer.text, 'nodes');
  if (!list) {
    answer = await askDense(run, buildRepeatQuestion(question, answer.text), about);
    list = readList(answer.text, 'nodes');
  }
  if (!list && batch.length === 1) {
    // The smallest possible question: the document and its direct children.
    catalog = run.catalog.filter(({ parent }) => parent === undefined || parent === '');
    const answer = await askDense(run, buildSkeletonQuestion(batch, catalog, knownNodes), createAsk(batch, catalog));
    list = readList(answer.text, 'nodes');
  }
  const nodes = readNodes(list ?? [], { catalog, batch, known: knownNodes, first: [] });
  return { nodes, failed: list ? [] : batch.map(({ id }) => id), truncations, splits: 0, gleaned: 0 };
}

const createAsk = (batch: readonly SourceChunk[], catalog: readonly CatalogEntry[]): DenseAsk => ({
  name: 'dense_skeleton',
  schema: createSkeletonSchema(catalog),
  unit: { chunk: batch[0]?.id ?? 0 },
});

function joinFinds(first: BatchFind, second: BatchFind, truncations: number): BatchFind {
  const moved = second.nodes.map((node) => ({
    ...node,
    parent: typeof node.parent === 'number' ? node.parent + first.nodes.length : node.parent,
  }));
  return {
    nodes: [...first.nodes, ...moved],
    failed: [...first.failed, ...second.failed],
    truncations: first.truncations + second.truncations + truncations,
    splits: first.splits + second.splits + 1,
    gleaned: 0,
  };
}

// The second answer may be empty; the first then stays. The nodes of a place may at most double.
async function askForMissed(run: DenseRun, batch: readonly SourceChunk[], find: BatchFind): Promise<BatchFind> {
  const foundNodes = find.nodes.map(({ path, ids }, index) => ({ handle: index + 1, path, ids }));
  const answer = await askDense(
    run,
    buildMissedQuestion(batch, run.catalog, foundNodes),
    createAsk(batch, run.catalog),
  );
  const list = readList(answer.text, 'nodes') ?? [];
  const missed = readNodes(list, { catalog: run.catalog, batch, known: [], first: find.nodes });
  const counts = new Map<string, number>();
  for (const { path } of find.nodes) counts.set(path, (counts.get(path) ?? 0) + 1);
  const left = new Map(counts);
  const accepted = missed.map(({ path }) => {
    const room = counts.has(path) ? (left.get(path) ?? 0) : Number.POSITIVE_INFINITY;
    left.set(path, room - 1);
    return room > 0;
  });
  // Indexes in the list include dropped nodes.
  const places = new Map<number, number>();
  const nodes = [...find.nodes];
  missed.forEach((node, index) => {
    if (!accepted[index]) return;
    places.set(find.nodes.length + index, nodes.length);
    nodes.push(node);
  });
  const settled = nodes.map((node, index) =>
    index < find.nodes.length || typeof node.parent !== 'number' || node.parent < find.nodes.length
      ? node
      : { ...node, parent: places.get(node.parent) ?? null },
  );
  return {
    ...find,
    nodes: settled,
    failed: nodes.length > find.nodes.length ? [] : find.failed,
    gleaned: nodes.length - find.nodes.length,
  };
}

interface Reading {
  catalog: readonly CatalogEntry[];
  batch: readonly SourceChunk[];
  known: readonly (KnownNode & { key: string })[];
  /** The nodes before those of this answer, which continues their numbering. */
  first: readonly FoundNode[];
}

/** The usable nodes of an answer; `parent` counts from the first of `reading.first`. */
function readNodes(list: readonly Attributes[], { catalog, batch, known, first }: Reading): FoundNode[] {
  const places = new Map<number, number>(first.map((_node, index) => [index + 1, index]));
  const read: { node: FoundNode; entry: CatalogEntry; handle: GraphValue }[] = [];
  for (const item of list) {
    const entry = findPlace(catalog, item['path']);
    const ids = entry ? readIds(entry, item['ids'] ?? null) : {};
    const isNamed = entry !== undefined && (entry.templateClass.idFields.length === 0 || Object.keys(ids).length > 0);
    // The document itself may not have an identity yet.
    if (!entry || !(isNamed || entry.parent === undefined)) continue;
    const part = Number(item['c'] ?? Number.NaN);
    const chunk = batch[part - 1];
    places.set(Number(item['i'] ?? Number.NaN), first.length + read.length);
    const chunks = chunk ? [chunk.id] : batch.map(({ id }) => id);
    read.push({ node: { path: entry.path, ids, parent: null, chunks }, entry, handle: item['p'] ?? null });
  }
  const pathAt = (place: number) => (first[place] ?? read[place - first.length]?.node)?.path;
  return read.map(({ node, entry, handle }) => {
    if (handle === null) return node;
    const place = places.get(Number(handle));
    if (place !== undefined && pathAt(place) === entry.parent) return { ...node, parent: place };
    const earlier = known.find((item) => item.handle === Number(handle));
    return earlier && earlier.path === entry.parent ? { ...node, parent: earlier.key } : node;
  });
}

const omitMarks = (path: string) => path.replace(/\[\]/g, '');

// Models omit the brackets, or add them once too often.
function findPlace(catalog: readonly CatalogEntry[], path: GraphValue | undefined): CatalogEntry | undefined {
  if (typeof path !== 'string') return undefined;
  return (
    catalog.find((entry) => entry.path === path) ??
    catalog.find((entry) => omitMarks(entry.path) === omitMarks(path.trim()))
  );
}

function readIds({ templateClass }: CatalogEntry, rawIds: GraphValue): Attributes {
  const ids: Attributes = {};
  for (const field of isRecord(rawIds) ? templateClass.idFields : []) {
    const value = isRecord(rawIds) && Object.hasOwn(rawIds, field) ? (rawIds[field] ?? null) : null;
    const texts = (Array.isArray(value) ? value : [value]).flatMap((value) =>
      value === null || typeof value === 'object' ? [] : writePythonText(value).trim() || [],
    );
    if (texts.length > 0) ids[field] = Array.isArray(value) ? texts : (texts[0] ?? '');
  }
  return ids;
}
