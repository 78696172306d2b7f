import { toMapPrincipal, toGroupPrincipal, toIdentityPrincipal } from '../../access-list';

/** Principals who have a permission unless another of their principals is denied. */
export interface RightsList {
  allowed: string[];
  denied: string[];
}

/** The naming of a source's accounts, and the accounts of its groups. */
export interface Naming {
  map: string;
  members: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `sid`: an account or a group, whichever has this id. */
type Who = { account: string } | { group: string } | { sid: string } | 'everybody';
/** Allows or denies somebody a permission. */
export interface RightsRule {
  who: Who;
  allows: boolean;
}

/** Converts rules, of which the first match decides, to lists in which a denial always wins. */
export function toRightsList(all: readonly RightsRule[], naming: Naming): RightsList {
  const allowed: Who[] = [];
  const denied: string[] = [];
  // Rules after a rule for everybody have no effect, and neither has a denial at the end.
  const end = all.findIndex(({ who }) => who === 'everybody');
  const rules = end === -1 ? all : all.slice(0, end + 1);
  const last = rules.findLastIndex(({ allows }) => allows);
  for (const { who, allows } of rules.slice(0, last + 1)) {
    if (allows) allowed.push(who);
    else denied.push(...listDenials(who, allowed, naming));
  }
  const dedupe = (names: readonly string[]) => [...new Set(names)].toSorted();
  return { allowed: dedupe(allowed.flatMap((who) => toPrincipals(who, naming))), denied: dedupe(denied) };
}

/** Denies principals that no earlier rule allows; by name if an earlier rule allows one of them. */
function listDenials(who: Who, allowed: readonly Who[], naming: Naming): string[] {
  const accounts = collectAccounts(who, naming);
  const isAllowed = (account: string) =>
    allowed.some((earlier) => earlier === 'everybody' || collectAccounts(earlier, naming).has(account));
  const left = [...accounts].filter((account) => !isAllowed(account));
  if (left.length === accounts.size) return toPrincipals(who, naming);
  return left.map((account) => toIdentityPrincipal(naming.map, account));
}

const noAccounts: ReadonlySet<string> = new Set();

function collectAccounts(who: Who, { members }: Naming): ReadonlySet<string> {
  if (who === 'everybody') return noAccounts;
  if ('sid' in who) return new Set([who.sid, ...(members.get(who.sid) ?? [])]);
  return 'account' in who ? new Set([who.account]) : (members.get(who.group) ?? noAccounts);
}

function toPrincipals(who: Who, { map }: Naming): string[] {
  if (who === 'everybody') return [toMapPrincipal(map)];
  if ('sid' in who) return [toIdentityPrincipal(map, who.sid), toGroupPrincipal(map, who.sid)];
  return ['account' in who ? toIdentityPrincipal(map, who.account) : toGroupPrincipal(map, who.group)];
}
