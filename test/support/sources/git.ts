import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type SourceFixture, withParams } from './fixture';
import { serveFolder } from './folder';

const run = promisify(execFile);
const author = ['-c', 'user.name=Docs', '-c', 'user.email=docs@example.org', '-c', 'commit.gpgsign=false'];

/** A repository behind `git http-backend`, with one account. Changes are committed when the branch is requested. */
export async function gitFixture(): Promise<SourceFixture> {
  const folder = await serveFolder();
  const git = (...args: string[]) => run('git', ['-C', folder.root, ...author, ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('commit', '--quiet', '--allow-empty', '-m', 'Start');
  let isChanged = false;
  const commit = async () => {
    if (!isChanged) return;
    isChanged = false;
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '-m', 'Change');
  };
  const expected = `Basic ${Buffer.from('alice:right-password').toString('base64')}`;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== expected)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    commit().then(
      () => callBackend(folder.root, request, response),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { username: 'alice', password: 'right-password' };
  const config = { provider: 'git', connection_params: { repository_url: `${origin}/.git` }, credentials };
  const changing =
    <A extends unknown[]>(work: (...args: A) => Promise<void>) =>
    async (...args: A) => {
      await work(...args);
      isChanged = true;
    };
  return {
    provider: 'git',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put: changing(folder.put),
    remove: changing(folder.remove),
    keyOf: ({ relativePath }) => relativePath,
    putAccess: changing(folder.putAccess),
    missing: withParams(config, { branch: 'none' }),
    wrongSignIn: { ...config, credentials: { ...credentials, password: 'wrong-password' } },
    async close() {
      server.close();
      server.closeAllConnections();
      await folder.close();
    },
  };
}

/** Speaks CGI (RFC 3875) with git's own server. */
function callBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://git');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'alice',
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  backend.stdout.on('data', (part: Buffer) => {
    if (response.headersSent) return void response.write(part);
    head = Buffer.concat([head, part]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const headers = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = Number.parseInt(headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200', 10);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')));
    response.write(head.subarray(end + 4));
  });
  backend.stdout.on('end', () => response.end());
}
