import {
  createFeed,
  cut,
  type DoubleAnswer,
  type DoubleRequest,
  type DoubleServer,
  startDouble,
} from './double-server';
import { getCertificate, type GivenToken, isSignedBy, type SharepointDouble, startSharepoint } from './sharepoint';

/** An item of the double's drive. */
export interface GraphItem {
  id: string;
  name: string;
  parentId: string;
  isFolder: boolean;
  text: string;
  changes: number;
  permissions: object[];
  more: object;
}

/** Microsoft Graph as a tenant with one site and one drive sees it, written from the published protocol. */
export interface GraphDouble {
  server: DoubleServer;
  /** The address of the file bytes, which needs no token. */
  downloads: DoubleServer;
  sharepoint: SharepointDouble;
  /** A certificate of the application with its key. */
  certificate: string;
  /** A domain of the tenant. */
  tenant: string;
  tenantId: string;
  clientId: string;
  clientSecret: string;
  refreshToken: string;
  driveId: string;
  rootId: string;
  items: Map<string, GraphItem>;
  users: { id: string; userPrincipalName: string; mail?: string | null; userType?: string; accountEnabled?: boolean }[];
  groups: { id: string; displayName: string; members: object[] }[];
  /** Puts a file below folders, creating missing ones; returns the file. */
  put(key: string, text: string): GraphItem;
  find(key: string): GraphItem | undefined;
  /** Removes an item and everything in it. */
  remove(key: string): void;
  /** Revokes all tokens issued so far. */
  revoke(): void;
  /** The number of issued access tokens. */
  tokens(): number;
  /** The server no longer knows the delta tokens given so far. */
  forgetDeltas(): void;
  /** Items of a page. */
  pageSize: number;
  /** If set, the first request of the next batch is answered with 429 and this `Retry-After`, in seconds. */
  throttledFor: number | undefined;
  stop(): Promise<void>;
}

const tenant = 'contoso.example';
const tenantId = '11111111-2222-3333-4444-555555555555';
const site = 'contoso.sharepoint.example,site-1';

