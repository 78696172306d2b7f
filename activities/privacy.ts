import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { publicMessage, textOfCode } from '../model/public-errors';
import type { PrivateTexts } from '../services/temporal/private-texts';

/**
 * Keeps document content out of histories and logs. Messages and warnings that activities return or throw are replaced with
 * references; references in their arguments are replaced with the texts.
 */
export function createPrivacy(texts: PrivateTexts): ActivityInterceptorsFactory {
  return () => ({
    inbound: {
      async execute(input, next) {
        try {
          return await hideIn(texts, await next({ ...input, args: await texts.reveal(input.args) }));
        } catch (error) {
          throw await hideFailure(texts, error);
        }
      },
    },
  });
}

/** Members of results that contain human-readable text. */
interface ReportedText {
  code?: unknown;
  name?: unknown;
  message?: unknown;
  warnings?: unknown;
  failures?: unknown;
}

async function hideIn(texts: PrivateTexts, result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { message, warnings, failures, code }: ReportedText = result;
  return {
    ...result,
    ...(typeof message === 'string' ? { message: await hideMessage(texts, code, message) } : {}),
    ...(isList(warnings)
      ? { warnings: await Promise.all(warnings.map((warning) => texts.hide(String(warning), 'A warning.'))) }
      : {}),
    ...(isList(failures)
      ? { failures: await Promise.all(failures.map((failure) => hideDocument(texts, failure as ReportedText))) }
      : {}),
  };
}

async function hideDocument(texts: PrivateTexts, failure: ReportedText): Promise<unknown> {
  const name = await texts.hide(typeof failure.name === 'string' ? failure.name : '', 'A document.');
  return hideIn(texts, { ...failure, name });
}

function hideMessage(texts: PrivateTexts, code: unknown, message: string): Promise<string> {
  const known = typeof code === 'string' ? code : 'INTERNAL_ERROR';
  return texts.hide(message, publicMessage({ code: known, message }));
}

/** The same failure without its cause, whose message is private. */
async function hideFailure(texts: PrivateTexts, error: unknown): Promise<unknown> {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  const failure = error instanceof ApplicationFailure ? error : undefined;
  const type = failure?.type ?? name;
  const hidden = ApplicationFailure.create({
    type,
    message: await hideMessage(texts, type, message),
    nonRetryable: failure?.nonRetryable ?? false,
    nextRetryDelay: failure?.nextRetryDelay ?? undefined,
  });
  hidden.stack = [`${type}: ${textOfCode(type)}`, ...getFrames(error), ...getFrames(failure?.cause)].join('\n');
  return hidden;
}

/** The stack frames of an error. Starts after the message, whose lines may look like frames. */
function getFrames(error: unknown): string[] {
  if (!(error instanceof Error) || !error.stack) return [];
  const end = error.stack.indexOf(error.message);
  if (end < 0) return [];
  const frames = error.stack.slice(end + error.message.length).split('\n');
  return frames.filter((line) => /^ {4}at /.test(line));
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
