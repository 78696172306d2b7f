import type { Formatting, NodeItem } from './model';

/** A run of a paragraph before its ends are trimmed. */
interface Run {
  text: string;
  formatting?: Formatting | null;
}

/** Of English, French, Spanish, Italian and Portuguese; single letters may be exponents. */
const ordinalEnding = /^(?:st|nd|rd|th|er|ère|re|ème|nde|[ºª])(?:[\s.,;:!?)]|$)/;

/**
 * True if `run` follows `before` without white space, as in a word that is half bold, or a full stop after a link. Raised and
 * lowered text is an exception, because not every output marks it: `10` and a raised `2` must not become `102`. The raised letters
 * of an ordinal number (`2nd`) do follow it.
 */
export function runsOn(before: Run | undefined, run: Run): boolean {
  if (!before || /^\s?$/.test(before.text.slice(-1)) || /^(?:\s|$)/.test(run.text)) return false;
  if (isScript(run.formatting)) return /\d$/.test(before.text) && ordinalEnding.test(run.text);
  return !isScript(before.formatting) || /^[.,;:!?)\]}]/.test(run.text);
}

function isScript(formatting: Formatting | null | undefined): boolean {
  return (formatting?.script ?? 'baseline') !== 'baseline';
}

/** The `meta` of a run that follows the previous run without white space. Texts are trimmed, as in the reference. */
export const runOnMeta = { docloom__run_on: true } as const;

/** True if the run was marked with `runOnMeta`. Documents of other programs have no such marks. */
export function isRunOn(run: NodeItem): boolean {
  return run.meta?.['docloom__run_on'] === true;
}

/** Removes the marks, which the reference does not write. */
export function removeRunOnMarks(runs: readonly NodeItem[]): void {
  for (const run of runs) if (isRunOn(run)) run.meta = null;
}
