import type { NodeItem } from '../../document/model';
import { AppError } from '../../model/errors';
import type { Enricher, VisionQuestion } from '../../model/page/vision';

/** Returns the image of an item; undefined if there is none. */
export type FindImage = (item: NodeItem) => VisionQuestion['image'];

/**
 * The enrichment of one type of item: how to build the question, or undefined if the item needs none, and how to apply the
 * answer.
 */
export interface Asking<Item> {
  question: (item: Item, enricher: Enricher, image: VisionQuestion['image']) => VisionQuestion | undefined;
  /** Throws MODEL_ANSWER_INVALID for an unusable answer. */
  apply: (item: Item, answer: string, enricher: Enricher, question: VisionQuestion) => void;
  /** True if a truncated answer is still useful. */
  acceptsTruncated?: boolean;
}

/** Messages quote at most this many characters of an answer. */
const maxExcerpt = 120;

/** The message includes the beginning of the answer, so that users see what the model wrote. */
export function createAnswerError(reason: string, answer = ''): AppError {
  const text = answer.replace(/\s+/g, ' ').trim();
  if (text === '') return new AppError('MODEL_ANSWER_INVALID', `${reason}.`);
  const excerpt = text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}…` : text;
  return new AppError('MODEL_ANSWER_INVALID', `${reason}: ${excerpt}`);
}
