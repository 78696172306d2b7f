import type { NodeItem } from '../../document/model';
import { AppError } from '../../model/errors';
import type { Enricher, VisionQuestion } from '../../model/page/vision';

/** What an item looks like; undefined where nobody knows. */
export type ImageOf = (item: NodeItem) => VisionQuestion['image'];

/** How one item is enriched: its question, undefined where there is nothing to ask, and what an answer changes. */
export interface Asking<Item> {
  question: (item: Item, enricher: Enricher, image: VisionQuestion['image']) => VisionQuestion | undefined;
  /** Throws MODEL_ANSWER_INVALID for an answer that cannot be used. */
  apply: (item: Item, answer: string, enricher: Enricher, question: VisionQuestion) => void;
  /** An answer that was cut off is of use. */
  isWholeInPart?: boolean;
}

/** The beginning of an answer tells people more than that it was wrong. */
export function answerInvalid(reason: string, answer = ''): AppError {
  const said = answer.replace(/\s+/g, ' ').trim();
  const excerpt = said.length > 120 ? `${said.slice(0, 120)}…` : said;
  return new AppError('MODEL_ANSWER_INVALID', `${reason}${said === '' ? '.' : `: ${excerpt}`}`);
}
