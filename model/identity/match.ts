import type { IdentityMapInput, IdentityReply, MatchRule, SourceAccount, SourceGroup } from './map';

/** Logins by mail address in lower case; several logins may claim one. */
export type LoginsByMail = ReadonlyMap<string, readonly string[]>;

type Found = Pick<IdentityReply, 'login' | 'by'>;
type Rules = Pick<IdentityMapInput, 'match' | 'pairs'>;

/**
 * Joins accounts and logins. A pair takes precedence. Accounts to which rules give the same login, or a login that a pair has
 * assigned, are ambiguous and get none: a user who can choose a name at the source must not become somebody else.
 */
export function matchAccounts(
  { match = [], pairs = [] }: Rules,
  {
    accounts,
    groups,
    logins,
  }: { accounts: readonly SourceAccount[]; groups: readonly SourceGroup[]; logins: LoginsByMail },
): IdentityReply[] {
  const paired = new Map(pairs.map(({ account, login }) => [account, login]));
  const known = new Map(accounts.map((account) => [account.id, account]));
  // A pair may name an account that the directory does not list.
  for (const account of paired.keys()) if (!known.has(account)) known.set(account, { id: account });
  const mails = countMails([...known.values()]);
  const found = new Map<string, Found | 'ambiguous'>();
  for (const account of known.values()) {
    const pair = paired.get(account.id);
    found.set(
      account.id,
      pair === undefined ? findLogin(match, account, { logins, mails }) : { login: pair, by: 'pair' },
    );
  }
  const taken = new Map<string, number>();
  for (const one of found.values())
    if (one !== 'ambiguous' && one.login !== null) taken.set(one.login, (taken.get(one.login) ?? 0) + 1);
  const memberships = flattenGroups(groups);
  return [...known.values()].map((account) => {
    const one = found.get(account.id)!;
    const isShared = one !== 'ambiguous' && one.by !== 'pair' && one.login !== null && taken.get(one.login)! > 1;
    const facts = {
      account: account.id,
      name: account.name ?? null,
      mail: account.mail ?? null,
      groups: [...(memberships.get(account.id) ?? [])].toSorted(),
    };
    if (one === 'ambiguous' || isShared) return { ...facts, state: 'ambiguous' as const, login: null, by: null };
    return { ...facts, state: one.login === null ? ('unmapped' as const) : ('mapped' as const), ...one };
  });
}

const nobody: Found = { login: null, by: null };

function findLogin(
  rules: readonly MatchRule[],
  account: SourceAccount,
  { logins, mails }: { logins: LoginsByMail; mails: ReadonlyMap<string, number> },
): Found | 'ambiguous' {
  for (const rule of rules) {
    if (rule.by === 'name') {
      const login = account.name === undefined ? undefined : loginInName(rule, account.name);
      if (login !== undefined) return { login, by: 'name' };
      continue;
    }
    const mail = account.mail?.toLowerCase();
    const [login, another] = mail === undefined ? [] : (logins.get(mail) ?? []);
    if (mail === undefined || login === undefined) continue;
    return another !== undefined || mails.get(mail)! > 1 ? 'ambiguous' : { login, by: 'mail' };
  }
  return nobody;
}

function loginInName(rule: MatchRule & { by: 'name' }, name: string): string | undefined {
  const { prefix = '', suffix = '', lower_case: isLower = false } = rule;
  const like = (one: string) => (isLower ? one.toLowerCase() : one);
  const given = like(name);
  if (!given.startsWith(like(prefix)) || !given.endsWith(like(suffix))) return undefined;
  const login = given.slice(like(prefix).length, given.length - like(suffix).length);
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
  const outer = new Map<string, string[]>();
  for (const { id, groups: inner = [] } of groups)
    for (const one of inner) (outer.get(one) ?? outer.set(one, []).get(one)!).push(id);
  const found = new Map<string, Set<string>>();
  for (const { id, members = [] } of groups) {
    const all = new Set([id]);
    for (const one of all) for (const next of outer.get(one) ?? []) all.add(next);
    for (const account of members) {
      const own = found.get(account) ?? new Set();
      for (const one of all) own.add(one);
      found.set(account, own);
    }
  }
  return found;
}
