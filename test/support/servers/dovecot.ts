import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { cachedServer } from './cached-server';

const packages = ['dovecot-core', 'dovecot-imapd'];
/** Dovecot serves no mail of root. */
const nobody = 65_534;

/** Accounts on Dovecot. */
export interface MailServer {
  port: number;
  /** The first account. All accounts have the same password. */
  username: string;
  password: string;
  /** Names of the commands sent before the login. */
  before: string[];
  stop(): Promise<void>;
}

/**
 * Dovecot's IMAP server from Debian's packages, without its daemons: the test checks user name and password itself, and then connects
 * the client to Dovecot. Nothing is installed on the system. With `groups`, mailboxes have access control lists, and the folder
 * `Public`, which belongs to the first account, is open to those whom its lists name.
 */
export async function startDovecot({
  accounts = ['alice'],
  groups,
}: { accounts?: readonly string[]; groups?: Groups } = {}): Promise<MailServer> {
  const folder = await cachedServer({
    folder: 'dovecot',
    needs: `apt-get, dpkg, and Debian's packages ${packages.join(' and ')}`,
    async install(part, run) {
      await run('apt-get', ['download', ...packages], { cwd: part, env: process.env });
      const files = readdirSync(part).filter((name) => name.endsWith('.deb'));
      for (const file of files) await run('dpkg', ['-x', file, 'root'], { cwd: part, env: process.env });
    },
  });
  const data = mkdtempSync(path.join(os.tmpdir(), 'docloom-dovecot-'));
  const [username = 'alice'] = accounts;
  const config = writeConfig(folder, data, groups && { groups, username });
  const before: string[] = [];
  const password = 'right-password';
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    admit(socket, { accounts, password }, before, (name) => {
      serve(socket, { folder, username: name, config: groups ? writeMemberConfig(config, name, groups) : config });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    username,
    password,
    before,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The accounts of each group. */
type Groups = Readonly<Record<string, readonly string[]>>;

function writeConfig(folder: string, data: string, acl: { groups: Groups; username: string } | undefined): string {
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot ? [nobody, nobody] : [process.getuid?.() ?? nobody, process.getgid?.() ?? nobody];
  const library = path.join(folder, 'root', 'usr', 'lib', 'dovecot');
  for (const name of ['run', 'state', 'mail', 'public']) mkdirSync(path.join(data, name));
  if (acl) writeFileSync(path.join(data, 'public', 'dovecot-acl'), `user=${acl.username} lrwstipekxa\n`);
  for (const name of ['', 'mail', 'public']) chownSync(path.join(data, name), uid, gid);
  const file = path.join(data, 'dovecot.conf');
  writeFileSync(
    file,
    `base_dir = ${data}/run
state_dir = ${data}/state
libexec_dir = ${library}
mail_plugin_dir = ${library}/modules
protocols = imap
ssl = no
log_path = /dev/null
mail_location = maildir:${data}/mail/%u:LAYOUT=fs:UTF-8
mail_home = ${data}/mail/%u
mail_uid = ${uid}
mail_gid = ${gid}
first_valid_uid = 1
namespace inbox {
  inbox = yes
  separator = /
}
${acl ? describeLists(data) : ''}`,
  );
  return file;
}

function describeLists(data: string): string {
  return `mail_plugins = acl
protocol imap {
  mail_plugins = acl imap_acl
}
plugin {
  acl = vfile
  acl_anyone = allow
}
namespace public {
  type = public
  separator = /
  prefix = Public/
  location = maildir:${data}/public:LAYOUT=fs:UTF-8:INDEX=${data}/mail/%u/public
  subscriptions = no
}
`;
}

/** The configuration with the groups of an account, which Dovecot usually gets from its directory. */
function writeMemberConfig(config: string, username: string, groups: Groups): string {
  const file = `${config}.${username}`;
  const own = Object.keys(groups).filter((group) => groups[group]?.includes(username));
  writeFileSync(file, `!include ${config}\nplugin {\n  acl_groups = ${own.join(',')}\n}\n`);
  return file;
}

/** Speaks the protocol (RFC 3501) until the login. */
function admit(
  socket: net.Socket,
  { accounts, password }: { accounts: readonly string[]; password: string },
  before: string[],
  serveAccount: (username: string) => void,
): void {
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      const [, tag = '*', command = '', rest = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
      before.push(command.toUpperCase());
      const username = accounts.find((account) => rest.replaceAll('"', '') === `${account} ${password}`);
      if (command.toUpperCase() === 'LOGIN' && username !== undefined) {
        socket.off('data', read);
        socket.write(`${tag} OK Signed in\r\n`);
        serveAccount(username);
        return;
      }
      const refused = command.toUpperCase() === 'LOGIN';
      if (command.toUpperCase() === 'CAPABILITY') socket.write('* CAPABILITY IMAP4rev1 ID\r\n');
      socket.write(refused ? `${tag} NO [AUTHENTICATIONFAILED] Not ${rest}\r\n` : `${tag} OK Done\r\n`);
    }
  };
  socket.on('data', read);
  socket.write('* OK Ready\r\n');
}

function serve(
  socket: net.Socket,
  { folder, username, config }: { folder: string; username: string; config: string },
): void {
  const root = path.join(folder, 'root', 'usr');
  const library = path.join(root, 'lib', 'dovecot');
  const args = ['-f', 'service=imap', '-c', config, '-m', 'imap', '-e', path.join(library, 'imap')];
  // If its standard input is a socket, Dovecot expects a login process there; `cat` makes it a pipe.
  const child = spawn('sh', ['-c', 'cat | "$0" "$@" | cat', path.join(root, 'bin', 'doveconf'), ...args], {
    env: { USER: username, PATH: process.env['PATH'], LD_LIBRARY_PATH: library },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  socket.pipe(child.stdin);
  // Dovecot exits at the end of its input.
  socket.on('close', () => child.stdin.end());
  let greeting: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (!greeting) return void socket.write(chunk);
    greeting = Buffer.concat([greeting, chunk]);
    const end = greeting.indexOf('\r\n');
    // The client has already received a greeting.
    if (end < 0) return;
    socket.write(greeting.subarray(end + 2));
    greeting = undefined;
  });
  child.on('exit', () => socket.end());
}
