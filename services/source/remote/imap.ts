import type { FetchMessageObject, ImapFlow, ListResponse } from 'imapflow';
import { AppError } from '../../../model/errors';
import { type ImapSourceSettings, readImapSettings } from '../../../model/source/imap-source';
import { decodePart } from '../../../model/url-path';
import type { AddressGuard } from '../../net/address-guard';
import { createConnectedSource } from '../connected-source';
import { createFileFilter, type FileFilter } from '../file-filter';
import { findSizeFailure, limitBytes } from '../limit-bytes';
import type { SourceRights } from '../posix/rights';
import type { EntryAccess, Source, SourceEntry } from '../source';
import { connectImap, formatPlace, limitAnswer, maxFetchedBytes, toImapError } from './imap-client';
import { type FindMailboxRights, type ListedMailbox, openMailboxRights } from './imap-rights';

interface Mailbox {
  client: ImapFlow;
  settings: ImapSourceSettings;
  filter: FileFilter;
  signal: AbortSignal;
}

/** A listing of its folders. */
interface Listing extends Mailbox {
  findRights: FindMailboxRights;
}

/** A folder; `path` in the form of the server, `names` as its levels. */
type Folder = ListedMailbox;

const maxFolders = 10_000;
const maxMessages = 1_000_000;
/** If the rights of a folder apply and it cannot be opened, its name must not be revealed to anybody. */
const nobody: EntryAccess = { allowedUsers: [], hasSourceRights: true };
/** Number of messages whose properties are fetched at once. */
const messagesPerFetch = 500;
/** Longer subjects are truncated in file names. */
const maxSubjectLength = 100;

/**
 * Lists messages in the folders of a mailbox as `.eml` documents; their attachments are found as in every message. Folders are
 * opened read-only, so that nothing is marked as read. A message is identified by folder, UIDVALIDITY and UID, and its bytes
 * never change; flags are ignored. Where an identity map covers a folder, its access control list decides who may read its
 * messages. `imapflow` is loaded on first use.
 */
export function createImapSource({ guard, rights }: { guard: AddressGuard; rights?: SourceRights }): Source {
  const open = async (config: Record<string, unknown>, signal: AbortSignal): Promise<Mailbox> => {
    const settings = readImapSettings(config);
    return { client: await connectImap(settings, guard, signal), settings, filter: createFileFilter(settings), signal };
  };
  return createConnectedSource<Mailbox>({
    open,
    close: ({ client }) => client.close(),
    async *list(mailbox, signal, after) {
      const findRights = await openMailboxRights(mailbox.client, mailbox.settings, { rights, signal });
      yield* listFolders({ ...mailbox, findRights }, after === undefined ? undefined : readCursor(after));
    },
    read: (mailbox, file) => readMessage(mailbox, readPlace(file, mailbox.settings), file),
  });
}

async function* listFolders(mailbox: Listing, after: Place | undefined): AsyncGenerator<SourceEntry> {
  const { client, settings, filter, signal } = mailbox;
  const all = await limitAnswer(client, settings, () => client.list()).catch((error: unknown) => {
    throw toError(mailbox, error, 'list its folders');
  });
  const minLevels = Math.max(listLevels(settings).length, 1);
  const folders = all
    .filter(({ flags }) => !['\\Noselect', '\\NonExistent'].some((flag) => hasFlag(flags, flag)))
    .map(toFolder)
    .filter(({ names }) => isAtOrBelow(names, settings))
    .filter(({ names }) => settings.recursive || names.length === minLevels)
    .filter(({ path }) => after === undefined || path >= after.folder)
    .toSorted((folder, other) => (folder.path < other.path ? -1 : Number(folder.path > other.path)));
  if (folders.length === 0 && !after)
    throw new AppError('SOURCE_NOT_FOUND', `${formatPlace(settings)} has no folder '${settings.folder}'.`);
  if (folders.length > maxFolders)
    throw new AppError('SOURCE_TOO_LARGE', `${formatPlace(settings)} has more than ${maxFolders} folders.`);
  let count = 0;
  const seen = new Set<string>();
  for (const folder of folders) {
    signal.throwIfAborted();
    const relative = folder.names.join('/');
    const isHidden = settings.ignoreHidden && folder.names.some((name) => name.startsWith('.'));
    if (seen.has(folder.path) || isHidden || !mayEnterAll(filter, folder.names)) continue;
    seen.add(folder.path);
    const access = await mailbox.findRights(folder);
    for await (const found of listFolder(mailbox, folder, folder.path === after?.folder ? after : undefined)) {
      const entry = withAccess(found, access);
      count += 1;
      if (count > maxMessages)
        throw new AppError('SOURCE_TOO_LARGE', `${formatPlace(settings)} has more than ${maxMessages} messages.`);
      if (filter.takesFile(`${relative}/${entry.name}`)) yield entry;
    }
  }
}

