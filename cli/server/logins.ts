import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createFolder } from '../../embedded/paths';

/** A login at an api, stored until its token expires. */
export interface Login {
  username: string;
  token: string;
}

/** The file with logins: `$XDG_CONFIG_HOME/docloom/logins.json`, or the same below ~/.config. Only its owner may read it. */
export function getLoginsFile(): string {
  const folder = process.env['XDG_CONFIG_HOME']?.trim() || path.join(homedir(), '.config');
  return path.join(folder, 'docloom', 'logins.json');
}

/** The stored login for an api; undefined if there is none. */
export function readLogin(address: string): Login | undefined {
  return readLogins()[address];
}

/** Stores a login, replacing an earlier one; undefined deletes it. */
export function storeLogin(address: string, login: Login | undefined): void {
  const { [address]: _, ...others } = readLogins();
  const logins = login ? { ...others, [address]: login } : others;
  const file = getLoginsFile();
  createFolder(path.dirname(file), 0o700);
  if (Object.keys(logins).length === 0) return rmSync(file, { force: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
  // A partial file left by a crash keeps its old mode.
  chmodSync(`${file}.part`, 0o600);
  renameSync(`${file}.part`, file);
}

function readLogins(): Record<string, Login> {
  try {
    return JSON.parse(readFileSync(getLoginsFile(), 'utf8')) as Record<string, Login>;
  } catch {
    return {};
  }
}
