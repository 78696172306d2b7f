import { buildAnswerSchema } from '../ask/answer-schema';
import { askModel } from '../ask/ask-model';
import { type Checkpoints, runOnce, checkpointKey } from '../ask/checkpoints';
import type { LanguageModel, ModelAnswer } from '../ask/language-model';
import { mapParallel } from '../ask/map-parallel';
import { findObject } from '../ask/model-answer';
import { buildGleaningQuestion, type Question, buildQuestion, buildRepairQuestion } from '../ask/prompts';
import { splitChunk, type SourceChunk } from '../ask/source-chunks';
import { jsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isEmpty, isRecord } from '../core/value';
import type { GraphTemplate } from '../template/model';
import { getClass } from '../template/template';
import { consolidate } from './consolidate';
import { fitAnswer, type Fitted } from './fit-answer';

/** The extraction result of a chunk, and the changed or dropped parts. */
export interface ChunkExtract {
  chunk: SourceChunk;
  /** Undefined if the answer contained nothing usable. */
  instance?: Attributes;
  problems: string[];
}

export interface ModelExtraction extends Checkpoints {
  template: GraphTemplate;
  model: LanguageModel;
  /** Number of concurrent requests. Default 4. */
  parallel?: number;
  /** Send a second request for facts that the first answer missed. */
  isGleaning?: boolean;
  /**
   * Repeat the request with the schema in the prompt if a long text yields little, because some servers enforce schemas badly.
   */
  isSparseAskedAgain?: boolean;
  signal?: AbortSignal;
}

/**
 * Asks the model about each chunk. Repeats the request once if the answer is not JSON, and splits the chunk in half if the answer
 * was truncated. If it is still unusable, records a problem for the chunk. An error of the model itself is thrown.
 */
export async function extractWithModel(
  chunks: readonly SourceChunk[],
  extraction: ModelExtraction,
): Promise<ChunkExtract[]> {
  return await mapParallel(chunks, extraction.parallel ?? 4, (chunk) => extractChunk(chunk, extraction));
}

/** Processes one chunk with all its questions, or returns the result of an earlier attempt. */
export async function extractChunk(chunk: SourceChunk, extraction: ModelExtraction): Promise<ChunkExtract> {
  const { template, isGleaning = false } = extraction;
  const about = [template.root, template.schema, chunk.text, chunk.headings, isGleaning];
  const result = await runOnce(checkpointKey(`chunk-${chunk.id}`, ...about), extraction, async () => {
    const { instance, problems } = await extractFromModel(chunk, extraction, 0);
    return { ...(instance ? { instance } : {}), problems };
  });
  const { instance, problems } = result as Partial<Pick<ChunkExtract, 'instance' | 'problems'>>;
  return { chunk, ...(instance ? { instance } : {}), problems: problems ?? [] };
}

const maxHalvings = 3;

async function extractFromModel(chunk: SourceChunk, extraction: ModelExtraction, depth: number): Promise<ChunkExtract> {
  const { template } = extraction;
  const answer = await ask(extraction, chunk, buildQuestion(template, chunk, extraction.model));
  const parts = answer.isTruncated && depth < maxHalvings ? splitChunk(chunk) : undefined;
  if (parts)
    return joinParts(chunk, await mapInTurn(parts, (part) => extractFromModel(part, extraction, depth + 1)), template);
  let attributes = findObject(answer.text);
  if (!attributes) {
    const again = await ask(extraction, chunk, buildRepairQuestion(template, chunk, answer.text));
    attributes = findObject(again.text);
  }
  if (!attributes) return { chunk, problems: [`chunk ${chunk.id}: the answer of the model is not a JSON object`] };
  const first = await retrySparse(chunk, extraction, fitAnswer(template, template.root, attributes));
  const instances = [first.instance];
  const problems = first.problems.map((problem) => `chunk ${chunk.id}: ${problem}`);
  if (answer.isTruncated) problems.push(`chunk ${chunk.id}: the answer was cut off, its whole members are used`);
  if (extraction.isGleaning) instances.push(...(await askForMissed(chunk, extraction, first.instance)));
  const instance = consolidate(template, template.root, instances);
  return Object.keys(instance).length === 0 ? { chunk, problems } : { chunk, instance, problems };
}

/** Shorter texts and smaller templates may well yield little. */
const minTextLength = 400;
const minLeaves = 10;
/** A smaller share of filled fields is little. */
const sparseShare = 0.4;

async function retrySparse(chunk: SourceChunk, extraction: ModelExtraction, first: Fitted): Promise<Fitted> {
  const { template, isSparseAskedAgain } = extraction;
  if (!isSparseAskedAgain || chunk.text.length < minTextLength) return first;
  const leaves = countLeaves(template, template.root, []);
  if (leaves < minLeaves || countFilledLeaves(first.instance) / leaves >= sparseShare) return first;
  const { text } = await ask(extraction, chunk, buildRepairQuestion(template, chunk, jsonText(first.instance)));
  const answer = findObject(text);
  const second = answer ? fitAnswer(template, template.root, answer) : first;
  return countFilledLeaves(second.instance) > countFilledLeaves(first.instance) ? second : first;
}

/** Counts the scalar fields of a class and its nested classes; recursive classes count once. */
function countLeaves(template: GraphTemplate, name: string, above: readonly string[]): number {
  if (above.includes(name)) return 0;
  const { fields } = getClass(template, name);
  return fields.reduce((sum, { model }) => sum + (model ? countLeaves(template, model, [...above, name]) : 1), 0);
}

function countFilledLeaves(value: GraphValue): number {
  if (Array.isArray(value)) return Math.max(0, ...value.map(countFilledLeaves));
  if (isRecord(value)) return Object.values(value).reduce<number>((sum, member) => sum + countFilledLeaves(member), 0);
  return isEmpty(value) ? 0 : 1;
}

// The second answer may be empty; the first then stays.
async function askForMissed(
  chunk: SourceChunk,
  extraction: ModelExtraction,
  attributes: Attributes,
): Promise<Attributes[]> {
  const { template } = extraction;
  const answer = await ask(extraction, chunk, buildGleaningQuestion(template, chunk, jsonText(attributes)));
  const missed = findObject(answer.text);
  return missed ? [fitAnswer(template, template.root, missed).instance] : [];
}

function joinParts(chunk: SourceChunk, parts: readonly ChunkExtract[], template: GraphTemplate): ChunkExtract {
  const instances = parts.flatMap(({ instance }) => (instance ? [instance] : []));
  const problems = parts.flatMap((part) => part.problems);
  return instances.length === 0
    ? { chunk, problems }
    : { chunk, instance: consolidate(template, template.root, instances), problems };
}

async function mapInTurn<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}

function ask(extraction: ModelExtraction, chunk: SourceChunk, { system, user }: Question): Promise<ModelAnswer> {
  const schema = buildAnswerSchema(extraction.template.schema);
  return askModel(extraction, { chunk: chunk.id }, { name: 'direct_extraction', system, user, schema });
}