/** Starts the double. Its sign-in server is below `/login`. */
export async function startGraph(): Promise<GraphDouble> {
  const input = new Map<string, GivenToken>();
  const certificate = getCertificate();
  let count = 0;
  let serial = 0;
  const items = new Map<string, GraphItem>();
  const addItem = (parentId: string, name: string, isFolder: boolean, text = ''): GraphItem => {
    serial += 1;
    const item = { id: `01ITEM${serial}`, name, parentId, isFolder, text, changes: 0, permissions: [], more: {} };
    items.set(item.id, item);
    return item;
  };
  const root = addItem('', 'root', true);
  const getChild = (parentId: string, name: string) =>
    [...items.values()].find((item) => item.parentId === parentId && item.name === name);
  const find = (key: string) =>
    key
      .split('/')
      .filter(Boolean)
      .reduce<GraphItem | undefined>((at, name) => at && getChild(at.id, name), root);

  const feed = createFeed(() => new Map([...items].map(([id, item]) => [id, toWire(item)])));
  const answers = new Map<string, object[]>();
  const downloads = await startDouble(({ url, headers }) => {
    if (headers.authorization !== undefined) return { status: 400, body: 'a token was sent to the wrong server' };
    const item = items.get(url.pathname.slice(1));
    return item && url.searchParams.get('tempauth') === 'signed' ? { body: item.text } : { status: 403 };
  });
  const sharepoint = await startSharepoint(input);
  const server = await startDouble(answer);
  const double: GraphDouble = {
    server,
    downloads,
    sharepoint,
    certificate,
    tenant,
    tenantId,
    clientId: 'app-1',
    clientSecret: 'right-secret',
    refreshToken: 'right-refresh-token',
    driveId: 'b!drive-1',
    rootId: root.id,
    items,
    users: [],
    groups: [],
    pageSize: 2,
    throttledFor: undefined,
    find,
    put(key, text) {
      const names = key.split('/');
      const name = names.pop() ?? '';
      const folder = names.reduce((at, name) => getChild(at.id, name) ?? addItem(at.id, name, true), root);
      const known = getChild(folder.id, name);
      if (!known) return addItem(folder.id, name, false, text);
      known.text = text;
      known.changes += 1;
      return known;
    },
    remove(key) {
      const item = find(key);
      if (!item) throw new Error(`There is no ${key}.`);
      const removeAll = (id: string) => {
        for (const item of [...items.values()]) if (item.parentId === id) removeAll(item.id);
        items.delete(id);
      };
      removeAll(item.id);
    },
    revoke: () => input.clear(),
    tokens: () => count,
    forgetDeltas: () => feed.forget(),
    async stop() {
      await server.stop();
      await downloads.stop();
      await sharepoint.server.stop();
    },
  };
  return double;

  function answer(request: DoubleRequest): DoubleAnswer {
    const { url, method, body, headers } = request;
    const at = decodeURIComponent(url.pathname);
    if ([tenant, tenantId].some((value) => at === `/login/${value}/oauth2/v2.0/token`))
      return signIn(new URLSearchParams(body));
    if (at === `/login/${tenant}/v2.0/.well-known/openid-configuration`)
      return {
        body: { issuer: `https://login.example/${tenantId}/v2.0`, token_endpoint: 'https://elsewhere.example' },
      };
    const token = input.get((headers.authorization ?? '').replace('Bearer ', ''));
    if (token?.scope !== `${server.origin}/.default`)
      return { status: 401, body: { error: { code: 'InvalidAuthenticationToken', message: headers.authorization } } };
    if (at === '/v1.0/$batch' && method === 'POST') return batch(body, request);
    if (method !== 'GET' || !at.startsWith('/v1.0/')) return { status: 405 };
    return get(at.slice('/v1.0'.length), url);
  }

  function signIn(form: URLSearchParams): DoubleAnswer {
    const isSigned = isSignedBy(certificate, form, `${server.origin}/login/${tenant}/oauth2/v2.0/token`);
    const isClient =
      form.get('client_id') === double.clientId && (isSigned || form.get('client_secret') === double.clientSecret);
    const scope = form.get('scope') ?? '';
    const isUser = form.get('grant_type') === 'refresh_token';
    const isKnown = [server, sharepoint.server].some(({ origin }) => scope === `${origin}/.default`);
    const isGood =
      isClient &&
      isKnown &&
      (isUser ? form.get('refresh_token') === double.refreshToken : form.get('grant_type') === 'client_credentials');
    if (!isGood) return { status: 401, body: { error: 'invalid_client', error_description: form.toString() } };
    count += 1;
    input.set(`token-${count}`, { scope, isSecret: !isSigned && !isUser });
    return { body: { access_token: `token-${count}`, expires_in: 3_599, token_type: 'Bearer' } };
  }

  function batch(body: string, request: DoubleRequest): DoubleAnswer {
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] };
    if (requests.length > 20) return { status: 400 };
    // In an order different from that of the requests, as the protocol allows.
    const responses = requests.toReversed().map(({ id, url }) => {
      const inner = new URL(`/v1.0${url}`, request.url);
      const {
        status = 200,
        headers = {},
        body: found,
      } = throttled(id) ?? get(decodeURIComponent(inner.pathname).slice('/v1.0'.length), inner);
      return { id, status, headers, body: found };
    });
    return { body: { responses } };
  }

  function throttled(id: string): DoubleAnswer | undefined {
    if (id !== '0' || double.throttledFor === undefined) return undefined;
    const headers = { 'Retry-After': String(double.throttledFor) };
    double.throttledFor = undefined;
    return { status: 429, headers };
  }

  function get(at: string, url: URL): DoubleAnswer {
    const drive = `/drives/${double.driveId}`;
    if (at === '/sites/contoso.sharepoint.example:/sites/legal') return { body: { id: site } };
    if (at === `/sites/${site}/drive` || at === '/users/owner@contoso.example/drive')
      return { body: { id: double.driveId } };
    if (at === `/sites/${site}/drives`)
      return page(url, [
        { id: 'b!other', name: 'Other' },
        { id: 'b!third', name: 'Third' },
        { id: double.driveId, name: 'Contracts' },
      ]);
    if (at === '/users') return page(url, double.users);
    if (at === '/groups')
      return page(
        url,
        double.groups.map(({ id, displayName }) => ({ id, displayName })),
      );
    const [, group] = /^\/groups\/([^/]+)\/members$/.exec(at) ?? [];
    if (group !== undefined) {
      const found = double.groups.find(({ id }) => id === group);
      return found ? page(url, found.members) : { status: 404 };
    }
    if (at === drive) return { body: { id: double.driveId, sharePointIds: { siteId: sharepoint.siteId } } };
    if (at === `${drive}/root/delta`) return delta(url);
    if (at === `${drive}/root`) return { body: toWire(root) };
    if (at.startsWith(`${drive}/root:/`)) {
      const item = find(at.slice(`${drive}/root:/`.length));
      return item ? { body: toWire(item) } : missing();
    }
    const [, id = '', part = ''] =
      new RegExp(`^${drive.replace('!', '\\!')}/items/([^/]+)(?:/(\\w+))?$`).exec(at) ?? [];
    const item = items.get(id);
    if (!item) return missing();
    if (part === 'children')
      return page(url, [...items.values()].filter(({ parentId }) => parentId === id).map(toWire));
    if (part === 'permissions') return page(url, item.permissions);
    if (part === 'content') return { status: 302, headers: { location: `${downloads.origin}/${id}?tempauth=signed` } };
    return part === '' ? { body: toWire(item) } : missing();
  }

  /** All pages of an answer are as of its first one; a change meanwhile comes with the next answer. */
  function delta(url: URL): DoubleAnswer {
    const [token = 'start', from = ''] = url.searchParams.get('token')?.split('~') ?? [];
    const link = (next: string) => {
      const address = new URL(url);
      address.searchParams.set('token', next);
      return address.href;
    };
    if (from === '') {
      const found = feed.since(token);
      if (!found)
        return { status: 410, headers: { location: link('start') }, body: { error: { code: 'resyncRequired' } } };
      const id = feed.mark();
      answers.set(id, [...found.changed, ...found.gone.map((item) => ({ id: item, deleted: { state: 'deleted' } }))]);
      return deltaPage(id, null, link);
    }
    return deltaPage(token, from, link);
  }

  function deltaPage(id: string, from: string | null, link: (next: string) => string): DoubleAnswer {
    const { page: value, next } = cut(answers.get(id) ?? [], from, double.pageSize);
    return {
      body: {
        value,
        ...(next === undefined ? { '@odata.deltaLink': link(id) } : { '@odata.nextLink': link(`${id}~${next}`) }),
      },
    };
  }

  function page(url: URL, all: readonly object[]): DoubleAnswer {
    const { page: value, next } = cut(all, url.searchParams.get('$skiptoken'), double.pageSize);
    if (next === undefined) return { body: { value } };
    const link = new URL(url);
    link.searchParams.set('$skiptoken', next);
    return { body: { value, '@odata.nextLink': link.href } };
  }

  function toWire(item: GraphItem): object {
    const { id, name, isFolder, text, changes, parentId, more } = item;
    return {
      id,
      name,
      size: Buffer.byteLength(text),
      lastModifiedDateTime: new Date(Date.UTC(2026, 0, 1, 0, 0, changes)).toISOString(),
      webUrl: `https://contoso.sharepoint.example/sites/legal/Shared%20Documents/${encodeURIComponent(name)}`,
      ...(parentId === '' ? { root: {} } : { parentReference: { id: parentId } }),
      ...(isFolder
        ? { folder: {} }
        : { file: { mimeType: 'application/octet-stream' }, cTag: `"c:{${id}},${changes}"` }),
      ...more,
    };
  }
}

function missing(): DoubleAnswer {
  return { status: 404, body: { error: { code: 'itemNotFound', message: 'Item not found' } } };
}
