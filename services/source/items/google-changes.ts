import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { parseJson } from '../../../model/json';
import type { GoogleDriveSettings } from '../../../model/source/online/google-drive-source';
import { parse } from '../../../model/validate';
import { addQuery } from '../../cloud/cloud-store';
import { mapInParallel } from '../../pacing/map-in-parallel';
import { DriveFile, fileMembers, toItem } from './google-file';
import type { ChangePage, PlacedItem } from './item';
import { type JsonApi } from './json-api';

const Start = Type.Object({ startPageToken: Type.String({ minLength: 1, maxLength: 4_000 }) });
const Files = Type.Object({
  files: Type.Array(DriveFile),
  nextPageToken: Type.Optional(Type.String()),
  incompleteSearch: Type.Optional(Type.Boolean()),
});
const Changes = Type.Object({
  changes: Type.Array(
    Type.Object({
      fileId: Type.Optional(Type.String({ maxLength: 512 })),
      removed: Type.Optional(Type.Boolean()),
      file: Type.Optional(DriveFile),
    }),
  ),
  nextPageToken: Type.Optional(Type.String()),
  newStartPageToken: Type.Optional(Type.String()),
});
/** `from`: the token of the changes to read next. `page`: first, the rest of the listing of all files. */
const Cursor = Type.Object({ from: Type.String(), page: Type.Optional(Type.String()) });

/** A drive to follow. */
interface FollowedDrive {
  api: JsonApi;
  settings: GoogleDriveSettings;
  signal: AbortSignal;
}

const requestedMembers = `${fileMembers},parents`;
const parallelRequests = 8;

/**
 * A page of the changes of a drive. The first pages are the listing of all files; the token of the changes is older
 * than the listing, so that no change in between is missed.
 */
export async function readGoogleChanges(
  drive: FollowedDrive,
  cursor: string | undefined,
): Promise<ChangePage | undefined> {
  if (cursor === undefined) return await readFiles(drive, { from: await readStart(drive) });
  const position = parse(Cursor, parseJson(cursor), 'The cursor of a drive', 'INVALID_RESPONSE');
  return position.page === undefined ? await readChanges(drive, position.from) : await readFiles(drive, position);
}

/** The files that the account no longer finds. */
export async function findGoneFiles(
  { api, settings, signal }: FollowedDrive,
  ids: readonly string[],
): Promise<readonly string[]> {
  const isGone = await mapInParallel(ids, parallelRequests, async (id) => {
    const url = getApiUrl(settings, `files/${encodeURIComponent(id)}`, { fields: 'id,trashed' });
    const file = await api.read(url, DriveFile, signal);
    return !file || file.trashed === true;
  });
  return ids.filter((_, index) => isGone[index]);
}

async function readStart({ api, settings, signal }: FollowedDrive): Promise<string> {
  const start = await api.read(getApiUrl(settings, 'changes/startPageToken', buildDriveQuery(settings)), Start, signal);
  if (start) return start.startPageToken;
  throw new AppError('SOURCE_NOT_FOUND', `${api.place} does not have the drive.`);
}

async function readFiles(
  { api, settings, signal }: FollowedDrive,
  { from, page: pageToken }: Static<typeof Cursor>,
): Promise<ChangePage | undefined> {
  const url = getApiUrl(settings, 'files', {
    ...buildDriveQuery(settings),
    q: 'trashed = false',
    corpora: settings.driveId === undefined ? 'user' : 'drive',
    pageSize: '500',
    fields: `nextPageToken,incompleteSearch,files(${requestedMembers})`,
    ...(pageToken === undefined ? {} : { pageToken }),
  });
  const filePage = await api.read(url, Files, signal);
  if (!filePage) return undefined;
  // Servers leave out what they could not search; missing documents would look deleted.
  if (filePage.incompleteSearch)
    throw new AppError('SOURCE_UNREADABLE', `${api.place} did not list the drive completely.`);
  const { files, nextPageToken: page } = filePage;
  return {
    items: files.flatMap(toPlaced),
    gone: [],
    cursor: JSON.stringify({ from, ...(page ? { page } : {}) }),
    isLast: false,
  };
}

async function readChanges(
  { api, settings, signal }: FollowedDrive,
  pageToken: string,
): Promise<ChangePage | undefined> {
  const url = getApiUrl(settings, 'changes', {
    ...buildDriveQuery(settings),
    pageToken,
    pageSize: '500',
    fields: `nextPageToken,newStartPageToken,changes(fileId,removed,file(${requestedMembers}))`,
  });
  const page = await api.read(url, Changes, signal);
  if (!page) return undefined;
  const { changes, nextPageToken: next, newStartPageToken: last } = page;
  const from = next ?? last;
  if (from === undefined)
    throw new AppError('INVALID_RESPONSE', `${api.place} does not say where the changes of a drive continue.`);
  return {
    items: changes.flatMap(({ file, removed }) => (file && !removed ? toPlaced(file) : [])),
    gone: changes.flatMap(({ fileId, file, removed }) => (fileId && (removed || file?.trashed) ? [fileId] : [])),
    cursor: JSON.stringify({ from }),
    isLast: next === undefined,
  };
}

function buildDriveQuery({ driveId }: GoogleDriveSettings): Record<string, string> {
  return { includeItemsFromAllDrives: 'true', ...(driveId === undefined ? {} : { driveId }) };
}

function getApiUrl({ endpoint }: GoogleDriveSettings, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(`${endpoint}/drive/v3/${path}`);
  addQuery(url, { supportsAllDrives: 'true', ...query });
  return url;
}

function toPlaced(file: DriveFile): PlacedItem[] {
  return toItem(file).map((item) => ({ ...item, parents: file.parents ?? [] }));
}
