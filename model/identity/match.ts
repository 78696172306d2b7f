import { addToList } from '../multi-map';
import type { IdentityMapInput, IdentityReply, MatchRule, SourceAccount, SourceGroup } from './map';

/** Logins by mail address in lower case; several logins may share one. */
export type LoginsByMail = ReadonlyMap<string, readonly string[]>;

type Match = Pick<IdentityReply, 'login' | 'by'>;
type Rules = Pick<IdentityMapInput, 'match' | 'pairs'>;

/**
 * Joins accounts and logins. A pair takes precedence. Accounts to which rules give the same login, or a login that a pair has
 * assigned, are ambiguous and are not joined: a user who can choose a name at the source must not become somebody else.
 */
export function matchAccounts(
  { match: rules = [], pairs = [] }: Rules,
  {
    accounts,
    groups,
    logins,
  }: { accounts: readonly SourceAccount[]; groups: readonly SourceGroup[]; logins: LoginsByMail },
): IdentityReply[] {
  const paired = new Map(pairs.map(({ account, login }) => [account, login]));
  const accountsById = new Map(accounts.map((account) => [account.id, account]));
  // A pair may name an account that the directory does not list.
  for (const account of paired.keys()) if (!accountsById.has(account)) accountsById.set(account, { id: account });
  const mails = countMails([...accountsById.values()]);
  const matches = new Map<string, Match | 'ambiguous'>();
  for (const account of accountsById.values()) {
    const pair = paired.get(account.id);
    matches.set(
      account.id,
      pair === undefined ? findLogin(rules, account, { logins, mails }) : { login: pair, by: 'pair' },
    );
  }
  const uses = new Map<string, number>();
  for (const match of matches.values())
    if (match !== 'ambiguous' && match.login !== null) uses.set(match.login, (uses.get(match.login) ?? 0) + 1);
  const memberships = flattenGroups(groups);
  return [...accountsById.values()].map((account) => {
    const match = matches.get(account.id)!;
    const isShared = match !== 'ambiguous' && match.by !== 'pair' && match.login !== null && uses.get(match.login)! > 1;
    const facts = {
      account: account.id,
      name: account.name ?? null,
      mail: account.mail ?? null,
      groups: [...(memberships.get(account.id) ?? [])].toSorted(),
    };
    if (match === 'ambiguous' || isShared) return { ...facts, state: 'ambiguous' as const, login: null, by: null };
    return { ...facts, state: match.login === null ? ('unmapped' as const) : ('mapped' as const), ...match };
  });
}

const noMatch: Match = { login: null, by: null };

function findLogin(
  rules: readonly MatchRule[],
  account: SourceAccount,
  { logins, mails }: { logins: LoginsByMail; mails: ReadonlyMap<string, number> },
): Match | 'ambiguous' {
  for (const rule of rules) {
    if (rule.by === 'name') {
      const login = account.name === undefined ? undefined : findLoginInName(rule, account.name);
      if (login !== undefined) return { login, by: 'name' };
      continue;
    }
    const mail = account.mail?.toLowerCase();
    const [login, another] = mail === undefined ? [] : (logins.get(mail) ?? []);
    if (mail === undefined || login === undefined) continue;
    return another !== undefined || mails.get(mail)! > 1 ? 'ambiguous' : { login, by: 'mail' };
  }
  return noMatch;
}

function findLoginInName(rule: MatchRule & { by: 'name' }, name: string): string | undefined {
  const { prefix = '', suffix = '', lower_case: isLower = false } = rule;
  const normalize = (text: string) => (isLower ? text.toLowerCase() : text);
  const normalized = normalize(name);
  if (!normalized.startsWith(normalize(prefix)) || !normalized.endsWith(normalize(suffix))) return undefined;
  const login = normalized.slice(normalize(prefix).length, normalized.length - normalize(suffix).length);
  return login.trim() === '' ? undefined : login;
}

function countMails(accounts: readonly SourceAccount[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { mail } of accounts)
    if (mail !== undefined) counts.set(mail.toLowerCase(), (counts.get(mail.toLowerCase()) ?? 0) + 1);
  return counts;
}

/** The groups of each account, including those that contain them at any depth. Cycles are allowed. */
export function flattenGroups(groups: readonly SourceGroup[]): Map<string, Set<string>> {
  const outerGroups = new Map<string, string[]>();
  for (const { id, groups: innerGroups = [] } of groups)
    for (const inner of innerGroups) addToList(outerGroups, inner, id);
  const memberships = new Map<string, Set<string>>();
  for (const { id, members = [] } of groups) {
    const containing = new Set([id]);
    // The set grows during the loop.
    for (const group of containing) for (const outer of outerGroups.get(group) ?? []) containing.add(outer);
    for (const account of members) {
      const membership = memberships.get(account) ?? new Set();
      for (const group of containing) membership.add(group);
      memberships.set(account, membership);
    }
  }
  return memberships;
}
