import { askModel } from '../ask/ask-model';
import type { Checkpoints } from '../ask/checkpoints';
import { defaultOutputTokens } from '../ask/contract';
import type { LanguageModel, ModelAnswer, ModelRequest } from '../ask/language-model';
import { findObject } from '../ask/model-answer';
import type { Question } from '../ask/prompts';
import type { SourceChunk } from '../ask/source-chunks';
import type { Profile } from '../core/identity';
import type { Attributes } from '../core/value';
import type { GraphTemplate } from '../template/model';
import type { CatalogEntry } from './catalog';

/** Options of the contract `dense`. */
export interface DenseOptions {
  /** Tokens of the chunks in one question of the first phase. */
  batchTokens: number;
  /** Maximum number of instances in one question of the second phase. */
  fillCap: number;
  /** `scoped`: the chunks that mention the instances, plus the beginning; `full`: the whole document. */
  fillContext: 'scoped' | 'full';
  /** `off`: merges only equal identities; `standard`: also asks the model; `aggressive`: also merges similar identities. */
  dedupe: 'off' | 'standard' | 'aggressive';
  /** Number of concurrent questions. With one, each question includes the nodes found before. */
  parallel: number;
  /** Sends a second question about each batch for missed nodes. */
  isGleaning: boolean;
  profile: Profile;
}

/** State shared by all steps of a dense extraction. */
export interface DenseRun extends Checkpoints {
  template: GraphTemplate;
  catalog: readonly CatalogEntry[];
  chunks: readonly SourceChunk[];
  model: LanguageModel;
  options: DenseOptions;
  countTokens: (text: string) => number;
  signal?: AbortSignal;
  stats: DenseStats;
  /** Changed or dropped data, one sentence each. */
  problems: string[];
  /** True when a longer answer did not help before, so that none is requested again. */
  isLongerFutile?: boolean;
}

/** Counts of a run, under the names used in the peer's files. */
export interface DenseStats {
  truncation_count: number;
  split_count: number;
  skeleton_batches_failed: number;
  dropped_chunk_ids: number[];
  reconciliation_merged: number;
  coverage_pass_recovered: number;
}

/** The parts of a request other than its text. */
export type DenseAsk = Pick<ModelRequest, 'name' | 'schema' | 'maxTokens'> & { unit: Record<string, string | number> };

/** Sends one request, with the schema in the prompt if the model's server does not enforce it. */
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

const maxAnswerTokens = 32_768;

/** Requests an answer twice as long as the truncated one, unless that did not help before. */
export async function askLonger(run: DenseRun, question: Question, about: DenseAsk): Promise<ModelAnswer | undefined> {
  const { outputTokens = defaultOutputTokens, contextTokens = Number.POSITIVE_INFINITY } = run.model;
  const maxTokens = Math.min(outputTokens * 2, maxAnswerTokens, Math.floor(contextTokens / 2));
  if (run.isLongerFutile || maxTokens <= outputTokens) return undefined;
  const answer = await askDense(run, question, { ...about, maxTokens });
  if (answer.isTruncated) run.isLongerFutile = true;
  return answer.isTruncated ? undefined : answer;
}

/** The objects in the list `member` of an answer; undefined when there is no list. */
export function readList(text: string, member: string): Attributes[] | undefined {
  const list = findObject(text)?.[member];
  return Array.isArray(list)
    ? list.filter((item): item is Attributes => typeof item === 'object' && item !== null)
    : undefined;
}
