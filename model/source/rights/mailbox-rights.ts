import { AppError } from '../../errors';
import { type Naming, type RightsList, type RightsRule, toRightsList } from './rights-list';

/** One entry of the access control list of a mailbox, as the server sends it (RFC 4314). */
export interface MailboxEntry {
  identifier: string;
  rights: string;
}

/** The facts that the list itself does not contain. */
export interface MailboxFacts {
  /** The account whose mailbox it is, for the identifier `owner`; absent for a mailbox that belongs to nobody. */
  owner?: string | undefined;
  /** True for Dovecot, which has identifiers of its own. */
  isDovecot?: boolean;
}

interface Entry {
  level: Level;
  /** True for lists that the administrator of Dovecot keeps in a file; they replace the list of the mailbox. */
  isGlobal: boolean;
  isNegative: boolean;
  canRead: boolean;
  who: RightsRule['who'] | undefined;
}

/** From the most specific to the least. */
const levels = ['override', 'user', 'owner', 'group', 'authenticated', 'anyone'] as const;
type Level = (typeof levels)[number];

/** How servers mark groups: Dovecot, Cyrus, Courier. */
const groupMark = /^(?:\$|group[:=])/i;

/**
 * Who may read the messages of a mailbox: the accounts with the right `r`. RFC 4314 lets a server add the rights of all entries
 * for an account, or apply the most specific one only: here, both must allow, and a negative right always wins. Accounts and
 * groups have the identifiers of the server as ids. Throws ACCESS_LIST_INVALID for an identifier that nobody can have.
 */
export function computeMailboxList(
  list: readonly MailboxEntry[],
  { owner, isDovecot = false }: MailboxFacts,
  naming: Naming,
): RightsList {
  const entries = list.map((entry) => readEntry(entry, { owner, isDovecot }, naming));
  const positive = entries.filter(({ isNegative }) => !isNegative);
  const rules = toRules(
    entries.filter(({ isNegative, canRead }) => isNegative && canRead),
    false,
  );
  for (const isGlobal of [true, false])
    for (const level of levels) {
      const same = positive.filter((entry) => entry.level === level && entry.isGlobal === isGlobal);
      // One of several groups of an account is enough.
      const granting = same.filter(({ canRead }) => canRead);
      rules.push(...toRules(granting, true), ...toRules(same, false));
    }
  return toRightsList(rules, naming);
}

function toRules(entries: readonly Entry[], allows: boolean): RightsRule[] {
  return entries.flatMap(({ who }) => (who === undefined ? [] : [{ who, allows }]));
}

function readEntry(
  { identifier: text, rights }: MailboxEntry,
  { owner, isDovecot }: MailboxFacts,
  { members }: Naming,
): Entry {
  const isNegative = text.startsWith('-');
  const unsigned = isNegative ? text.slice(1) : text;
  const isGlobal = isDovecot === true && unsigned.startsWith('#');
  const identifier = isGlobal ? unsigned.slice(1) : unsigned;
  const facts = { isNegative, isGlobal, canRead: rights.includes('r') };
  // `*` would stand for every account.
  if (identifier.trim() === '' || identifier === '*')
    throw new AppError(
      'ACCESS_LIST_INVALID',
      `The access control list of the mailbox has the identifier '${text}', which no account or group can have.`,
    );
  if (identifier === 'anyone') return { ...facts, level: 'anyone', who: 'everybody' };
  if (isDovecot && identifier === 'authenticated') return { ...facts, level: 'authenticated', who: 'everybody' };
  if (identifier === 'owner')
    return { ...facts, level: 'owner', who: owner === undefined ? undefined : { account: owner } };
  const isOverride = isDovecot === true && identifier.startsWith('!$');
  const level = groupMark.test(identifier) || members.has(identifier) ? 'group' : 'user';
  // The identifier may belong to an account that looks like a group, so that both have its rights.
  const who = { sid: isOverride ? identifier.slice(1) : identifier };
  return { ...facts, level: isOverride ? 'override' : level, who };
}
