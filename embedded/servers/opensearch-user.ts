import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findOnPath } from '../paths';
import type { Launch } from '../server';

/** The user id of `nobody` on common systems. */
const nobody = 65_534;

/**
 * OpenSearch refuses to run as root, so root starts it as nobody. Cache and data may be below a home folder that nobody cannot
 * enter; `setpriv` keeps the capability to do so. If that does not work, the owner of the folders is changed to nobody.
 */
export function lowerPrivileges(launch: Launch, folders: readonly string[], uid = process.getuid?.()): Launch {
  if (uid !== 0) return launch;
  const setpriv = findOnPath('setpriv', launch.env);
  const ids = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  // Java calls access(2), which ignores the capabilities of non-root users unless this bit is set.
  const rights = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ];
  if (setpriv && spawnSync(setpriv, [...ids, ...rights, 'true'], { env: launch.env }).status === 0) {
    return { ...launch, command: setpriv, args: [...ids, ...rights, launch.command, ...launch.args] };
  }
  for (const folder of folders) changeOwner(folder);
  return { ...launch, uid: nobody, gid: nobody };
}

function changeOwner(folder: string): void {
  chownSync(folder, nobody, nobody);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) changeOwner(name);
    else if (!entry.isSymbolicLink()) chownSync(name, nobody, nobody);
  }
}
