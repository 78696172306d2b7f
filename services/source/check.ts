import type { Reader } from '../../model/access';
import { normalizeAccessList } from '../../model/access-list';
import { countNouns } from '../../model/count-nouns';
import { AppError, asAppError, type ErrorCode } from '../../model/errors';
import { seesDocument } from '../../model/run/rights';
import { choosesByName } from '../../model/source/filesystem-source';
import { type SourceKind, type SourceRight, sourceRights } from '../../model/source/kind';
import { createTimeLimit } from '../../model/time/time-limit';
import type { Source, SourceEntry } from './source';

/** The answer for one right that a source needs. */
export interface CheckedRight {
  right: SourceRight;
  /** What grants the right. */
  needs: string;
  /** `unknown`: it could not be tried. */
  outcome: 'granted' | 'denied' | 'unknown';
  code?: ErrorCode;
  message: string;
}

/** What to check, and for whom. */
export interface SourceCheck {
  kind: SourceKind;
  config: Record<string, unknown>;
  signal: AbortSignal;
  /** Users who must all be allowed to read the document used for the check. Absent: no restriction. */
  readers?: readonly Reader[] | undefined;
}

type Answer = Omit<CheckedRight, 'right' | 'needs'>;
type Answers = Partial<Record<SourceRight, Answer>>;

/** Maximum number of listed documents. */
const maxListed = 200;
const listingMs = 8_000;
/** Maximum size of the document that is read. */
const maxReadBytes = 16 * 1024 * 1024;
/** Number of documents of which at least one must be readable. */
const maxReadAttempts = 3;

/** The right that an error of a source denies. Other errors deny the right that was being tried. */
const denies: Readonly<Partial<Record<ErrorCode, SourceRight>>> = {
  ADDRESS_NOT_ALLOWED: 'reach',
  ADDRESS_INVALID: 'reach',
  CONNECTION_ERROR: 'reach',
  SERVICE_UNAVAILABLE: 'reach',
  EXTERNAL_SERVICE_ERROR: 'reach',
  SOURCE_SIGN_IN_FAILED: 'sign_in',
  ACCESS_LIST_INVALID: 'access',
};

/**
 * Tries each right by using it: lists up to 200 documents and reads a small one that the readers may see. Messages contain
 * names from the configuration and numbers, never the name of a document.
 */
export async function checkSource(source: Source, check: SourceCheck): Promise<CheckedRight[]> {
  const answers = await tryRights(source, check);
  return sourceRights.flatMap((right) => {
    const needs = check.kind.rights[right];
    return needs === undefined ? [] : [{ right, needs, ...(answers[right] ?? reportNotTried(answers)) }];
  });
}

async function tryRights(source: Source, check: SourceCheck): Promise<Answers> {
  const listing = await listSome(source, check);
  if (listing instanceof AppError) return reportDenied(listing, 'list', check);
  const { entries: listed, isComplete } = listing;
  // With a choice by name, a count of documents that the readers may not see would reveal which names exist.
  const isCounted = !choosesByName(check.config) || (check.readers ?? []).length === 0;
  const entries = isCounted ? listed : listed.filter((entry) => isVisible(check.readers ?? [], entry));
  const failures = entries.flatMap(({ failure }) => (failure ? [failure] : []));
  // A source that requests each address separately has no error for the listing as a whole.
  const refused = failures.find(({ code }) => ['reach', 'sign_in'].includes(denies[code as ErrorCode] ?? ''));
  if (refused && failures.length === entries.length)
    return reportDenied(new AppError(refused.code as ErrorCode, refused.message), 'reach', check);
  return {
    reach: reportGranted('The server answers.'),
    sign_in: reportGranted('The server accepts the sign-in.'),
    list: reportListing(entries, isComplete || !isCounted),
    access: reportAccessLists(entries),
    read: await tryReading(source, check, entries),
  };
}

function reportListing(entries: readonly SourceEntry[], isExact: boolean): Answer {
  const unlisted = entries.filter(({ incomplete }) => incomplete).length;
  const found = `${isExact ? '' : 'more than '}${countNouns(entries.length - unlisted, 'document')} found.`;
  if (unlisted === 0) return reportGranted(found);
  const message = `${countNouns(unlisted, 'folder')} cannot be listed; ${found}`;
  return { outcome: 'denied', code: 'SOURCE_UNREADABLE', message };
}

