import type { DoclingDocument, Formatting, NodeItem } from '../model';
import { isRunOn } from '../run-on';
import { isText } from '../tree';

/**
 * True if raised and lowered text is shown, next to its word: only in documents from PDF. Those of other formats keep the form of
 * the reference, whose Markdown has neither.
 */
export function hasRaisedText({ origin }: DoclingDocument): boolean {
  return origin?.mimetype === 'application/pdf';
}

/**
 * True if no space separates a run from the run before it: the file has none (`isRunOn`), or in documents from PDF, punctuation
 * after note marks and indices, and, where the output marks them (`isMarked`), note marks and indices themselves.
 */
export function isAttached(
  document: DoclingDocument,
  [before, run]: readonly [NodeItem | undefined, NodeItem],
  isMarked = true,
): boolean {
  if (!before || !isText(before) || !isText(run)) return false;
  if (isRunOn(run)) return true;
  if (!hasRaisedText(document)) return false;
  if (isRaised(run.formatting)) return isMarked;
  return isRaised(before.formatting) && /^[.,;:!?)\]}%\u2019\u201d'"-]/.test(run.text);
}

/** True for a raised or a lowered run. */
function isRaised(formatting: Formatting | null | undefined): boolean {
  return formatting !== null && formatting !== undefined && formatting.script !== 'baseline';
}
