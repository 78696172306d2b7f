import { askModel } from '../ask/ask-model';
import type { CatalogEntry } from './catalog';
import type { FinishedWork } from '../ask/finished-work';
import type { Profile } from '../core/identity';
import type { LanguageModel, ModelAnswer, ModelRequest } from '../ask/language-model';
import { objectInAnswer } from '../ask/model-answer';
import type { Question } from '../ask/prompts';
import type { SourceChunk } from '../ask/source-chunks';
import type { GraphTemplate } from '../template/template';
import type { Attributes } from '../core/value';

/** How the contract `dense` works. */
export interface DenseOptions {
  /** Tokens of the chunks that one question of the first phase holds. */
  batchTokens: number;
  /** Most instances of one question of the second phase. */
  fillCap: number;
  /** `scoped`: the chunks in which the instances were seen and the beginning; `full`: the whole document. */
  fillContext: 'scoped' | 'full';
  /** `off`: only equal identities are one; `standard`: the model is asked which are; `aggressive`: those that look alike too. */
  dedupe: 'off' | 'standard' | 'aggressive';
  /** Questions at a time; with one, each is told what was found before. */
  parallel: number;
  /** Each batch is looked through a second time for what was missed. */
  isGleaning: boolean;
  profile: Profile;
}

/** What all parts of a dense extraction share. */
export interface DenseRun extends FinishedWork {
  template: GraphTemplate;
  catalog: readonly CatalogEntry[];
  chunks: readonly SourceChunk[];
  model: LanguageModel;
  options: DenseOptions;
  countTokens: (text: string) => number;
  signal?: AbortSignal;
  stats: DenseStats;
  /** What was changed or left out, a sentence each. */
  problems: string[];
  /** Longer answers did not help before: they are not asked for again. */
  isLongerFutile?: boolean;
}

/** Counts of a run, under the names that the peer's files have for them. */
export interface DenseStats {
  truncation_count: number;
  split_count: number;
  skeleton_batches_failed: number;
  dropped_chunk_ids: number[];
  reconciliation_merged: number;
  coverage_pass_recovered: number;
}

/** What a question asks for beside its words. */
export type DenseAsk = Pick<ModelRequest, 'name' | 'schema' | 'maxTokens'> & { unit: Record<string, string | number> };

/** Asks once, the schema in words where the model's server does not enforce it. */
export function askDense(
  run: DenseRun,
  { system, user }: Question,
  { unit, ...about }: DenseAsk,
): Promise<ModelAnswer> {
  const words = run.model.hasStructuredOutput
    ? ''
    : `\n\nThe JSON Schema of the answer:\n${JSON.stringify(about.schema)}`;
  return askModel(run, unit, { ...about, system, user: `${user}${words}` });
}

const longestAnswer = 32_768;

/** Asks for twice as long an answer as the one that was cut off, unless that was futile before. */
export async function askLonger(run: DenseRun, question: Question, about: DenseAsk): Promise<ModelAnswer | undefined> {
  const { outputTokens = 4092, contextTokens = Number.POSITIVE_INFINITY } = run.model;
  const maxTokens = Math.min(outputTokens * 2, longestAnswer, Math.floor(contextTokens / 2));
  if (run.isLongerFutile || maxTokens <= outputTokens) return undefined;
  const answer = await askDense(run, question, { ...about, maxTokens });
  if (answer.isTruncated) run.isLongerFutile = true;
  return answer.isTruncated ? undefined : answer;
}

/** The list under `member` in an answer, of objects only; undefined when there is none. */
export function listInAnswer(text: string, member: string): Attributes[] | undefined {
  const list = objectInAnswer(text)?.[member];
  return Array.isArray(list)
    ? list.filter((one): one is Attributes => typeof one === 'object' && one !== null)
    : undefined;
}
