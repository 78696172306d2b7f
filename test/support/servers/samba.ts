import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { SourceAccount, SourceGroup } from '../../../model/identity/map';

/** A domain controller of Samba that serves folders. */
export interface SambaServer {
  /** A separate loopback address with the standard port, because Samba's tools use no other port. */
  host: string;
  domain: string;
  password: string;
  accounts: SourceAccount[];
  groups: SourceGroup[];
  /** Runs commands of `smbclient`; never throws. */
  smbclient(user: string, share: string, commands: readonly string[]): Promise<string>;
  /** Sets the permissions of a file or folder over the network, as a security descriptor (SDDL). */
  setPermissions(share: string, file: string, sddl: string): Promise<void>;
  stop(): Promise<void>;
}

const password = 'Right-passw0rd';
const domain = 'ADTEST';

/**
 * Samba as the only controller of an Active Directory domain. Needs root, and Debian's packages samba, samba-ad-provision and
 * smbclient. `shares` maps names to folders and further settings.
 */
export async function startSamba(wanted: {
  users: readonly string[];
  groups: Record<string, readonly string[]>;
  shares: Record<string, { path: string; settings?: readonly string[] }>;
}): Promise<SambaServer> {
  const data = mkdtempSync(path.join(os.tmpdir(), 'docloom-samba-'));
  chmodSync(data, 0o755);
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const config = path.join(data, 'smb.conf');
  const names = ['--realm=AD.TEST', `--domain=${domain}`, '--host-name=DC', `--adminpass=${password}`];
  await run('samba-tool', ['domain', 'provision', ...names, `--targetdir=${data}`, '--dns-backend=NONE']);
  writeConfig(config, { data, host, shares: wanted.shares });
  const script = path.join(__dirname, 'add-samba-accounts.py');
  const asked = { config, users: wanted.users, groups: wanted.groups, password };
  const directory = JSON.parse(await run('/usr/bin/python3', [script], JSON.stringify(asked))) as {
    accounts: SourceAccount[];
    groups: SourceGroup[];
  };
  // The library that asks winbind knows one folder only, which may be that of the system.
  const command = `mount -t tmpfs tmpfs /run/samba && exec samba -i -s ${config}`;
  const child = spawn('unshare', ['--mount', 'sh', '-c', command], { stdio: 'ignore', detached: true });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await ended;
    // Its children end a little later, and some write as they do.
    rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  const smbclient: SambaServer['smbclient'] = (user, share, commands) =>
    new Promise((resolve) => {
      const args = [`//${host}/${share}`, '-U', `${domain}/${user}%${password}`, '-c', commands.join('; ')];
      // Its exit code is that of the last command.
      execFile('smbclient', args, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  try {
    for (const port of [445, 389]) await listening(host, port);
    // It listens before logins work.
    for (const deadline = Date.now() + 60_000; ;) {
      const told = await smbclient('Administrator', Object.keys(wanted.shares)[0] ?? '', ['ls']);
      if (told.includes('blocks available')) break;
      if (Date.now() > deadline) throw new Error(`Samba does not serve: ${told}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    host,
    domain,
    password,
    ...directory,
    smbclient,
    async setPermissions(share, file, sddl) {
      const account = ['-U', `${domain}/Administrator%${password}`];
      await run('smbcacls', [`//${host}/${share}`, file.replaceAll('/', '\\'), ...account, '--sddl', '-S', sddl]);
    },
    stop,
  };
}

function writeConfig(
  file: string,
  { data, host, shares }: { data: string; host: string } & Pick<Parameters<typeof startSamba>[0], 'shares'>,
): void {
  for (const name of ['log', 'run', 'ncalrpc']) mkdirSync(path.join(data, name), { recursive: true });
  const sections = Object.entries(shares).map(([name, { path: folder, settings = [] }]) =>
    [`[${name}]`, `path = ${folder}`, 'read only = no', ...settings].join('\n'),
  );
  const global = `[global]
netbios name = DC
realm = AD.TEST
workgroup = ${domain}
server role = active directory domain controller
server services = s3fs, winbindd, rpc, ldap
ldap server require strong auth = no
tls enabled = no
private dir = ${data}/private
lock directory = ${data}
state directory = ${data}/state
cache directory = ${data}/cache
pid directory = ${data}/run
ncalrpc dir = ${data}/ncalrpc
log file = ${data}/log/log.%m
logging = file
log level = 1
interfaces = ${host}/8
bind interfaces only = yes
load printers = no
disable spoolss = yes
`;
  writeFileSync(file, `${global}\n${sections.join('\n\n')}\n`);
}

async function run(file: string, args: readonly string[], input?: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile(file, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${file}: ${stdout}${stderr}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}

async function listening(host: string, port: number): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const socket = net.connect(port, host);
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
  }
  throw new Error(`Samba does not listen at ${port}.`);
}
