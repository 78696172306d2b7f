import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../system/system';
import { freePort } from './free-port';

const program = '/usr/share/mediawiki';

/** A private wiki of MediaWiki on the loopback, with an account that may read it. */
export interface Wiki {
  apiUrl: string;
  username: string;
  password: string;
  edit(title: string, text: string): void;
  move(title: string, to: string): void;
  remove(title: string): void;
  /** The server of the files refuses `Closed.txt`, as one does that serves files to sessions of the wiki only. */
  upload(name: string, bytes: Uint8Array): void;
  stop(): Promise<void>;
}

/** Starts MediaWiki of Debian (packages mediawiki, php-cli and php-sqlite3) on SQLite, served by PHP itself. */
export async function startMediawiki(): Promise<Wiki> {
  if (!existsSync(`${program}/api.php`))
    throw new Error(
      'MediaWiki is missing: apt-get install mediawiki php-cli php-sqlite3 php-mbstring php-xml php-intl',
    );
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-wiki-'));
  const origin = `http://127.0.0.1:${await freePort()}`;
  const settings = path.join(folder, 'LocalSettings.php');
  const env = { ...process.env, MW_CONFIG_FILE: settings };
  const run = (script: string, args: readonly string[], input = '') =>
    execFileSync('php', [`${program}/maintenance/${script}.php`, ...args], { env, input, encoding: 'utf8' });
  execFileSync(
    'php',
    [
      `${program}/maintenance/install.php`,
      ...['--confpath', folder, '--dbtype', 'sqlite', '--dbname', 'wiki', '--dbpath', path.join(folder, 'data')],
      ...['--server', origin, '--scriptpath', '', '--pass', 'password of the admin', 'Wiki', 'Admin'],
    ],
    { stdio: 'pipe' },
  );
  const uploads = path.join(folder, 'images');
  mkdirSync(uploads);
  appendFileSync(
    settings,
    `
$wgGroupPermissions['*']['read'] = false;
$wgEnableUploads = true;
$wgUploadDirectory = '${uploads}';
$wgUploadPath = "$wgScriptPath/images";
$wgFileExtensions[] = 'txt';
$wgJobRunRate = 0;
`,
  );
  const password = '0123456789abcdef0123456789abcdef';
  run('createAndPromote', ['Reader', 'password of the reader']);
  run('createBotPassword', ['--appid', 'docloom', '--grants', 'basic', 'Reader', password]);
  const router = path.join(folder, 'router.php');
  writeFileSync(router, routerOf(uploads));
  const server = spawn('php', ['-S', new URL(origin).host, '-t', program, router], {
    env: { ...env, PHP_CLI_SERVER_WORKERS: '2' },
    stdio: 'ignore',
    detached: true,
  });
  const apiUrl = `${origin}/api.php`;
  await until('the wiki answers', async () => (await fetch(apiUrl).catch(() => undefined))?.status === 200);
  const list = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, `${text}\n`);
    return file;
  };
  return {
    apiUrl,
    username: 'Reader@docloom',
    password,
    edit: (title, text) => void run('edit', ['--user', 'Admin', title], text),
    move: (title, to) => void run('moveBatch', ['--u', 'Admin', '--noredirects', list('moves', `${title}|${to}`)]),
    remove: (title) => void run('deleteBatch', ['-u', 'Admin', list('deletions', title)]),
    upload(name, bytes) {
      const incoming = mkdtempSync(path.join(folder, 'incoming-'));
      writeFileSync(path.join(incoming, name), bytes);
      run('importImages', ['--overwrite', '--user=Admin', '--extensions=txt', incoming]);
    },
    async stop() {
      const ended = once(server, 'exit');
      // The workers of PHP are in the group of their parent.
      process.kill(-server.pid!, 'SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PHP's own server reads below one folder only. */
function routerOf(uploads: string): string {
  return `<?php
$path = urldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (str_ends_with($path, '/Closed.txt')) { http_response_code(403); return true; }
if (!str_starts_with($path, '/images/')) return false;
$file = '${uploads}' . substr($path, strlen('/images'));
if (is_file($file)) readfile($file); else http_response_code(404);
return true;
`;
}
