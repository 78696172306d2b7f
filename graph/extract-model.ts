import { AppError, errorCatalogue } from '../model/errors';
import { consolidate } from './consolidate';
import { ConfigurationError, ExtractionError } from './errors';
import { type FinishedWork, onceFinished, workKey } from './finished-work';
import { fitAnswer } from './fit-answer';
import { jsonText } from './json-text';
import type { LanguageModel, ModelAnswer } from './language-model';
import { objectInAnswer } from './model-answer';
import { gleaningQuestion, question, repairQuestion } from './prompts';
import { halves, type SourceChunk } from './source-chunks';
import type { GraphTemplate } from './template';
import type { Attributes } from './value';

/** What was read of one chunk, and what had to be changed or left out. */
export interface ChunkExtract {
  chunk: SourceChunk;
  /** Undefined when the answer held nothing usable. */
  instance?: Attributes;
  problems: string[];
}

export interface ModelExtraction extends FinishedWork {
  template: GraphTemplate;
  model: LanguageModel;
  /** Chunks asked at the same time. Default 4. */
  parallel?: number;
  /** Ask a second time for what the first answer missed. */
  isGleaning?: boolean;
  signal?: AbortSignal;
}

/**
 * Asks the model about each chunk. An answer that is no JSON is asked again once, one that was cut off is asked in halves; what
 * is still unusable is a problem of its chunk. An error of the model itself ends the whole: nothing is lost silently.
 */
export async function extractWithModel(
  chunks: readonly SourceChunk[],
  extraction: ModelExtraction,
): Promise<ChunkExtract[]> {
  return await inParallel(chunks, extraction.parallel ?? 4, (chunk) => extractChunk(chunk, extraction));
}

/** The results in the order of the items, `count` worked at a time; after a failure nothing new is begun. */
export async function inParallel<T, R>(
  items: readonly T[],
  count: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(count, items.length)) }, worker));
  return results;
}

/** One chunk with all its questions, or what an earlier attempt made of it. */
export async function extractChunk(chunk: SourceChunk, extraction: ModelExtraction): Promise<ChunkExtract> {
  const { template, isGleaning = false } = extraction;
  const about = [template.root, template.schema, chunk.text, chunk.headings, isGleaning];
  const result = await onceFinished(workKey(`chunk-${chunk.id}`, ...about), extraction, async () => {
    const { instance, problems } = await askAbout(chunk, extraction, 0);
    return { ...(instance ? { instance } : {}), problems };
  });
  const { instance, problems } = result as Partial<Pick<ChunkExtract, 'instance' | 'problems'>>;
  return { chunk, ...(instance ? { instance } : {}), problems: problems ?? [] };
}

const maxHalving = 3;

async function askAbout(chunk: SourceChunk, extraction: ModelExtraction, depth: number): Promise<ChunkExtract> {
  const { template } = extraction;
  const answer = await ask(extraction, chunk, question(template, chunk, extraction.model));
  const parts = answer.isTruncated && depth < maxHalving ? halves(chunk) : undefined;
  if (parts) return joined(chunk, await inTurn(parts, (part) => askAbout(part, extraction, depth + 1)), template);
  let found = objectInAnswer(answer.text);
  if (!found) {
    const again = await ask(extraction, chunk, repairQuestion(template, chunk, answer.text));
    found = objectInAnswer(again.text);
  }
  if (!found) return { chunk, problems: [`chunk ${chunk.id}: the model answered no JSON object`] };
  const first = fitAnswer(template, template.root, found);
  const instances = [first.instance];
  const problems = first.problems.map((problem) => `chunk ${chunk.id}: ${problem}`);
  if (answer.isTruncated) problems.push(`chunk ${chunk.id}: the answer was cut off, its whole members are used`);
  if (extraction.isGleaning) instances.push(...(await glean(chunk, extraction, first.instance)));
  const instance = consolidate(template, template.root, instances);
  return Object.keys(instance).length === 0 ? { chunk, problems } : { chunk, instance, problems };
}

// A second look may find nothing, and then the first stands.
async function glean(chunk: SourceChunk, extraction: ModelExtraction, found: Attributes): Promise<Attributes[]> {
  const { template } = extraction;
  const answer = await ask(extraction, chunk, gleaningQuestion(template, chunk, jsonText(found)));
  const more = objectInAnswer(answer.text);
  return more ? [fitAnswer(template, template.root, more).instance] : [];
}

function joined(chunk: SourceChunk, parts: readonly ChunkExtract[], template: GraphTemplate): ChunkExtract {
  const instances = parts.flatMap(({ instance }) => (instance ? [instance] : []));
  const problems = parts.flatMap((part) => part.problems);
  return instances.length === 0
    ? { chunk, problems }
    : { chunk, instance: consolidate(template, template.root, instances), problems };
}

async function inTurn<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}

async function ask(
  { model, template, signal }: ModelExtraction,
  chunk: SourceChunk,
  { system, user }: { system: string; user: string },
): Promise<ModelAnswer> {
  signal?.throwIfAborted();
  try {
    return await model.ask({ name: template.root, system, user, schema: template.schema, signal });
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof ExtractionError || signal?.aborted) throw error;
    const details = { chunk: chunk.id, retryable: mayBeTriedAgain(error) };
    throw new ExtractionError(`The language model failed on chunk ${chunk.id}`, details, error);
  }
}

// An error of the product says so itself by its code; of a foreign one nothing is known.
function mayBeTriedAgain(error: unknown): boolean {
  return !(error instanceof AppError) || errorCatalogue[error.code].retry !== 'never';
}
