import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  createFeed,
  cut,
  type DoubleAnswer,
  type DoubleRequest,
  type DoubleServer,
  startDouble,
} from './double-server';

/** A file of the double's drive. */
export interface GoogleFile {
  id: string;
  name: string;
  parents: string[];
  mimeType: string;
  text: string;
  changes: number;
  permissions: object[];
  driveId?: string;
  more: object;
}

/** Google Drive and the directory of Google Workspace, written from the published protocol. */
export interface GoogleDriveDouble {
  server: DoubleServer;
  /** A key file that the token server accepts. */
  key: Record<string, string>;
  /** A key file with the same name from another key pair. */
  wrongKey: Record<string, string>;
  rootId: string;
  /** A shared drive. */
  sharedId: string;
  files: Map<string, GoogleFile>;
  users: { primaryEmail: string; aliases?: string[]; suspended?: boolean }[];
  groups: { email: string; members: object[] }[];
  /** The claims of the assertions that got a token. */
  claims: Record<string, unknown>[];
  add(parent: string, name: string, more?: Partial<GoogleFile>): GoogleFile;
  put(key: string, text: string): GoogleFile;
  find(key: string): GoogleFile | undefined;
  remove(key: string): void;
  /** The server no longer knows the tokens of changes given so far. */
  forgetChanges(): void;
  pageSize: number;
  stop(): Promise<void>;
}

const folder = 'application/vnd.google-apps.folder';