/** A folder that the account may not open is an incomplete entry; a lost connection ends the listing. */
async function* listFolder(mailbox: Mailbox, folder: Folder, after: Place | undefined): AsyncGenerator<SourceEntry> {
  const { client } = mailbox;
  const lock = await limitAnswer(client, mailbox.settings, () =>
    client.getMailboxLock(folder.path, { readOnly: true }),
  ).catch((error: unknown) => {
    const mailError = toError(mailbox, error, 'open a folder');
    if (mailError.code !== 'SOURCE_NOT_ALLOWED') throw mailError;
    return mailError;
  });
  if (lock instanceof AppError) {
    yield toIncompleteEntry(mailbox, folder, lock.message);
    return;
  }
  try {
    const validity = client.mailbox ? String(client.mailbox.uidValidity) : '0';
    const uids = await limitAnswer(client, mailbox.settings, () => client.search({ all: true }, { uid: true })).catch(
      (error: unknown) => {
        throw toError(mailbox, error, 'list the messages of a folder');
      },
    );
    if (!Array.isArray(uids))
      throw new AppError('INVALID_RESPONSE', `${formatPlace(mailbox.settings)} did not list the messages of a folder.`);
    // A folder that was deleted and created again numbers its messages from the start.
    const lastUid = after?.validity === validity ? Number(after.uid) : 0;
    const numbers = [...new Set(uids)].filter((uid) => uid > lastUid).toSorted((value, other) => value - other);
    for (let start = 0; start < numbers.length; start += messagesPerFetch) {
      mailbox.signal.throwIfAborted();
      const requestedUids = new Set(numbers.slice(start, start + messagesPerFetch));
      const query = { uid: true, size: true, internalDate: true, envelope: true };
      const fetchAll = () => client.fetchAll([...requestedUids].join(','), query, { uid: true });
      const messages = await limitAnswer(client, mailbox.settings, fetchAll, maxFetchedBytes).catch(
        (error: unknown) => {
          throw toError(mailbox, error, 'list the messages of a folder');
        },
      );
      const requestedMessages = messages.filter(({ uid }) => requestedUids.delete(uid));
      for (const message of requestedMessages.toSorted((message, other) => message.uid - other.uid))
        yield toEntry(mailbox, folder, validity, message);
    }
  } finally {
    lock.release();
  }
}

/** Also for folders that cannot be opened: without an access list, it would be unknown who may see their names. */
function withAccess(entry: SourceEntry, access: EntryAccess | AppError | undefined): SourceEntry {
  if (entry.incomplete) return access === undefined ? entry : { ...entry, ...nobody };
  if (!(access instanceof AppError)) return { ...entry, ...access };
  return { ...entry, failure: { code: access.code, message: access.message } };
}

function toEntry(mailbox: Mailbox, folder: Folder, validity: string, message: FetchMessageObject): SourceEntry {
  const { settings } = mailbox;
  const { uid, size: messageSize = 0, internalDate, envelope } = message;
  const size = Number.isSafeInteger(messageSize) && messageSize > 0 ? messageSize : 0;
  const date = internalDate instanceof Date ? internalDate : new Date(internalDate ?? Number.NaN);
  const name = `${toFileName(envelope?.subject)}.eml`;
  const folders = folder.names.join('/');
  return {
    ...getSource(settings),
    relativePath: `${folders}/${validity}.${uid}.eml`,
    path: buildPath(settings, folder.path, `;UIDVALIDITY=${validity}/;UID=${uid}`),
    name,
    mimetype: 'message/rfc822',
    size,
    modifiedTime: Number.isNaN(date.getTime()) ? '' : date.toISOString(),
    version: `${validity}.${uid}`,
    cursor: writeCursor({ folder: folder.path, validity, uid: String(uid) }),
    metadata: { relative_path: `${folders}/${name}`, extension: 'eml', folder: folders, uid },
    ...findSizeFailure(size, settings, 'message'),
  };
}

function toIncompleteEntry({ settings }: Mailbox, folder: Folder, message: string): SourceEntry {
  const name = folder.names.at(-1) ?? folder.path;
  return {
    ...getSource(settings),
    relativePath: folder.names.join('/'),
    path: buildPath(settings, folder.path, ''),
    name,
    mimetype: 'application/octet-stream',
    size: 0,
    modifiedTime: '',
    metadata: { relative_path: folder.names.join('/'), extension: '', folder: folder.names.join('/') },
    failure: { code: 'SOURCE_UNREADABLE', message },
    incomplete: true,
  };
}

