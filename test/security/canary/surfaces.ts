import { type Evidence, getCanary, getName, readersOf, type Username } from './documents';

/** Somebody with a token. An administrator may read no document: `having` is empty. */
export interface Asker {
  name: string;
  having: readonly Username[];
  token: string;
}

/** A run, and the earlier run of its job that it can be compared with. */
export interface Run {
  id: string;
  operators: readonly string[];
  base?: string;
}

/** What exists after a round, so that everybody can ask for the resources of everybody. */
export interface Known {
  runs: readonly Run[];
  /** The document of each id. */
  documents: ReadonlyMap<string, string>;
}

/** Ids of everybody's resources, found in everybody's own lists. */
type Ids = Record<keyof typeof lists, string[]>;

const lists = {
  sets: { route: '/document-sets?limit=100', id: 'id' },
  failed: { route: '/failed_documents?limit=100', id: 'id' },
  reviews: { route: '/reviews?limit=100', id: 'id' },
  graphs: { route: '/graphs?limit=100', id: 'id' },
  searches: { route: '/saved-searches?limit=100', id: 'search_id' },
  indexes: { route: '/indexes?limit=100', id: 'name' },
} as const;

const atOnce = 8;

/** Every reply that each user gets about any resource of the round. */
export async function readSurfaces(address: string, askers: readonly Asker[], known: Known): Promise<Evidence[]> {
  const ids = await findIds(address, askers);
  const routes = [...listRoutes(), ...buildRunRoutes(known), ...buildIdRoutes(ids)];
  const evidence: Evidence[] = [];
  for (const asker of askers) {
    const take = async (what: string, answer: Promise<Answer>): Promise<Evidence[]> => {
      const { text } = await answer;
      return [{ what: `${what} as ${asker.name}`, having: asker.having, text }];
    };
    const requests = [
      ...routes.map((route) => () => take(route, ask(address, asker, route))),
      ...searchBodies.map((body) => () => take(JSON.stringify(body), ask(address, asker, '/documents/search', body))),
      ...listToolCalls(known, ids).map((call) => () => take(JSON.stringify(call), callTool(address, asker, call))),
      ...[...known.documents].map(
        ([id, document]) =>
          () =>
            readDocument(address, asker, { id, document }),
      ),
    ];
    evidence.push(...(await inTurns(requests)).flat());
  }
  return evidence;
}

interface Answer {
  status: number;
  text: string;
}

