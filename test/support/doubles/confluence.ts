import { cut, type DoubleAnswer, type DoubleRequest, type DoubleServer, startDouble } from './double-server';

/** A page or an attachment of the double's space. */
export interface ConfluencePage {
  id: string;
  title: string;
  parentId: string | null;
  parentType: string | null;
  spaceId: string;
  text: string;
  version: number;
  /** Undefined if unrestricted. */
  restriction?: { users: string[]; groups: string[] };
  attachments: Map<string, { id: string; text: string; version: number }>;
}

/** A site of Confluence Cloud with one space, written from the published protocol. */
export interface ConfluenceDouble {
  server: DoubleServer;
  downloads: DoubleServer;
  username: string;
  token: string;
  space: string;
  homeId: string;
  pages: Map<string, ConfluencePage>;
  folders: Map<string, ConfluencePage>;
  permissions: object[];
  /** Undefined: the site has no roles. */
  roleMode: string | undefined;
  roles: Map<string, string[]>;
  assignments: { principal: { principalType: string; principalId: string }; roleId: string }[];
  groups: { id: string; name: string; members: { accountId: string; displayName?: string; email?: string }[] }[];
  addPage(parentId: string | null, title: string, text?: string, parentType?: string): ConfluencePage;
  addFolder(parentId: string, title: string): ConfluencePage;
  /** Puts an attachment on a page below the home page; creates missing pages. */
  put(key: string, text: string): void;
  remove(key: string): void;
  pageSize: number;
  stop(): Promise<void>;
}

