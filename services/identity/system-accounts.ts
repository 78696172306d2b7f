import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AppError } from '../../model/errors';
import type { SourceAccount, SourceGroup } from '../../model/identity/map';
import { addToSet } from '../../model/multi-map';
import type { SourceDirectory } from './maps';

const run = promisify(execFile);
const limits = { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };
const maxAsked = 1_000;

/**
 * Reads accounts and groups of this machine with `getent`; the ids are user and group numbers. Directories that do not
 * enumerate their users return those requested by number.
 */
export async function readSystemAccounts(ids: readonly string[] = []): Promise<SourceDirectory> {
  const [passwd, group] = await Promise.all([runGetent('passwd'), runGetent('group')]);
  const listed = new Set(readPasswd(passwd).map(({ id }) => id));
  const unlistedIds = ids.filter((id) => /^\d+$/.test(id) && !listed.has(id)).slice(0, maxAsked);
  const more = unlistedIds.length === 0 ? '' : await runGetent('passwd', unlistedIds);
  return readDirectory(`${passwd}\n${more}`, group);
}

/** Joins the two tables: the members of a group are the users it lists and those whose primary group it is. */
export function readDirectory(passwd: string, group: string): SourceDirectory {
  const users = readPasswd(passwd);
  const ids = new Map<string, string>();
  for (const { id, name } of users) if (!ids.has(name)) ids.set(name, id);
  const members = new Map<string, Set<string>>();
  const names = new Map<string, string>();
  for (const [name = '', , gid = '', list = ''] of listFields(group)) {
    if (!/^\d+$/.test(gid)) continue;
    if (!names.has(gid)) names.set(gid, name);
    for (const member of list.split(',').filter(Boolean)) {
      const id = ids.get(member);
      if (id !== undefined) addToSet(members, gid, id);
    }
  }
  for (const { id, gid } of users) addToSet(members, gid, id);
  const accounts = new Map<string, SourceAccount>();
  for (const { id, name } of users) if (!accounts.has(id)) accounts.set(id, { id, name });
  const groups = [...members].map(([id, memberIds]): SourceGroup => {
    const name = names.get(id);
    return { id, ...(name === undefined ? {} : { name }), members: [...memberIds] };
  });
  return { accounts: [...accounts.values()], groups };
}

function readPasswd(text: string): { id: string; name: string; gid: string }[] {
  return listFields(text).flatMap(([name = '', , id = '', gid = '']) =>
    name !== '' && /^\d+$/.test(id) && /^\d+$/.test(gid) ? [{ id, name, gid }] : [],
  );
}

function listFields(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'));
}

async function runGetent(table: 'passwd' | 'group', keys: readonly string[] = []): Promise<string> {
  try {
    return (await run('getent', [table, ...keys], limits)).stdout;
  } catch (error) {
    const { code, stdout = '', message } = error as NodeJS.ErrnoException & { stdout?: string };
    // 2: some of the keys do not exist.
    if (Number(code) === 2 && keys.length > 0) return stdout;
    const reason = code === 'ENOENT' ? 'the program getent is missing' : message;
    throw new AppError('SOURCE_RIGHTS_UNKNOWN', `The accounts of the worker cannot be read: ${reason}.`, {}, error);
  }
}