/** The account is part of the source: each account has its own folders. */
function getSource({ host, port, username = '' }: ImapSourceSettings): Pick<SourceEntry, 'source'> {
  return { source: `imap:${encodeURIComponent(username)}@${host}:${port}` };
}

/** The address of a message (RFC 5092). */
function buildPath({ host, port }: ImapSourceSettings, folder: string, rest: string): string {
  return `imap://${host}:${port}/${encodeURIComponent(folder)}${rest}`;
}

/** A message of the server. */
interface Place {
  folder: string;
  validity: string;
  uid: string;
}

function writeCursor({ folder, validity, uid }: Place): string {
  return `${validity}.${uid} ${folder}`;
}

/** Reads a cursor that `writeCursor` wrote. */
function readCursor(cursor: string): Place {
  const [, validity = '', uid = '', folder = ''] = /^(\d+)\.(\d+) (.*)$/s.exec(cursor) ?? [];
  return { folder, validity, uid };
}

/** Throws SOURCE_UNREADABLE unless it is the address of a message below the folder of the flow. */
function readPlace(file: string, settings: ImapSourceSettings): Place {
  const start = buildPath(settings, '', '');
  const address = file.startsWith(start) ? file.slice(start.length) : '';
  const pattern = /^([^/;]+);UIDVALIDITY=(\d{1,20})\/;UID=([1-9]\d{0,9})$/;
  const [, encoded = '', validity = '', uid = ''] = pattern.exec(address) ?? [];
  const folder = decodePart(encoded);
  if (!folder || buildPath(settings, folder, `;UIDVALIDITY=${validity}/;UID=${uid}`) !== file)
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a message of ${formatPlace(settings)}.`);
  return { folder, validity, uid };
}

async function* readMessage(mailbox: Mailbox, place: Place, file: string): AsyncGenerator<Uint8Array> {
  const { client, settings } = mailbox;
  const folders = await limitAnswer(client, settings, () => client.list()).catch((error: unknown) => {
    throw toError(mailbox, error, 'list its folders');
  });
  const listed = folders.find(({ path }) => path === place.folder);
  const gone = new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
  if (!listed) throw gone;
  if (!isAtOrBelow(toFolder(listed).names, settings))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not below the folder '${settings.folder}'.`);
  const lock = await limitAnswer(client, settings, () => client.getMailboxLock(place.folder, { readOnly: true })).catch(
    (error: unknown) => {
      throw toDocumentError(toError(mailbox, error, 'open its folder'), file);
    },
  );
  try {
    // With a different value, the number refers to a different message.
    if (!client.mailbox || String(client.mailbox.uidValidity) !== place.validity) throw gone;
    const download = await client.download(place.uid, undefined, { uid: true }).catch((error: unknown) => {
      throw toDocumentError(toError(mailbox, error, 'read it'), file);
    });
    if (!('content' in download) || !download.content) throw gone;
    yield* limitBytes(download.content, { name: file, maxBytes: settings.maxFileBytes });
  } finally {
    lock.release();
  }
}

function toDocumentError(error: AppError, file: string): AppError {
  if (error.code !== 'SOURCE_NOT_ALLOWED') return error;
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${error.message}`, {}, error);
}

function toError({ settings, signal }: Mailbox, error: unknown, action: string): AppError {
  signal.throwIfAborted();
  return toImapError(error, settings, action);
}

function toFolder({ path, pathAsListed, delimiter }: ListResponse): Folder {
  const names = delimiter ? path.split(delimiter) : [path];
  // If the server separates folders by dots, names may contain slashes.
  return { path, pathAsListed, delimiter, names: names.map((name) => name.replaceAll('/', '%2F')) };
}

function listLevels({ folder }: ImapSourceSettings): string[] {
  return folder === '' ? [] : folder.split('/');
}

function isAtOrBelow(names: readonly string[], settings: ImapSourceSettings): boolean {
  return listLevels(settings).every((name, level) => isSameName(name, names[level], level));
}

/** INBOX is case-insensitive. */
function isSameName(folderName: string, name: string | undefined, level: number): boolean {
  if (level === 0 && folderName.toUpperCase() === 'INBOX') return name?.toUpperCase() === 'INBOX';
  return folderName === name;
}

function mayEnterAll(filter: FileFilter, names: readonly string[]): boolean {
  return names.every((_, index) => filter.entersFolder(names.slice(0, index + 1).join('/')));
}

function hasFlag(flags: ReadonlySet<string>, flag: string): boolean {
  return [...flags].some((candidate) => candidate.toLowerCase() === flag.toLowerCase());
}

/** A subject as a file name: without terminal control characters and path separators. */
function toFileName(subject: string | undefined): string {
  const name = (subject ?? '')
    .normalize('NFC')
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '');
  return Array.from(name).slice(0, maxSubjectLength).join('').trim() || 'message';
}