async function ask(address: string, { token }: Asker, route: string, body?: object): Promise<Answer> {
  const reply = await fetch(route === '/mcp' ? `${address}/mcp` : `${address}/api/v1${route}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream, */*',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = Buffer.from(await reply.arrayBuffer()).toString('utf8');
  // A failing server and a request that it does not understand prove nothing.
  const isMisread = (reply.status === 400 && !route.includes('columns=nothing')) || (body && reply.status === 422);
  const isFailing = reply.status >= 500 && reply.status !== 503;
  if (isMisread || isFailing || reply.status === 405 || text.includes('"There is nothing at '))
    throw new Error(`${route} ${JSON.stringify(body)} answers ${reply.status}: ${text}`);
  return { status: reply.status, text };
}

async function inTurns<T>(requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < requests.length; at += atOnce)
    results.push(...(await Promise.all(requests.slice(at, at + atOnce).map((request) => request()))));
  return results;
}

async function findIds(address: string, askers: readonly Asker[]): Promise<Ids> {
  const found = Object.fromEntries(Object.keys(lists).map((name) => [name, new Set<string>()]));
  for (const asker of askers)
    for (const [name, { route, id }] of Object.entries(lists)) {
      const body = JSON.parse((await ask(address, asker, route)).text) as Record<string, unknown>;
      const items = Object.values(body).find((member) => Array.isArray(member)) as
        | Record<string, unknown>[]
        | undefined;
      for (const item of items ?? []) {
        if (typeof item[id] !== 'string') throw new Error(`${route} has items without ${id}: ${JSON.stringify(item)}`);
        found[name]?.add(item[id]);
      }
    }
  return Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]])) as Ids;
}

const words = ['canary', 'report', 'zebra', 'grazes'];

function listRoutes(): string[] {
  const starts = [getCanary('').slice(0, 4), getName('').slice(0, 4), 'graz'];
  return [
    ...Object.values(lists).map(({ route }) => route),
    ...['/job_runs', '/flows', '/projects', '/document-libraries', '/overview', '/removals', '/connections'],
    ...['/webhooks', '/judged-queries', '/graphs/templates', '/storage', '/audit?limit=100', '/names?text=okapi'],
    ...['/failed_documents/groups?by=code', '/failed_documents/report', '/document_classes'],
    ...starts.flatMap((start) => ['', '&store=pgvector'].map((store) => `/documents/suggest?q=${start}${store}`)),
  ];
}

function buildRunRoutes({ runs }: Known): string[] {
  return runs.flatMap(({ id, operators, base = id }) => [
    ...['?include_logs=true&include_batches=true', '/documents', '/report', '/events', '/flow_definition', '/log'].map(
      (part) => `/job_runs/${id}${part}`,
    ),
    ...operators.flatMap((operator) => [
      `/job_runs/${id}/rows?operator=${operator}&limit=100`,
      `/job_runs/${id}/rows/export?operator=${operator}&format=csv`,
    ]),
    `/job_runs/${id}/comparison?base_run_id=${base}`,
  ]);
}

function buildIdRoutes(ids: Ids): string[] {
  const below = (base: string, all: readonly string[], parts: readonly string[]) =>
    all.flatMap((id) => parts.map((part) => `${base}/${encodeURIComponent(id)}${part}`));
  return [
    ...below('/document-sets', ids.sets, [
      '',
      '/preview?include_vectors=true',
      '/preview?columns=nothing',
      ...['jsonl', 'csv', 'parquet'].map((format) => `/export?format=${format}`),
    ]),
    ...below('/failed_documents', ids.failed, ['', '/original', '/markdown', '/pages/1/image']),
    ...below('/reviews', ids.reviews, ['', '/markdown']),
    ...below('/graphs', ids.graphs, ['', '/result', '/nodes', '/passages?query=canary', '/statistics', '/documents']),
    ...below('/saved-searches', ids.searches, ['']),
    ...below('/indexes', ids.indexes, ['']),
  ];
}

const searchBodies: readonly object[] = [{}, ...words.map((query) => ({ query }))].flatMap((body) =>
  [{}, { store: 'pgvector' }].flatMap((store) => [
    { ...body, ...store, mode: 'text', limit: 100, highlight: true },
    ...('query' in body ? [{ ...body, ...store, mode: 'hybrid', explain: true, group: true, expand: 2 }] : []),
    ...('query' in body ? [] : [{ ...store, facets: ['title', 'metadata.name', 'metadata.extension'] }]),
  ]),
);

/** Parts of a document; those that show it as bytes prove by their status who gets them. */
const parts = ['', '/original', '/markdown', '/json', '/html', '/facts', '/chunks', '/chunks?store=pgvector', '/pages', '/pages/1', '/pages/1/image', '/life', '/access', '?store=pgvector']; // prettier-ignore

async function readDocument(
  address: string,
  asker: Asker,
  { id, document }: { id: string; document: string },
): Promise<Evidence[]> {
  const evidence: Evidence[] = [];
  for (const part of parts) {
    const { status, text } = await ask(address, asker, `/documents/${encodeURIComponent(id)}${part}`);
    // Administrators see who may read a document, which is not its content.
    const isShown = status === 200 && part !== '/access';
    const shown = isShown ? getCanary(document) : '';
    evidence.push({ what: `/documents/${id}${part} as ${asker.name}`, having: asker.having, text: shown + text });
  }
  return evidence;
}

type Call = [name: string, input: Record<string, unknown>];

function listToolCalls({ runs, documents }: Known, ids: Ids): Call[] {
  return [
    ...words.flatMap((query): Call[] => [
      ['search_documents', { query, mode: 'text' }],
      ['search_documents', { query, mode: 'hybrid', store: 'pgvector' }],
    ]),
    ...[...documents.keys()].flatMap((document_id): Call[] => [
      ['get_document', { document_id }],
      ['get_page', { document_id, page: 1, boxes: true, image: true }],
      ['explain_access', { document_id }],
    ]),
    ...ids.sets.map((document_set_id): Call => ['read_facts', { document_set_id }]),
    ...ids.graphs.map((graph_id): Call => ['graph_nodes', { graph_id }]),
    ...runs.map(({ id }): Call => ['get_run', { run_id: id }]),
    ...['list_flows', 'list_runs', 'list_failed_documents', 'list_document_sets', 'list_graphs'].map((name): Call => [
      name,
      {},
    ]),
  ];
}

async function callTool(address: string, asker: Asker, [name, input]: Call): Promise<Answer> {
  const params = { name, arguments: input };
  const answer = await ask(address, asker, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  if (/"code":-32\d{3}/.test(answer.text)) throw new Error(`${name} does not take ${JSON.stringify(input)}`);
  return answer;
}

/** True if some reply showed the user a document that they may read: without it, the silence about others proves nothing. */
export function isSeen(evidence: readonly Evidence[], user: Username): boolean {
  const own = Object.keys(readersOf).filter((document) => readersOf[document]?.includes(user));
  const replies = evidence.filter(({ having, what }) => having.length === 1 && what.endsWith(` as ${user}`));
  return replies.some(({ text }) => own.some((document) => text.includes(getCanary(document))));
}
