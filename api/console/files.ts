import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context, Middleware, Next } from 'koa';
import { AppError } from '../../model/errors';
import { ignoreAbsent } from '../../services/storage/absent-file';
import { isKnown } from '../http/conditional';

const mount = '/console';
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** In order of preference, with the extension of the compressed file next to the plain one. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** All resources come from this server; nothing is inline. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const notBuilt =
  'The console is not built. In a checkout, run `npm ci` and `npm run build:console`; a released package contains it.\n';

interface ConsoleFile {
  type: string;
  etag: string;
  /** By encoding; `identity` always exists. */
  bodies: Map<string, Buffer>;
}

/**
 * Serves the built console below `/console`. Files with a hash in their names are cached forever; the page itself is revalidated
 * each time. Addresses without a file return the page, so that deep links work. The first request reads all files.
 */
export function createConsoleFiles(folder: string): Middleware {
  let reading: Promise<Map<string, ConsoleFile>> | undefined;
  const loadFiles = async (): Promise<Map<string, ConsoleFile>> => {
    const files = await (reading ??= readFiles(folder));
    // A missing console is not cached, so that one built later is found.
    if (!files.has('index.html')) reading = undefined;
    return files;
  };
  return async (context, next) => {
    if (context.path === '/favicon.ico') return sendIcon(context, await loadFiles(), next);
    if (context.path !== mount && !context.path.startsWith(`${mount}/`)) return next();
    if (!['GET', 'HEAD'].includes(context.method)) {
      context.set('Allow', 'GET, HEAD');
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        `${context.method} is not allowed at ${context.path}; allowed: GET, HEAD.`,
      );
    }
    const consoleFiles = await loadFiles();
    const page = consoleFiles.get('index.html');
    if (!page) {
      context.status = 503;
      context.type = 'text/plain; charset=utf-8';
      context.body = notBuilt;
      return;
    }
    const name = context.path.slice(mount.length + 1);
    const file = consoleFiles.get(name);
    // An asset name means a file: an outdated page that requests a removed file must not get HTML.
    if (!file && name.startsWith('assets/')) throw new AppError('NOT_FOUND', `There is nothing at ${context.path}.`);
    context.set('Content-Security-Policy', contentSecurityPolicy);
    send(context, file ?? page, file !== undefined && name.startsWith('assets/'));
  };
}

/** Browsers request this address for pages that name no icon, such as a reply of the API in a tab. */
function sendIcon(context: Context, files: ReadonlyMap<string, ConsoleFile>, next: Next): Promise<void> | void {
  const icon = [...files].find(([name]) => /^assets\/icon-[^/]+\.svg$/.test(name));
  if (!icon || !['GET', 'HEAD'].includes(context.method)) return next();
  send(context, icon[1], false);
}

function send(context: Context, file: ConsoleFile, isHashed: boolean): void {
  context.vary('Accept-Encoding');
  context.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  context.set('ETag', file.etag);
  context.status = 200;
  if (isKnown(context.get('If-None-Match'), file.etag)) {
    context.status = 304;
    return;
  }
  const accepted = context.acceptsEncodings([...file.bodies.keys()]);
  const encoding = typeof accepted === 'string' ? accepted : 'identity';
  if (encoding !== 'identity') context.set('Content-Encoding', encoding);
  context.set('Content-Type', file.type);
  context.body = file.bodies.get(encoding) ?? file.bodies.get('identity');
}

async function readFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const names = (await ignoreAbsent(readdir(folder, { recursive: true }))) ?? [];
  const files = new Map<string, ConsoleFile>();
  const present = new Set(names);
  for (const name of names) {
    const type = mediaTypes[path.extname(name)];
    if (!type) continue;
    const plain = await readFile(path.join(folder, name));
    const bodies = new Map<string, Buffer>();
    for (const { name: encoding, ending } of encodings)
      if (present.has(`${name}${ending}`)) bodies.set(encoding, await readFile(path.join(folder, `${name}${ending}`)));
    bodies.set('identity', plain);
    const etag = `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
    files.set(name.split(path.sep).join('/'), { type, etag, bodies });
  }
  return files;
}
