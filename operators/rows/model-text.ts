import { countNouns } from '../../model/count-nouns';
import { AppError, asAppError, errorCatalogue } from '../../model/errors';
import type { Row, RowFailure } from '../../model/flow/row';
import {
  addUsage,
  type ModelSettings,
  type ModelUsage,
  createEmptyUsage,
  getUsageMetrics,
} from '../../model/llm/model-host';
import type { ChatRequest } from '../../services/llm/ports';
import type { OperatorContext, OperatorResult } from '../operator';
import { mapConcurrently } from './parallel';

type Context = OperatorContext<'llm'>;
/** Asks the model for a text. Throws MODEL_ANSWER_INVALID when the answer is empty or was cut at its limit. */
export type AskText = (messages: ChatRequest['messages']) => Promise<string>;

/** The result for a text: the new text (null if there was nothing to do), and the number of unread characters. */
export interface WrittenText {
  text: string | null;
  unread: number;
}

/** How to write the texts of an operator. */
export interface TextWriting {
  settings: ModelSettings;
  /** Maximum number of documents in progress. */
  maxConcurrent: number;
  /** The column for the text. */
  column: string;
  /** The noun for the text in messages, such as `summary`. */
  textKind: string;
  write: (row: Row, ask: AskText) => Promise<WrittenText>;
}

/**
 * Adds a text written by a model to each row. If an answer is unusable, only its document fails; the run waits for an
 * unavailable host. The usage is in the metrics, as with every operator that calls models.
 */
export async function writeTexts(
  rows: readonly Row[],
  { settings, maxConcurrent, column, textKind, write }: TextWriting,
  context: Context,
): Promise<OperatorResult> {
  const usage: ModelUsage = createEmptyUsage();
  const outcomes = await mapConcurrently(rows, maxConcurrent, context, async (row, signal) => {
    const ask: AskText = async (messages) => {
      const answer = await context.services.llm.chat({ messages }, settings, signal, (used) => addUsage(usage, used));
      if (answer.text.trim() === '' || answer.isTruncated) {
        const reason = answer.isTruncated ? 'was cut at its limit; set max_tokens higher' : 'is empty';
        throw new AppError('MODEL_ANSWER_INVALID', `The ${textKind} of the model ${reason}.`);
      }
      return answer.text.trim();
    };
    try {
      return { failed: undefined, row, ...(await write(row, ask)) };
    } catch (error) {
      signal.throwIfAborted();
      const { code, message } = asAppError(error);
      if (errorCatalogue[code].scope !== 'document') throw error;
      const failed: RowFailure = { id: row.id, name: row.name, code, message };
      return { failed };
    }
  });
  const done = outcomes.flatMap((outcome) => (outcome.failed === undefined ? [outcome] : []));
  const cut = done.filter(({ unread }) => unread > 0).length;
  return {
    rows: done.map(({ row, text }) => ({ ...row, [column]: text })),
    failed: outcomes.flatMap((outcome) => (outcome.failed === undefined ? [] : [outcome.failed])),
    warnings:
      cut === 0
        ? []
        : [
            `The ${textKind} of ${countNouns(cut, 'document')} leaves out the end of the text; set max_requests higher.`,
          ],
    metrics: getUsageMetrics(usage),
  };
}
