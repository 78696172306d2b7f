import { randomBytes, randomUUID } from 'node:crypto';
import { AppError, type ErrorCode } from '../../model/errors';
import {
  type DestinationKind,
  destinationNeeds,
  type DestinationRight,
  destinationRights,
} from '../../model/export/destination';
import { createGoogleTokens } from '../cloud/google-token';
import type { AddressGuard } from '../net/address-guard';
import { openBucketPlace } from './bucket-place';
import { openCloudPlace } from './cloud-place';
import { type ExportLimits, openProbeFolder } from './folder-place';
import type { ExportPlace, FileTarget } from './place';

/** The answer for one right that an export needs. */
export interface CheckedDestinationRight {
  right: DestinationRight;
  /** What grants the right. */
  needs: string;
  /** `unknown`: it could not be tried. */
  outcome: 'granted' | 'denied' | 'unknown';
  code?: ErrorCode;
  message: string;
}

/** Tries the rights that an export needs at its destination. */
export interface DestinationChecks {
  /**
   * Writes a file under a new name that starts with a dot, reads it and removes it. Nothing that exists is read or changed. Messages
   * never quote the server or name a path. The caller has made sure that the user may export to the folder.
   */
  check(target: FileTarget): Promise<CheckedDestinationRight[]>;
}

type Answer = Omit<CheckedDestinationRight, 'right' | 'needs'>;
type Answers = Partial<Record<DestinationRight, Answer>>;

/** A server that sends more for a file of this size is lying. */
const probeBytes = 32;

/** Opens places without creating or tidying anything in them. */
export function createDestinationChecks({
  guard,
  limits,
}: {
  guard: AddressGuard;
  limits: ExportLimits;
}): DestinationChecks {
  const tokens = createGoogleTokens();
  const open = async (target: FileTarget): Promise<ExportPlace> => {
    if (target.kind === 'folder') return await openProbeFolder(target.path, limits);
    return target.kind === 's3' ? openBucketPlace(target, guard) : openCloudPlace(target, { guard, tokens });
  };
  return {
    async check(target) {
      const place = await open(target).catch((error: unknown) => reportUnopened(error, target.kind));
      if (!('key' in place)) return listAnswers(target.kind, place);
      try {
        return listAnswers(target.kind, await tryPlace(place));
      } finally {
        place.close();
      }
    },
  };
}

/** The answers in the order of the rights that the destination needs. */
function listAnswers(kind: DestinationKind, answers: Answers): CheckedDestinationRight[] {
  const denied = destinationRights.find((right) => answers[right]?.outcome === 'denied');
  const notTried: Answer = { outcome: 'unknown', message: `Not tried, because \`${denied ?? 'reach'}\` was denied.` };
  return destinationRights.flatMap((right) => {
    const needs = destinationNeeds[kind][right];
    return needs === undefined ? [] : [{ right, needs, ...(answers[right] ?? notTried) }];
  });
}

/** The same answer for every right of the destination. */
export function answerAll(kind: DestinationKind, answer: Answer): CheckedDestinationRight[] {
  return listAnswers(kind, Object.fromEntries(destinationRights.map((right) => [right, answer])));
}

/** The answer for a destination that may not be tried at all. */
export function refuseDestination(kind: DestinationKind, message: string): CheckedDestinationRight[] {
  return listAnswers(kind, { reach: { outcome: 'denied', code: 'EXPORT_NOT_ALLOWED', message } });
}

/** One answer for whatever is wrong with a folder: which files and links exist around it is nobody's business. */
const folderRefusal =
  'Flows may not export there: it must be a folder below one of DOCLOOM_EXPORT_ROOTS, without a part that begins with a dot and without a link out of it, and must not belong to Docloom or to the system.';

function reportUnopened(error: unknown, kind: DestinationKind): Answers {
  if (!(error instanceof AppError)) throw error;
  if (kind === 'folder') return { reach: { outcome: 'denied', code: 'EXPORT_NOT_ALLOWED', message: folderRefusal } };
  const message = 'The address or the credentials do not have the expected form.';
  return { reach: { outcome: 'denied', code: error.code, message } };
}

