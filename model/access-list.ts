import type { Reader } from './access';

/** The principal of everybody who is logged in. */
export const everybody = 'p:*';
/** The source of groups from a login: those of the LDAP directory and of OpenID Connect claims. */
export const loginGroups = 'login';

/** The principal of a user. */
export function toUserPrincipal(username: string): string {
  return `u:${username}`;
}

/** The principal of a group. `source` has no colon, so a group name with colons still belongs to its source. */
export function toGroupPrincipal(source: string, id: string): string {
  return `g:${source}:${id}`;
}

/** The principal of an account at a source. `map` is the identity map that joins accounts and logins. */
export function toIdentityPrincipal(map: string, account: string): string {
  return `i:${map}:${account}`;
}

/** The principal of everybody who has an account at the source. */
export function toMapPrincipal(map: string): string {
  return toIdentityPrincipal(map, '*');
}

/**
 * Stands for everybody while the access lists of a job are too old. Jobs that then close their documents deny it in
 * advance, so that no document has to be changed at that moment.
 */
export function toStalePrincipal(jobId: string): string {
  return `s:${jobId}`;
}

/** The principals of a user with these groups of the login. */
export function listPrincipals(username: string, groups: readonly string[]): string[] {
  const all = [toUserPrincipal(username), everybody, ...groups.map((group) => toGroupPrincipal(loginGroups, group))];
  return [...new Set(all)].toSorted();
}

/** The groups of the login among the principals of a reader; none while these are unknown. */
export function listLoginGroups({ principals = [] }: Reader): string[] {
  const start = toGroupPrincipal(loginGroups, '');
  return principals
    .filter((principal) => principal.startsWith(start))
    .map((principal) => principal.slice(start.length));
}

/** Who may read a document or a row, with the names that rows, tables and the index use. */
export interface AccessList {
  /** Login names, never groups. */
  allowed_users?: readonly string[] | null;
  /** Further principals who may read it. */
  allowed_principals?: readonly string[] | null;
  /** Principals who may not read it, even if another entry allows them. */
  denied_principals?: readonly string[] | null;
  /** The lists of further documents that a row was made of, each a JSON array of principals: readers are in every one of them. */
  required_lists?: readonly string[] | null;
}

/** The columns of an access list. No operator may add readers by changing them. */
export const accessColumns = ['allowed_users', 'allowed_principals', 'denied_principals', 'required_lists'] as const;

/** True for the fields of access lists and everything below them, such as `required_lists.principals`. */
export function isAccessField(name: string): boolean {
  return (accessColumns as readonly string[]).includes(name.split('.', 1)[0]?.toLowerCase() ?? '');
}

/** Metadata without access lists that a source or an operator put there. */
export function omitAccessFields(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !isAccessField(name)));
}

/** The principals of a reader; without their groups while these are unknown. */
export function listKnownPrincipals({ username, principals }: Reader): readonly string[] {
  return principals ?? [toUserPrincipal(username), everybody];
}

/**
 * Access rule for documents: listed by name or by a principal, in no denied principal, and in every required list. Nobody can
 * read a document without a list. While the groups of a reader are unknown, documents with denials are closed to them.
 */
export function mayRead(reader: Reader, list: AccessList): boolean {
  const ownPrincipals = new Set(listKnownPrincipals(reader));
  const isOneOf = (principals: readonly string[]) => principals.some((principal) => ownPrincipals.has(principal));
  const denied = readNames(list.denied_principals);
  if (denied.length > 0 && (reader.principals === undefined || isOneOf(denied))) return false;
  if (!readNames(list.allowed_users).includes(reader.username) && !isOneOf(readNames(list.allowed_principals)))
    return false;
  return listRequiredLists(list).every(isOneOf);
}

/** The required lists of a row. An unreadable list grants access to nobody. */
export function listRequiredLists({ required_lists: lists }: AccessList): string[][] {
  return readNames(lists).map((text) => {
    try {
      return readNames(JSON.parse(text));
    } catch {
      return [];
    }
  });
}

/** The access list among other members, without the parts that are empty or absent. Always has `allowed_users`. */
export function normalizeAccessList(list: AccessList): AccessList & { allowed_users: string[] } {
  const lists: Record<string, string[]> = {};
  for (const column of accessColumns) {
    const values = readNames(list[column]);
    if (values.length > 0) lists[column] = values;
  }
  return { allowed_users: [], ...lists };
}

/** An access list as index and database hold it: required lists as objects, whose principals a query can compare. */
export interface StoredAccess {
  allowed_users: string[];
  allowed_principals?: string[];
  denied_principals?: string[];
  required_lists?: { principals: string[] }[];
}

/** The access list of a row, to be stored. */
export function toStoredAccess(row: AccessList): StoredAccess {
  const { required_lists: _texts, ...lists } = normalizeAccessList(row);
  const required = listRequiredLists(row).map((principals) => ({ principals }));
  return { ...(lists as StoredAccess), ...(required.length > 0 ? { required_lists: required } : {}) };
}

/** The same text for lists that let the same principals read. */
export function getAccessKey(list: AccessList): string {
  return JSON.stringify(accessColumns.map((column) => dedupe(readNames(list[column]))));
}

/** A row stores no more lists than this; further lists are replaced by their common readers. */
const maxRequiredLists = 100;

/**
 * The list of a row that contains data of several documents: its readers may read each of them. Lists of names are
 * intersected; lists with groups are all kept, because only the reader's own groups can decide.
 */
export function combineLists(
  ownList: AccessList,
  lists: readonly AccessList[],
): AccessList & { allowed_users: string[] } {
  const all = [ownList, ...lists];
  const denied = dedupe(all.flatMap((list) => readNames(list.denied_principals)));
  const denying = denied.length > 0 ? { denied_principals: denied } : {};
  if (all.every(hasNamesOnly)) {
    const otherReaders = lists.map((list) => new Set(readNames(list.allowed_users)));
    return {
      allowed_users: readNames(ownList.allowed_users).filter((user) => otherReaders.every((users) => users.has(user))),
      ...denying,
    };
  }
  const ownText = formatList(ownList);
  const restricted = lists.filter((list) => !readNames(list.allowed_principals).includes(everybody)).map(formatList);
  const required = dedupe([...all.flatMap((list) => readNames(list.required_lists)), ...restricted]).filter(
    (text) => text !== ownText,
  );
  const { allowed_users, allowed_principals } = normalizeAccessList(ownList);
  const allowing = { allowed_users, ...(allowed_principals ? { allowed_principals } : {}) };
  if (required.length === 0) return { ...allowing, ...denying };
  const requiredTexts = required.length <= maxRequiredLists ? required : [intersectLists(required)];
  return { ...allowing, ...denying, required_lists: requiredTexts };
}

/** The principals in all of these lists: at most the readers that the lists have in common, and perhaps fewer. */
function intersectLists(texts: readonly string[]): string {
  const [first = [], ...others] = listRequiredLists({ required_lists: texts }).map((list) => new Set(list));
  return JSON.stringify([...first].filter((value) => others.every((other) => other.has(value))));
}

function hasNamesOnly(list: AccessList): boolean {
  return readNames(list.allowed_principals).length === 0 && readNames(list.required_lists).length === 0;
}

function formatList(list: AccessList): string {
  return JSON.stringify(
    dedupe([...readNames(list.allowed_users).map(toUserPrincipal), ...readNames(list.allowed_principals)]),
  );
}

function dedupe(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

/** A value that is not a list of texts grants access to nobody. */
function readNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((value): value is string => typeof value === 'string') : [];
}
