import { constants } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { everybody, toGroupPrincipal, loginGroups, toUserPrincipal } from '../../model/access-list';
import { AppError, asAppError } from '../../model/errors';
import { isGlob } from '../../model/glob';
import { parse } from '../../model/validate';
import { createGlobMatcher } from './glob';
import type { EntryAccess, SourceEntry } from './source';

/** Name of the file that lists who may read the files of its folder and below. It is never ingested itself. */
export const sidecarName = '.acl.json';
const maxBytes = 16 * 1024 * 1024;

const Names = Type.Array(Type.String({ minLength: 1, maxLength: 256, pattern: '\\S' }));
const lists = {
  allowed_users: Type.Optional(Names),
  allowed_groups: Type.Optional(Names),
  denied_users: Type.Optional(Names),
  denied_groups: Type.Optional(Names),
};
const Lists = Type.Object(lists, { additionalProperties: false });
type Lists = Static<typeof Lists>;

/** No additional properties, so that a misspelt member is an error instead of silently meaning the default. */
const Sidecar = Type.Object(
  {
    ...lists,
    files: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Type.Union([Names, Lists]))),
  },
  { additionalProperties: false },
);
type Sidecar = Static<typeof Sidecar>;

/** The access rules of one folder's sidecar. */
export interface AccessRules {
  folder: string;
  /** Undefined if the sidecar has no rule for this file. Throws ACCESS_LIST_INVALID if the sidecar is invalid. */
  listOf(file: string): EntryAccess | undefined;
}

/** The rules of a folder; undefined if it has no sidecar. Never throws: an invalid sidecar is reported with the first file. */
export async function readAccessRules(folder: string): Promise<AccessRules | undefined> {
  const file = path.join(folder, sidecarName);
  try {
    const stats = await lstat(file);
    // A link could point to a list that someone else controls.
    if (!stats.isFile()) throw new AppError('ACCESS_LIST_INVALID', `it is not a regular file`);
    if (stats.size > maxBytes)
      throw new AppError('ACCESS_LIST_INVALID', `it has ${stats.size} bytes; at most ${maxBytes} are allowed`);
    return parseRules(
      folder,
      await readFile(file, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return buildUnusableRules(folder, file, error);
  }
}

/** The rules of a folder outside the file system. `read` returns the sidecar's text, or undefined if there is none. */
export async function readStoredRules(
  folder: string,
  read: () => Promise<string | undefined>,
): Promise<AccessRules | undefined> {
  try {
    const text = await read();
    return text === undefined ? undefined : parseRules(folder, text);
  } catch (error) {
    return buildUnusableRules(folder, `${folder}/${sidecarName}`.replace('//', '/'), error);
  }
}

/**
 * Adds the access list of the first rules that cover the file. If they cannot be used, the entry fails, even one that is skipped:
 * without an access list, it would be unknown who may see its name.
 */
export function addListedAccess(entry: SourceEntry, file: string, rules: readonly AccessRules[]): SourceEntry {
  try {
    for (const folderRules of rules) {
      const access = folderRules.listOf(file);
      if (access) return { ...entry, ...access };
    }
    return entry;
  } catch (error) {
    const { code, message } = asAppError(error);
    return { ...entry, failure: { code, message } };
  }
}

/** Rules that fail for every file. */
function buildUnusableRules(folder: string, file: string, error: unknown): AccessRules {
  const { message } = asAppError(error);
  return {
    folder,
    listOf: () => {
      throw new AppError(
        'ACCESS_LIST_INVALID',
        `The access list ${file} cannot be used, so nobody may read the files that it covers: ${message}`,
        {},
        error,
      );
    },
  };
}

function parseRules(folder: string, text: string): AccessRules {
  const sidecar = parse(Sidecar, JSON.parse(text), 'The access list', 'ACCESS_LIST_INVALID');
  const { files = {}, ...folderLists } = sidecar;
  const folderAccess = Object.keys(folderLists).length === 0 ? undefined : buildAccess(folderLists);
  const accessByPattern = new Map(
    Object.entries(files).map(([pattern, list]) => [
      pattern,
      buildAccess(Array.isArray(list) ? { allowed_users: list } : list),
    ]),
  );
  const globs = [...accessByPattern]
    .filter(([pattern]) => isGlob(pattern))
    .map(([pattern, access]) => ({ access, matches: createGlobMatcher(pattern) }));
  return {
    folder,
    listOf(file) {
      const relative = path.relative(folder, file).split(path.sep).join('/');
      // A name takes precedence over globs, an earlier glob over a later one.
      const glob = globs.find(({ matches }) => matches(relative));
      return accessByPattern.get(relative) ?? glob?.access ?? folderAccess;
    },
  };
}

/**
 * The access list of one rule; rules above it add nothing. `*` as a user means everybody. Throws ACCESS_LIST_INVALID for a rule
 * that only denies, which would suggest that the rest is inherited.
 */
function buildAccess({ allowed_users, allowed_groups, denied_users = [], denied_groups = [] }: Lists): EntryAccess {
  if (!allowed_users && !allowed_groups)
    throw new AppError(
      'ACCESS_LIST_INVALID',
      'a rule that denies must also allow, with allowed_users or allowed_groups: nothing is inherited from the rules above',
    );
  const toUser = (name: string) => (name === '*' ? everybody : toUserPrincipal(name));
  const toGroup = (name: string) => toGroupPrincipal(loginGroups, name);
  const users = allowed_users ?? [];
  const allowed = [...(users.includes('*') ? [everybody] : []), ...(allowed_groups ?? []).map(toGroup)];
  const denied = [...denied_users.map(toUser), ...denied_groups.map(toGroup)];
  return {
    allowedUsers: users.filter((name) => name !== '*'),
    ...(allowed.length > 0 ? { allowedPrincipals: allowed } : {}),
    ...(denied.length > 0 ? { deniedPrincipals: denied } : {}),
  };
}
