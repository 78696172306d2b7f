import type { DoclingDocument, Formatting, NodeItem } from '../model';
import { isRunOn } from '../run-on';
import { isText } from '../tree';

/**
 * True for documents from PDF: only their output marks raised and lowered text, next to its word. The output of other formats is
 * that of the reference, whose Markdown marks neither.
 */
export function hasRaisedText({ origin }: DoclingDocument): boolean {
  return origin?.mimetype === 'application/pdf';
}

/**
 * True if no space separates a run from the run before it, because the file has none. In documents from PDF, also true for note
 * marks and indices if the output marks them (`isMarked`), and for punctuation after them.
 */
export function isAttached(
  document: DoclingDocument,
  [before, run]: readonly [NodeItem | undefined, NodeItem],
  isMarked = true,
): boolean {
  if (!before || !isText(before) || !isText(run)) return false;
  if (isRunOn(run)) return true;
  if (!hasRaisedText(document)) return false;
  if (isRaisedOrLowered(run.formatting)) return isMarked;
  return isRaisedOrLowered(before.formatting) && /^[.,;:!?)\]}%\u2019\u201d'"-]/.test(run.text);
}

function isRaisedOrLowered(formatting: Formatting | null | undefined): boolean {
  return formatting !== null && formatting !== undefined && formatting.script !== 'baseline';
}
