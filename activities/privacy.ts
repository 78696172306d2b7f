import { ApplicationFailure, CancelledFailure, CompleteAsyncError, Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { categoryTexts, isErrorCategory } from '../model/conversion/task/task';
import { toPublicMessage, getCatalogueText } from '../model/public-errors';
import type { PrivateTexts } from '../services/temporal/private-texts';
import { type ConductOptions, runActivityWork } from './conduct';
import { createOutageReport } from './waits';

type Hide = PrivateTexts['hide'];

/** Keeps a text out of the history without storing it. */
const omit: Hide = (text, shown) => Promise.resolve(text === '' ? '' : shown);

/** Workflows that show what their activities wait for. The others would not read the signal. */
const showingWaits = new Set(['runFlow', 'scheduledRun', 'convert', 'convertPart', 'buildGraph', 'updateGraph']);

/**
 * Keeps document content out of histories and logs. Messages and warnings that activities return or throw are replaced
 * with references; references in their arguments are replaced with the texts. Waits for an unavailable database,
 * because the texts exist nowhere else; after `waitMs`, the texts are lost and only their codes remain.
 */
export function createPrivacy(
  texts: Pick<PrivateTexts, 'hide' | 'reveal'>,
  { waitMs }: Pick<ConductOptions, 'waitMs'>,
): ActivityInterceptorsFactory {
  const createConductOptions = (): ConductOptions =>
    showingWaits.has(Context.current().info.workflowType ?? '') ? { waitMs, ...createOutageReport() } : { waitMs };
  const replace = async <Value>(work: (hide: Hide) => Promise<Value>): Promise<Value> => {
    try {
      return await runActivityWork(() => work(texts.hide), createConductOptions());
    } catch (error) {
      if (error instanceof CancelledFailure) throw error;
      return work(omit);
    }
  };
  return () => ({
    inbound: {
      async execute(input, next) {
        let result: unknown;
        try {
          const args = await runActivityWork(() => texts.reveal(input.args), createConductOptions());
          result = await next({ ...input, args });
        } catch (error) {
          throw await replace((hide) => hideFailure(hide, error));
        }
        return replace((hide) => hideIn(hide, result));
      },
    },
  });
}

/** Members of results that contain human-readable text. */
interface ReportedText {
  code?: unknown;
  /** In place of a code, for documents of conversions. */
  category?: unknown;
  name?: unknown;
  message?: unknown;
  warnings?: unknown;
  failures?: unknown;
}

async function hideIn(hide: Hide, result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { message, warnings, failures, code, category }: ReportedText = result;
  return {
    ...result,
    ...(typeof message === 'string' ? { message: await hideReason(hide, { code, category }, message) } : {}),
    ...(isList(warnings)
      ? { warnings: await Promise.all(warnings.map((warning) => hide(String(warning), 'A warning.'))) }
      : {}),
    ...(isList(failures)
      ? { failures: await Promise.all(failures.map((failure) => hideDocument(hide, failure as ReportedText))) }
      : {}),
  };
}

async function hideDocument(hide: Hide, failure: ReportedText): Promise<unknown> {
  const name = await hide(typeof failure.name === 'string' ? failure.name : '', 'A document.');
  return hideIn(hide, { ...failure, name });
}

/** Shows the meaning of the code, or of the category if there is no code. */
function hideReason(hide: Hide, { code, category }: ReportedText, message: string): Promise<string> {
  const meaning = code === undefined && isErrorCategory(category) ? categoryTexts[category] : undefined;
  return meaning === undefined ? hideMessage(hide, code, message) : hide(message, meaning);
}

function hideMessage(hide: Hide, code: unknown, message: string): Promise<string> {
  const errorCode = typeof code === 'string' ? code : 'INTERNAL_ERROR';
  return hide(message, toPublicMessage({ code: errorCode, message }));
}

/** The same failure without its cause, whose message is private. */
async function hideFailure(hide: Hide, error: unknown): Promise<unknown> {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  const failure = error instanceof ApplicationFailure ? error : undefined;
  const type = failure?.type ?? name;
  const hidden = ApplicationFailure.create({
    type,
    message: await hideMessage(hide, type, message),
    nonRetryable: failure?.nonRetryable ?? false,
    nextRetryDelay: failure?.nextRetryDelay ?? undefined,
  });
  hidden.stack = [`${type}: ${getCatalogueText(type)}`, ...listFrames(error), ...listFrames(failure?.cause)].join('\n');
  return hidden;
}

/** The stack frames of an error. Starts after the message, whose lines may look like frames. */
function listFrames(error: unknown): string[] {
  if (!(error instanceof Error) || !error.stack) return [];
  const end = error.stack.indexOf(error.message);
  if (end < 0) return [];
  const frames = error.stack.slice(end + error.message.length).split('\n');
  return frames.filter((line) => /^ {4}at /.test(line));
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
