import type { ImapFlow, ListResponse } from 'imapflow';
import { AppError } from '../../../model/errors';
import type { ImapSourceSettings } from '../../../model/source/imap-source';
import { computeMailboxList, type MailboxEntry } from '../../../model/source/rights/mailbox-rights';
import { createNamingFinder } from '../covered-folders';
import { findCoveringMap } from '../items/cover';
import { joinRights } from '../join-rights';
import type { SourceRights } from '../posix/rights';
import type { EntryAccess } from '../source';
import { formatPlace, limitAnswer, toImapError } from './imap-client';

/** The part of a listed mailbox that its rights need. */
export type ListedMailbox = Pick<ListResponse, 'path' | 'pathAsListed' | 'delimiter'> & { names: readonly string[] };

/** An answer as the client parses it. `value` is a buffer for literals. */
interface Attribute {
  value?: unknown;
}

/** The commands of the client; its types describe only those that it knows itself. */
interface Commands {
  exec(
    command: string,
    attributes: readonly { type: string; value: string }[],
    options: { untagged: Record<string, (answer: { attributes?: readonly unknown[] }) => Promise<void>> },
  ): Promise<{ next: () => void }>;
}

/** The access of all messages of a mailbox; an error if its list cannot be used; undefined if no identity map covers it. */
export type FindMailboxRights = (mailbox: ListedMailbox) => Promise<EntryAccess | AppError | undefined>;

const maxEntries = 10_000;
const usualPorts: readonly number[] = [143, 993];
/** The beginning of a place with a usual port, as in `imap://mail.example.org:993/Team`. */
const placeWithUsualPort = /^(imap:\/\/(?:[^/:[]+|\[[^/\]]*\])):(?:143|993)(?=\/|$)/i;

/** The address of a mailbox as identity maps name it. */
export function formatMailboxPlace({ host, port }: ImapSourceSettings, names: readonly string[]): string {
  return [`imap://${host}${usualPorts.includes(port) ? '' : `:${port}`}`, ...names].join('/');
}

/**
 * Access control lists of mailboxes (RFC 4314) below the places of identity maps, valid for one listing. A list that the account
 * may not read (right `a`) and a server without such lists give access to nobody. Throws SOURCE_RIGHTS_UNKNOWN if two maps have
 * the same place, or if the flow needs rights and no map covers its folder.
 */
export async function openMailboxRights(
  client: ImapFlow,
  settings: ImapSourceSettings,
  { rights, signal }: { rights: SourceRights | undefined; signal: AbortSignal },
): Promise<FindMailboxRights> {
  // Read once: thousands of mailboxes would ask for the maps thousands of times.
  const maps = ((await rights?.list()) ?? []).map(({ map_id, places, ...map }) => ({
    ...map,
    map_id,
    places: places.map((place) => place.replace(placeWithUsualPort, '$1')),
  }));
  const coveringMaps = { list: async () => maps };
  const root = settings.folder.split('/').filter(Boolean);
  await findCoveringMap(coveringMaps, formatMailboxPlace(settings, root), settings.needsRights === true);
  const findNaming = createNamingFinder(rights);
  return async (mailbox) => {
    const map = await findCoveringMap(coveringMaps, formatMailboxPlace(settings, mailbox.names), false);
    if (map === undefined) return undefined;
    const naming = await findNaming(map);
    try {
      const list = await readList(client, settings, mailbox);
      const facts = { owner: findOwner(client, settings, mailbox), isDovecot: client.serverInfo?.name === 'Dovecot' };
      return joinRights(computeMailboxList(list, facts, naming), []);
    } catch (error) {
      signal.throwIfAborted();
      const failure = toImapError(error, settings, 'read the access control list of a mailbox (right `a`)');
      if (failure.code !== 'SOURCE_NOT_ALLOWED' && failure.code !== 'ACCESS_LIST_INVALID') throw failure;
      return new AppError(
        'ACCESS_LIST_INVALID',
        `Nobody may read the messages of the mailbox: ${failure.message}`,
        {},
        error,
      );
    }
  };
}

async function readList(
  client: ImapFlow,
  settings: ImapSourceSettings,
  { pathAsListed }: ListedMailbox,
): Promise<MailboxEntry[]> {
  if (!client.capabilities.has('ACL'))
    throw new AppError('ACCESS_LIST_INVALID', `${formatPlace(settings)} announces no access control lists (ACL).`);
  const answers: (readonly unknown[])[] = [];
  const { next } = await limitAnswer(client, settings, () =>
    (client as unknown as Commands).exec('GETACL', [{ type: 'STRING', value: pathAsListed }], {
      untagged: { ACL: async ({ attributes = [] }) => void answers.push(attributes) },
    }),
  );
  next();
  const [answer] = answers;
  if (!answer || answers.length > 1) throw createInvalidError('the server did not send exactly one list');
  return parseMailboxList(answer);
}

/** The list in the answer to GETACL: the mailbox, then identifiers and rights in turns. Throws ACCESS_LIST_INVALID. */
export function parseMailboxList([, ...answer]: readonly unknown[]): MailboxEntry[] {
  if (answer.length % 2 !== 0) throw createInvalidError('an identifier has no rights');
  if (answer.length / 2 > maxEntries) throw createInvalidError(`it has more than ${maxEntries} entries`);
  return Array.from({ length: answer.length / 2 }, (_, index) => ({
    identifier: readText(answer[2 * index]),
    rights: readText(answer[2 * index + 1]),
  }));
}

function readText(attribute: unknown): string {
  const { value } = (attribute ?? {}) as Attribute;
  if (typeof value === 'string') return value;
  if (!Buffer.isBuffer(value)) throw createInvalidError('it has an entry that is not a text');
  return value.toString();
}

/** The account of the flow owns its own mailboxes; those of other users are named after them (RFC 2342). */
function findOwner(
  { namespaces }: ImapFlow,
  { username }: ImapSourceSettings,
  { path }: ListedMailbox,
): string | undefined {
  const namespacesByKind = (['personal', 'other', 'shared'] as const).flatMap((kind) =>
    (namespaces?.[kind] || []).map((namespace) => ({ ...namespace, kind })),
  );
  const [innermost] = namespacesByKind
    .filter(({ prefix }) => path.startsWith(prefix))
    .toSorted((namespace, other) => other.prefix.length - namespace.prefix.length);
  if (innermost?.kind === 'personal') return username;
  if (innermost?.kind !== 'other' || !innermost.delimiter) return undefined;
  return path.slice(innermost.prefix.length).split(innermost.delimiter)[0] || undefined;
}

function createInvalidError(reason: string): AppError {
  return new AppError('ACCESS_LIST_INVALID', `the access control list of the mailbox cannot be used: ${reason}`);
}
