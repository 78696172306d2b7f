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
import { type Answer, type Answers, type CheckedDestinationRight, reportGranted } from './answers';
import { openBucketPlace } from './bucket-place';
import { openCloudPlace } from './cloud-place';
import { type ExportLimits, openProbeFolder } from './folder-place';
import { checkIndex } from './index-check';
import type { ExportPlace, ExportTarget, FileTarget } from './place';

/** Tries the rights that an export needs at its destination. */
export interface DestinationChecks {
  /**
   * Writes a file under a new name that starts with a dot, reads it and removes it; asks Elasticsearch without writing. Nothing that
   * exists is read or changed. Messages never quote the server or name a path. The caller has made sure that the user may export to the
   * folder.
   */
  check(target: ExportTarget): Promise<CheckedDestinationRight[]>;
}

/** Size of the file that is written, and the most that is read back. */
const probeBytes = 32;
const mediaType = 'application/octet-stream';

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
      if (target.kind === 'elasticsearch') return listAnswers(target.kind, await checkIndex(target, guard));
      let place: ExportPlace;
      try {
        place = await open(target);
      } catch (error) {
        return listAnswers(target.kind, { reach: describeUnopened(error, target.kind) });
      }
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

/** The same answer for every problem of a folder, so that it does not reveal which files and links exist around it. */
const folderRefusal =
  'Flows may not export there: it must be a folder below one of DOCLOOM_EXPORT_ROOTS, without a part that begins with a dot and without a link out of it, and must not belong to Docloom or to the system.';

function describeUnopened(error: unknown, kind: DestinationKind): Answer {
  if (!(error instanceof AppError)) throw error;
  if (kind === 'folder') return { outcome: 'denied', code: 'EXPORT_NOT_ALLOWED', message: folderRefusal };
  const message = 'The address or the credentials do not have the expected form.';
  return { outcome: 'denied', code: error.code, message };
}

/** The answers that follow from any successful request, or from a failure of another right. */
const connected = { reach: reportGranted('It answers.'), sign_in: reportGranted('The credentials are accepted.') };

async function tryPlace(place: ExportPlace): Promise<Answers> {
  const name = `.docloom-check-${randomUUID()}`;
  const first = randomBytes(probeBytes);
  const second = randomBytes(probeBytes);
  const openFailure = await findFailure('read', async () => expectContent(place, name, undefined));
  if (openFailure) return openFailure;
  const writeFailure = await findFailure('write', async () => {
    if (!(await place.create(name, first, mediaType))) throw createMismatch('a new name is taken');
    await place.put(name, second, mediaType);
  });
  if (writeFailure) {
    // The server may have written before it failed.
    await place.remove(name).catch(() => undefined);
    return writeFailure;
  }
  const readFailure = await findFailure('read', async () => expectContent(place, name, second));
  const removeFailure = await findFailure('remove', async () => {
    await place.remove(name);
    await expectContent(place, name, undefined);
  });
  if (removeFailure?.remove) removeFailure.remove.message += ` The file ${name} may remain.`;
  return {
    ...connected,
    write: reportGranted(place.note ?? 'A file was created and replaced.'),
    read: reportGranted('The file was read back.'),
    remove: reportGranted('The file was removed.'),
    ...readFailure,
    ...removeFailure,
  };
}

/** The answers if the work fails, with those for the rights before; undefined if it succeeds. */
async function findFailure(tried: DestinationRight, work: () => Promise<void>): Promise<Answers | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const right = findDeniedRight(error, tried);
    const failure = describeFailure(error, right);
    if (right === 'reach') return { reach: failure };
    if (right === 'sign_in') return { reach: connected.reach, sign_in: failure };
    return { ...connected, [right]: failure };
  }
}

async function expectContent(place: ExportPlace, name: string, expected: Uint8Array | undefined): Promise<void> {
  const found = await place.read(name, probeBytes);
  const isExpected = found && expected ? Buffer.from(found).equals(expected) : found === expected;
  if (!isExpected) throw createMismatch('it does not return what was written');
}

function createMismatch(reason: string): AppError {
  return new AppError('INVALID_RESPONSE', `The server is not consistent: ${reason}.`);
}

const addressCodes: readonly string[] = ['ADDRESS_NOT_ALLOWED', 'ADDRESS_INVALID'];
const reachCodes: readonly string[] = [...addressCodes, 'CONNECTION_ERROR', 'SERVICE_UNAVAILABLE', 'SOURCE_NOT_FOUND'];
const missingPlaceNames = /^NoSuchBucket$/;
const signInNames =
  /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|AuthorizationHeaderMalformed|RequestTimeTooSkewed)$/;

interface Cause {
  code?: unknown;
  name?: unknown;
  $metadata?: { httpStatusCode?: number };
}

/** Causes can form a circle. */
const maxCauses = 8;

/** The error and its causes, outermost first. */
function* iterateCauses(error: unknown): Generator<Cause> {
  for (let current = error, depth = 0; current instanceof Error && depth < maxCauses; depth += 1) {
    yield current;
    current = current.cause;
  }
}

function findDeniedRight(error: unknown, tried: DestinationRight): DestinationRight {
  for (const { code, name, $metadata } of iterateCauses(error)) {
    if (code === 'SOURCE_SIGN_IN_FAILED' || signInNames.test(String(name)) || $metadata?.httpStatusCode === 401)
      return 'sign_in';
    if (reachCodes.includes(String(code)) || missingPlaceNames.test(String(name))) return 'reach';
  }
  return tried;
}

/** Short names of errors are shown. Texts of servers are not: they may repeat what the request contained. */
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