/** Starts the double. */
export async function startGoogleDrive(): Promise<GoogleDriveDouble> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const input = new Map<string, string>();
  const files = new Map<string, GoogleFile>();
  let serial = 0;
  const add: GoogleDriveDouble['add'] = (parent, name, more = {}) => {
    serial += 1;
    const file = {
      id: `1File_${serial}`,
      name,
      parents: parent === '' ? [] : [parent],
      mimeType: 'application/octet-stream',
      text: '',
      changes: 0,
      permissions: [],
      more: {},
      ...more,
    };
    files.set(file.id, file);
    return file;
  };
  const root = add('', 'My Drive', { mimeType: folder });
  const shared = add('', 'Shared', { mimeType: folder, id: '0AShared_1', driveId: '0AShared_1' });
  const getChild = (parent: string, name: string) =>
    [...files.values()].find((file) => file.parents.includes(parent) && file.name === name);
  const find = (key: string) =>
    key
      .split('/')
      .filter(Boolean)
      .reduce<GoogleFile | undefined>((at, name) => at && getChild(at.id, name), root);
  const feeds = new Map(
    [undefined, shared.id].map((drive) => [
      drive,
      createFeed(
        () => new Map([...files.values()].flatMap((item) => (item.driveId === drive ? [[item.id, toWire(item)]] : []))),
      ),
    ]),
  );
  const server = await startDouble(answer);
  const double: GoogleDriveDouble = {
    server,
    key: keyFile(pair.privateKey, `${server.origin}/token`),
    wrongKey: keyFile(other.privateKey, `${server.origin}/token`),
    rootId: root.id,
    sharedId: shared.id,
    files,
    users: [],
    groups: [],
    claims: [],
    pageSize: 2,
    add,
    find,
    put(key, text) {
      const names = key.split('/');
      const name = names.pop() ?? '';
      const parent = names.reduce((at, name) => getChild(at.id, name) ?? add(at.id, name, { mimeType: folder }), root);
      const known = getChild(parent.id, name);
      if (!known) return add(parent.id, name, { text });
      known.text = text;
      known.changes += 1;
      return known;
    },
    remove(key) {
      const file = find(key);
      if (!file) throw new Error(`There is no ${key}.`);
      files.delete(file.id);
    },
    forgetChanges: () => feeds.forEach((feed) => feed.forget()),
    stop: () => server.stop(),
  };
  return double;

  async function answer(request: DoubleRequest): Promise<DoubleAnswer> {
    const { url, body, headers } = request;
    if (url.pathname === '/token') return await signIn(new URLSearchParams(body).get('assertion') ?? '');
    const scope = input.get((headers.authorization ?? '').replace('Bearer ', ''));
    const isDirectory = url.pathname.startsWith('/admin/directory/v1/');
    if (scope === undefined) return refuse(401, 'authError');
    if (!scope.includes(isDirectory ? 'admin.directory.group.readonly' : 'drive.readonly'))
      return refuse(403, 'insufficientPermissions');
    if (isDirectory) return getDirectory(url);
    if (url.pathname === '/drive/v3/files') return listFiles(url);
    if (url.pathname.startsWith('/drive/v3/changes')) return listChanges(url);
    return getFile(url);
  }

  async function signIn(assertion: string): Promise<DoubleAnswer> {
    const audience = `${server.origin}/token`;
    const claims = await jwtVerify(assertion, pair.publicKey, { audience, algorithms: ['RS256'] }).catch(
      () => undefined,
    );
    if (!claims) return { status: 400, body: { error: 'invalid_grant', error_description: assertion } };
    double.claims.push(claims.payload);
    const token = `token-${double.claims.length}`;
    input.set(token, String(claims.payload['scope']));
    return { body: { access_token: token, expires_in: 3_599 } };
  }

  function listFiles(url: URL): DoubleAnswer {
    const [, parent] = /^(?:'([^']+)' in parents and )?trashed = false$/.exec(url.searchParams.get('q') ?? '') ?? [];
    const drive = url.searchParams.get('driveId') ?? undefined;
    const isWanted = (item: GoogleFile) =>
      parent === undefined ? item.driveId === drive : item.parents.includes(parent);
    const all = [...files.values()].filter((item) => isWanted(item) && !('trashed' in item.more));
    const { page, next } = cut(all, url.searchParams.get('pageToken'), double.pageSize);
    return { body: { files: page.map(toWire), ...(next === undefined ? {} : { nextPageToken: next }) } };
  }

  function listChanges(url: URL): DoubleAnswer {
    const feed = feeds.get(url.searchParams.get('driveId') ?? undefined)!;
    if (url.pathname.endsWith('/startPageToken')) return { body: { startPageToken: feed.mark() } };
    const [token = '', from] = (url.searchParams.get('pageToken') ?? '').split('~');
    const found = feed.since(token);
    if (!found) return refuse(410, 'gone');
    const all = [
      ...found.changed.map((file) => ({ changeType: 'file', fileId: (file as GoogleFile).id, removed: false, file })),
      ...found.gone.map((fileId) => ({ changeType: 'file', fileId, removed: true })),
    ];
    const { page, next } = cut(all, from ?? null, double.pageSize);
    return {
      body: {
        changes: page,
        ...(next === undefined ? { newStartPageToken: feed.mark() } : { nextPageToken: `${token}~${next}` }),
      },
    };
  }

  function getFile(url: URL): DoubleAnswer {
    const [, input = '', part = ''] = /^\/drive\/v3\/files\/([^/]+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    const file = files.get(input === 'root' ? root.id : input);
    if (!file) return refuse(404, 'notFound');
    if (part === 'permissions') {
      const { page, next } = cut(file.permissions, url.searchParams.get('pageToken'), double.pageSize);
      return { body: { permissions: page, ...(next === undefined ? {} : { nextPageToken: next }) } };
    }
    if (part === 'export') return { body: `${file.text} as ${url.searchParams.get('mimeType')}` };
    if (url.searchParams.get('alt') !== 'media') return { body: toWire(file) };
    return file.mimeType.startsWith('application/vnd.google-apps')
      ? refuse(403, 'fileNotDownloadable')
      : { body: file.text };
  }

  function getDirectory(url: URL): DoubleAnswer {
    const at = url.pathname.slice('/admin/directory/v1/'.length);
    const list = (name: string, all: readonly object[]): DoubleAnswer => {
      const { page, next } = cut(all, url.searchParams.get('pageToken'), double.pageSize);
      return { body: { [name]: page, ...(next === undefined ? {} : { nextPageToken: next }) } };
    };
    if (at === 'users') return list('users', double.users);
    if (at === 'groups')
      return list(
        'groups',
        double.groups.map(({ email }) => ({ email, name: email })),
      );
    const [, email = ''] = /^groups\/([^/]+)\/members$/.exec(decodeURIComponent(at)) ?? [];
    const group = double.groups.find((group) => group.email === email);
    return group ? list('members', group.members) : refuse(404, 'notFound');
  }

  /** Files of shared drives come without their permissions. */
  function toWire({
    id,
    name,
    mimeType,
    text,
    changes: count,
    parents,
    permissions,
    driveId,
    more,
  }: GoogleFile): object {
    const isBinary = !mimeType.startsWith('application/vnd.google-apps');
    return {
      id,
      name,
      mimeType,
      parents,
      trashed: false,
      modifiedTime: new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString(),
      ...(isBinary ? { size: String(Buffer.byteLength(text)), md5Checksum: `md5-${id}-${count}` } : {}),
      ...(driveId === undefined ? { permissions } : { driveId }),
      ...more,
    };
  }
}

function refuse(status: number, reason: string): DoubleAnswer {
  return { status, body: { error: { code: status, errors: [{ reason }], message: 'No.' } } };
}

function keyFile(key: KeyObject, tokenUri: string): Record<string, string> {
  return {
    type: 'service_account',
    client_email: 'reader@project.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: tokenUri,
  };
}
