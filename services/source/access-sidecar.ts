import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { AppError, asAppError } from '../../model/errors';
import { isGlob } from '../../model/glob';
import { parse } from '../../model/validate';
import { globMatcher } from './glob';

/** Name of the file that lists who may read the files of its folder and below. It is never ingested itself. */
export const sidecarName = '.acl.json';
const largest = 16 * 1024 * 1024;

const Users = Type.Array(Type.String({ minLength: 1, maxLength: 256, pattern: '\\S' }));

/** No additional properties, so that a misspelt member is an error instead of silently meaning the default. */
const Sidecar = Type.Object(
  {
    allowed_users: Type.Optional(Users),
    files: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Users)),
  },
  { additionalProperties: false },
);
type Sidecar = Static<typeof Sidecar>;

/** The access rules of one folder's sidecar. */
export interface AccessRules {
  folder: string;
  /** Undefined when the sidecar has no rule for this file. Throws ACCESS_LIST_INVALID when the sidecar is invalid. */
  usersOf(file: string): string[] | undefined;
}

/** The rules of a folder; undefined when it has no sidecar. Never throws: an invalid sidecar is reported with the first file. */
export async function readAccessRules(folder: string): Promise<AccessRules | undefined> {
  const file = path.join(folder, sidecarName);
  try {
    const stats = await lstat(file);
    // A link could point to a list that someone else controls.
    if (!stats.isFile()) throw new AppError('ACCESS_LIST_INVALID', `it is not a regular file`);
    if (stats.size > largest)
      throw new AppError('ACCESS_LIST_INVALID', `it has ${stats.size} bytes; the most is ${largest}`);
    return rulesOf(
      folder,
      parse(Sidecar, JSON.parse(await readFile(file, 'utf8')), 'The access list', 'ACCESS_LIST_INVALID'),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return unusable(folder, file, error);
  }
}

/** The rules of a folder outside the file system. `read` returns the sidecar's text, or undefined when there is none. */
export async function readStoredRules(
  folder: string,
  read: () => Promise<string | undefined>,
): Promise<AccessRules | undefined> {
  try {
    const text = await read();
    if (text === undefined) return undefined;
    return rulesOf(folder, parse(Sidecar, JSON.parse(text), 'The access list', 'ACCESS_LIST_INVALID'));
  } catch (error) {
    return unusable(folder, `${folder}/${sidecarName}`.replace('//', '/'), error);
  }
}

function unusable(folder: string, file: string, error: unknown): AccessRules {
  const { message } = asAppError(error);
  return {
    folder,
    usersOf: () => {
      throw new AppError(
        'ACCESS_LIST_INVALID',
        `The access list ${file} cannot be used, so nobody may read the files that it covers: ${message}`,
        {},
        error,
      );
    },
  };
}

function rulesOf(folder: string, sidecar: Sidecar): AccessRules {
  const named = new Map(Object.entries(sidecar.files ?? {}));
  const globs = [...named]
    .filter(([pattern]) => isGlob(pattern))
    .map(([pattern, users]) => ({ users, matches: globMatcher(pattern) }));
  return {
    folder,
    usersOf(file) {
      const relative = path.relative(folder, file).split(path.sep).join('/');
      // A name takes precedence over globs, an earlier glob over a later one.
      return named.get(relative) ?? globs.find(({ matches }) => matches(relative))?.users ?? sidecar.allowed_users;
    },
  };
}