async function tryPlace(place: ExportPlace): Promise<Answers> {
  const name = `.docloom-check-${randomUUID()}`;
  const first = randomBytes(probeBytes);
  const second = randomBytes(probeBytes);
  const answered = { reach: reportGranted('It answers.'), sign_in: reportGranted('The credentials are accepted.') };
  const missing = await attempt('read', answered, async () => expectContent(place, name, undefined));
  if (missing) return missing;
  const written = await attempt('write', answered, async () => {
    if (!(await place.create(name, first, mediaType))) throw createMismatch('a new name is taken');
    await place.put(name, second, mediaType);
  });
  if (written) {
    // The server may have written before it failed.
    await place.remove(name).catch(() => undefined);
    return written;
  }
  const read = await attempt('read', answered, async () => expectContent(place, name, second));
  const removed = await attempt('remove', answered, async () => {
    await place.remove(name);
    await expectContent(place, name, undefined);
  });
  const all = {
    ...answered,
    write: reportGranted(place.note ?? 'A file was created and replaced.'),
    read: reportGranted('The file was read back.'),
    remove: reportGranted('The file was removed.'),
  };
  const kept = removed?.remove && {
    ...removed.remove,
    message: `${removed.remove.message} The file ${name} may remain.`,
  };
  return { ...all, ...read, ...removed, ...(kept ? { remove: kept } : {}) };
}

const mediaType = 'application/octet-stream';

/** The answers if the work fails; undefined if it succeeds. */
async function attempt(
  tried: DestinationRight,
  answered: Answers,
  work: () => Promise<void>,
): Promise<Answers | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const right = findDeniedRight(error, tried);
    const before = right === 'reach' ? {} : { reach: answered.reach, ...(right === 'sign_in' ? {} : answered) };
    return { ...(before as Answers), [right]: describeFailure(error, right) };
  }
}

async function expectContent(place: ExportPlace, name: string, expected: Uint8Array | undefined): Promise<void> {
  const found = await place.read(name, probeBytes);
  const isExpected = found && expected ? Buffer.from(found).equals(expected) : found === expected;
  if (!isExpected) throw createMismatch('it returns something else than was written');
}

function createMismatch(reason: string): AppError {
  return new AppError('INVALID_RESPONSE', `The server is not consistent: ${reason}.`);
}

const addressCodes: readonly string[] = ['ADDRESS_NOT_ALLOWED', 'ADDRESS_INVALID'];
const reachCodes: readonly string[] = [...addressCodes, 'CONNECTION_ERROR', 'SERVICE_UNAVAILABLE', 'SOURCE_NOT_FOUND'];
const noPlace = /^NoSuchBucket$/;
const noSignIn =
  /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|AuthorizationHeaderMalformed|RequestTimeTooSkewed)$/;

interface Cause {
  code?: unknown;
  name?: unknown;
  $metadata?: { httpStatusCode?: number };
}

/** The error and its causes, outermost first. */
function* iterateCauses(error: unknown): Generator<Cause> {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth++)
    yield current;
}

function findDeniedRight(error: unknown, tried: DestinationRight): DestinationRight {
  for (const { code, name, $metadata } of iterateCauses(error)) {
    if (code === 'SOURCE_SIGN_IN_FAILED' || noSignIn.test(String(name)) || $metadata?.httpStatusCode === 401)
      return 'sign_in';
    if (reachCodes.includes(String(code)) || noPlace.test(String(name))) return 'reach';
  }
  return tried;
}

/** Short names of errors are shown, texts of servers are not: they may repeat what the request contained. */
const errorName = /^[A-Za-z][A-Za-z_0-9]{1,50}$/;
const plainNames = new Set(['Error', 'AppError', 'TypeError', 'UnknownError']);

function describeFailure(error: unknown, right: DestinationRight): Answer {
  const code: ErrorCode = error instanceof AppError ? error.code : 'EXTERNAL_SERVICE_ERROR';
  if (error instanceof AppError && (addressCodes.includes(code) || code === 'INVALID_RESPONSE'))
    return { outcome: 'denied', code, message: error.message };
  const names = [...iterateCauses(error)]
    .filter((cause) => !(cause instanceof AppError))
    .flatMap((cause) => [cause.code, cause.name])
    .filter((name): name is string => typeof name === 'string' && errorName.test(name) && !plainNames.has(name));
  const reason = names[0] === undefined ? '' : ` (${names[0]})`;
  return { outcome: 'denied', code, message: `${failures[right]}${reason}.` };
}

const failures: Readonly<Record<DestinationRight, string>> = {
  reach: 'There is no answer, or no such bucket or container',
  sign_in: 'The credentials are refused',
  write: 'A file could not be written',
  read: 'A file could not be read',
  remove: 'A file could not be removed',
};

const reportGranted = (message: string): Answer => ({ outcome: 'granted', message });