async function listSome(
  source: Source,
  { config, signal, readers }: SourceCheck,
): Promise<{ entries: SourceEntry[]; isComplete: boolean } | AppError> {
  const limit = createTimeLimit(listingMs);
  const entries: SourceEntry[] = [];
  try {
    for await (const entry of source.list(config, AbortSignal.any([signal, limit]), { readers })) {
      if (entries.length === maxListed) return { entries, isComplete: false };
      entries.push(entry);
    }
    return { entries, isComplete: true };
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) return asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    if (entries.length > 0) return { entries, isComplete: false };
    return new AppError('SERVICE_UNAVAILABLE', `There was no answer within ${listingMs / 1_000} s.`, {}, error);
  }
}

/** The rights before the denied one were used without an error, so they are granted. */
function reportDenied({ code, message }: AppError, tried: SourceRight, { kind }: SourceCheck): Answers {
  const denied = denies[code] ?? tried;
  const right = kind.rights[denied] === undefined ? 'list' : denied;
  const before = sourceRights.slice(0, sourceRights.indexOf(right));
  return {
    ...Object.fromEntries(before.map((item) => [item, reportGranted('The server did not refuse it.')])),
    [right]: { outcome: 'denied', code, message },
  };
}

function reportAccessLists(entries: readonly SourceEntry[]): Answer {
  const invalid = entries.filter(({ failure }) => failure?.code === 'ACCESS_LIST_INVALID').length;
  if (invalid > 0)
    return {
      outcome: 'denied',
      code: 'ACCESS_LIST_INVALID',
      message: `The access lists of ${countNouns(invalid, 'document')} cannot be used, so nobody could read them.`,
    };
  const listed = entries.filter(({ allowedUsers }) => allowedUsers !== undefined).length;
  return reportGranted(`Access lists cover ${listed} of ${countNouns(entries.length, 'document')}.`);
}

async function tryReading(source: Source, check: SourceCheck, entries: readonly SourceEntry[]): Promise<Answer> {
  const { config, signal, readers = [] } = check;
  const readable = entries
    .filter((entry) => !entry.failure && !entry.skip && entry.size <= maxReadBytes && maySee(readers, entry))
    .toSorted((entry, other) => entry.size - other.size)
    .slice(0, maxReadAttempts);
  if (readable.length === 0) {
    const failure = entries.find((entry) => entry.failure && !entry.incomplete && maySee(readers, entry))?.failure;
    return failure
      ? { outcome: 'denied', code: failure.code as ErrorCode, message: 'None of the documents found can be read.' }
      : { outcome: 'unknown', message: 'No document was found that can be read for the check.' };
  }
  const params = config['connection_params'] as Record<string, unknown> | undefined;
  const limited = { ...config, connection_params: { ...params, max_file_size_mb: maxReadBytes / 1024 / 1024 } };
  let code: ErrorCode = 'SOURCE_UNREADABLE';
  for (const { path } of readable) {
    try {
      await source.read(path, limited, signal);
      return reportGranted('A document was read.');
    } catch (error) {
      signal.throwIfAborted();
      ({ code } = asAppError(error, 'SOURCE_UNREADABLE'));
    }
  }
  return {
    outcome: 'denied',
    code,
    message: `${countNouns(readable.length, 'document')} could be listed, but not read.`,
  };
}

/** Documents without a list get one that includes the reader. Documents under an invalid list are visible to nobody. */
function maySee(
  readers: readonly Reader[],
  { allowedUsers, allowedPrincipals, deniedPrincipals, requiredLists }: SourceEntry,
) {
  if (allowedUsers === undefined || readers.length === 0) return true;
  return seesDocument(
    readers,
    normalizeAccessList({
      allowed_users: allowedUsers,
      allowed_principals: allowedPrincipals,
      denied_principals: deniedPrincipals,
      required_lists: requiredLists,
    }),
  );
}

function isVisible(readers: readonly Reader[], entry: SourceEntry): boolean {
  return entry.failure?.code !== 'ACCESS_LIST_INVALID' && maySee(readers, entry);
}

function reportNotTried(answers: Answers): Answer {
  const denied = sourceRights.find((right) => answers[right]?.outcome === 'denied');
  return { outcome: 'unknown', message: `Not tried, because \`${denied ?? 'list'}\` was denied.` };
}

function reportGranted(message: string): Answer {
  return { outcome: 'granted', message };
}
