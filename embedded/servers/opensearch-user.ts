import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from '../paths';
import type { Launch } from '../server';

/** `nobody` on every common system. */
const nobody = 65_534;

/**
 * OpenSearch refuses to run as root, so root starts it as nobody. The cache and the data may lie below a home folder that nobody
 * may not enter; `setpriv` leaves the process the right to pass there. Where that does not work the folders are given to nobody.
 */
export function lowerPrivileges(launch: Launch, folders: readonly string[], uid = process.getuid?.()): Launch {
  if (uid !== 0) return launch;
  const setpriv = findOnPath('setpriv', launch.env);
  const ids = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  // Java asks access(2), which drops capabilities of users other than root unless this bit is set.
  const rights = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ];
  if (setpriv && spawnSync(setpriv, [...ids, ...rights, 'true'], { env: launch.env }).status === 0) {
    return { ...launch, command: setpriv, args: [...ids, ...rights, launch.command, ...launch.args] };
  }
  for (const folder of folders) giveTo(folder);
  return { ...launch, uid: nobody, gid: nobody };
}

function giveTo(folder: string): void {
  chownSync(folder, nobody, nobody);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) giveTo(name);
    else if (!entry.isSymbolicLink()) chownSync(name, nobody, nobody);
  }
}
