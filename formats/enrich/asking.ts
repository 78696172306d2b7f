import type { NodeItem } from '../../document/model';
import { AppError } from '../../model/errors';
import type { Enricher, VisionQuestion } from '../../model/page/vision';

/** Returns the image of an item; undefined if there is none. */
export type ImageOf = (item: NodeItem) => VisionQuestion['image'];

/**
 * The enrichment of one type of item: the question, undefined if there is none, and the change that an answer makes to the
 * item.
 */
export interface Asking<Item> {
  question: (item: Item, enricher: Enricher, image: VisionQuestion['image']) => VisionQuestion | undefined;
  /** Throws MODEL_ANSWER_INVALID for an unusable answer. */
  apply: (item: Item, answer: string, enricher: Enricher, question: VisionQuestion) => void;
  /** True if a truncated answer is still useful. */
  acceptsTruncated?: boolean;
}

/** The message includes the beginning of the answer, so that users see what the model wrote. */
export function answerInvalid(reason: string, answer = ''): AppError {
  const said = answer.replace(/\s+/g, ' ').trim();
  const excerpt = said.length > 120 ? `${said.slice(0, 120)}…` : said;
  return new AppError('MODEL_ANSWER_INVALID', `${reason}${said === '' ? '.' : `: ${excerpt}`}`);
}