/** Starts the double. */
export async function startConfluence(): Promise<ConfluenceDouble> {
  let serial = 100;
  const pages = new Map<string, ConfluencePage>();
  const folders = new Map<string, ConfluencePage>();
  const make = (parentId: string | null, title: string, text: string, parentType: string): ConfluencePage => {
    serial += 1;
    return {
      id: String(serial),
      title,
      parentId,
      parentType: parentId === null ? null : parentType,
      spaceId: '7',
      text,
      version: 1,
      attachments: new Map(),
    };
  };
  const addPage: ConfluenceDouble['addPage'] = (parentId, title, text = `<p>${title}</p>`, parentType = 'page') => {
    const page = make(parentId, title, text, parentType);
    pages.set(page.id, page);
    return page;
  };
  const home = addPage(null, 'Home');
  const getChild = (parentId: string, title: string) =>
    [...pages.values()].find((page) => page.parentId === parentId && page.title === title);
  const getPage = (key: string) =>
    key
      .split('/')
      .slice(0, -1)
      .reduce((at, title) => getChild(at.id, title) ?? addPage(at.id, title), home);
  const getName = (key: string) => key.split('/').at(-1) ?? '';

  const downloads = await startDouble(({ url, headers }) => {
    if (headers.authorization !== undefined) return { status: 400, body: 'a token was sent to the wrong server' };
    const [, pageId = '', id = ''] = /^\/media\/(\w+)\/(\w+)$/.exec(url.pathname) ?? [];
    const found = [...(pages.get(pageId)?.attachments.values() ?? [])].find((attachment) => attachment.id === id);
    return found && url.searchParams.get('token') === 'signed' ? { body: found.text } : { status: 403 };
  });
  const server = await startDouble(answer);
  const double: ConfluenceDouble = {
    server,
    downloads,
    username: 'reader@acme.example',
    token: 'right-token',
    space: 'DOCS',
    homeId: home.id,
    pages,
    folders,
    permissions: [],
    roleMode: undefined,
    roles: new Map(),
    assignments: [],
    groups: [],
    pageSize: 2,
    addPage,
    addFolder(parentId, title) {
      const page = make(parentId, title, '', 'page');
      folders.set(page.id, page);
      return page;
    },
    put(key, text) {
      const { attachments } = getPage(key);
      const known = attachments.get(getName(key));
      serial += 1;
      attachments.set(
        getName(key),
        known ? { ...known, text, version: known.version + 1 } : { id: `att${serial}`, text, version: 1 },
      );
    },
    remove: (key) => void getPage(key).attachments.delete(getName(key)),
    async stop() {
      await server.stop();
      await downloads.stop();
    },
  };
  return double;

  function answer({ url, headers, method }: DoubleRequest): DoubleAnswer {
    const expected = Buffer.from(`${double.username}:${double.token}`).toString('base64');
    if (headers.authorization !== `Basic ${expected}`)
      return { status: 401, body: { message: `No: ${headers.authorization}` } };
    const at = decodeURIComponent(url.pathname);
    if (method !== 'GET' || !at.startsWith('/wiki/')) return { status: 405 };
    return at.startsWith('/wiki/api/v2/')
      ? getNew(at.slice('/wiki/api/v2'.length), url)
      : getOld(at.slice('/wiki/rest/api'.length), url);
  }

  function getNew(at: string, url: URL): DoubleAnswer {
    if (at === '/spaces') {
      const isAsked = url.searchParams.get('keys') === double.space;
      return list(url, isAsked ? [{ id: '7', key: double.space }] : []);
    }
    if (at === '/space-role-mode' && double.roleMode !== undefined) return { body: { mode: double.roleMode } };
    if (at === '/spaces/7/role-assignments') return list(url, double.assignments);
    const role = double.roles.get(at.replace('/space-roles/', ''));
    if (role) return { body: { id: at, type: 'CUSTOM', spacePermissions: role } };
    if (at === '/spaces/7/permissions') return list(url, double.permissions);
    if (at === '/spaces/7/pages')
      return list(
        url,
        [...pages.values()].filter(({ spaceId }) => spaceId === '7').map((page) => toWire(page)),
      );
    const [, kind = '', id = '', part = ''] = /^\/(pages|folders)\/(\w+)(?:\/(\w+))?$/.exec(at) ?? [];
    const found = (kind === 'pages' ? pages : folders).get(id);
    if (!found) return { status: 404, body: { errors: [{ code: 'NOT_FOUND' }] } };
    if (part === '') return { body: toWire(found, url.searchParams.get('body-format') === 'storage') };
    const attachments = [...found.attachments].map(([title, item]) => ({
      id: item.id,
      title,
      status: 'current',
      mediaType: 'application/octet-stream',
      fileSize: Buffer.byteLength(item.text),
      version: { number: item.version, createdAt: '2026-01-01T00:00:00.000Z' },
    }));
    return list(url, attachments);
  }

  function getOld(at: string, url: URL): DoubleAnswer {
    const [, id = ''] = /^\/content\/(\w+)\/restriction\/byOperation\/read$/.exec(at) ?? [];
    const restricted = pages.get(id) ?? folders.get(id);
    const start = Number(url.searchParams.get('start') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 25);
    if (restricted) {
      const { users, groups } = restricted.restriction ?? { users: [], groups: [] };
      const user = { results: users.slice(start, start + limit).map((accountId) => ({ type: 'known', accountId })) };
      const group = { results: groups.slice(start, start + limit).map((group) => ({ type: 'group', id: group })) };
      return { body: { operation: 'read', restrictions: { user, group } } };
    }
    const [, pageId = '', attachment = ''] = /^\/content\/(\w+)\/child\/attachment\/(\w+)\/download$/.exec(at) ?? [];
    const known = [...(pages.get(pageId)?.attachments.values() ?? [])].some((candidate) => candidate.id === attachment);
    if (known)
      return { status: 302, headers: { location: `${downloads.origin}/media/${pageId}/${attachment}?token=signed` } };
    if (at === '/group')
      return {
        body: {
          results: double.groups.slice(start, start + limit).map(({ id: own, name }) => ({ id: own, name })),
          start,
          limit,
        },
      };
    const [, groupId = ''] = /^\/group\/([\w-]+)\/membersByGroupId$/.exec(at) ?? [];
    const members = double.groups.find((group) => group.id === groupId)?.members;
    return members ? { body: { results: members.slice(start, start + limit), start, limit } } : { status: 404 };
  }

  function list(url: URL, all: readonly object[]): DoubleAnswer {
    const { page: results, next } = cut(all, url.searchParams.get('cursor'), double.pageSize);
    if (next === undefined) return { body: { results, _links: {} } };
    return { body: { results, _links: { next: `${url.pathname}?limit=250&cursor=${next}` } } };
  }

  function toWire(
    { id, title, parentId, parentType, spaceId, version, text }: ConfluencePage,
    hasBody = false,
  ): object {
    return {
      id,
      title,
      status: 'current',
      spaceId,
      parentId,
      parentType,
      version: { number: version, createdAt: '2026-01-01T00:00:00.000Z' },
      ...(hasBody ? { body: { storage: { representation: 'storage', value: text } } } : {}),
    };
  }
}
