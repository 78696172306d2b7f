import type { SearchConnection } from '../connection';
import { buildMappings, buildSettings } from '../mapping';
import { readServerFacts, type ServerFacts, unknownServer } from './server-facts';

const opensearch = { version: { distribution: 'opensearch' } };
const single = { version: '2.19.1', settings: { 'discovery.type': 'single-node' } };
const node = { version: '2.19.1', settings: {} };

/** The facts about a server with these answers; a number is the status of an answer without them. */
async function ask(root: object | number, ...nodes: (object | number)[]): Promise<ServerFacts> {
  const [first] = nodes;
  const list =
    typeof first === 'number' ? first : { nodes: Object.fromEntries(nodes.map((item, at) => [`node${at}`, item])) };
  const connection: SearchConnection = {
    address: 'here:9200',
    send: async ({ path }, { accept = [] }) => {
      const answer = path === '/' ? root : list;
      if (typeof answer !== 'number') return { status: 200, body: answer };
      expect(accept).toContain(answer);
      return { status: answer, body: '' };
    },
    close: async () => undefined,
  };
  return readServerFacts({ connection, timeoutMs: 1_000 }, AbortSignal.timeout(1_000));
}

const spec = {
  name: 'x',
  vectorDimension: 8,
  engine: 'lucene',
  spaceType: 'l2',
  m: 16,
  efConstruction: 100,
} as const;

test('only a server that cannot get a second node needs no history', async () => {
  const cluster = { readsVectors: true, isSingleNode: false };
  expect(await ask(opensearch, single)).toEqual({ readsVectors: true, isSingleNode: true });
  expect(await ask(opensearch, node)).toEqual(cluster);
  expect(await ask(opensearch, { ...node, settings: { 'discovery.type': 'zen' } })).toEqual(cluster);
  expect(await ask(opensearch, single, node)).toEqual(cluster);
});

test('other versions and products, and servers that say nothing, get indexes as before', async () => {
  for (const version of ['2.11.0', '3.1.0', '12.19.1', ''])
    expect(await ask(opensearch, { ...single, version })).toEqual(unknownServer);
  expect(await ask(opensearch, single, { ...node, version: '2.11.0' })).toEqual(unknownServer);
  expect(await ask(opensearch)).toEqual(unknownServer);
  expect(await ask(opensearch, 403)).toEqual(unknownServer);
  expect(await ask({ version: { number: '2.19.1' } }, single)).toEqual(unknownServer);
  for (const root of [{}, [], { version: null }, { version: { distribution: ['opensearch', 'x'] } }])
    expect(await ask(root, single)).toEqual(unknownServer);
  expect(await ask(401, single)).toEqual(unknownServer);
});

test('answers of another form are those of an unknown server', async () => {
  const bad = [
    { version: null },
    { version: 2.19 },
    { version: ['2.19.1', '1.0.0'], settings: null },
    { version: '2.19.1-evil\n2.11', settings: [] },
    { version: '2.190.1', settings: 'single-node' },
  ];
  for (const node of bad) expect((await ask(opensearch, node)).isSingleNode).toBe(false);
  const list = { ...single, settings: { 'discovery.type': ['single-node'] } };
  expect((await ask(opensearch, list)).isSingleNode).toBe(false);
  expect((await ask(opensearch, { ...single, settings: null })).isSingleNode).toBe(false);
});

test('the mapping stores a vector once, and history only where a copy may need it', () => {
  const map = (server?: ServerFacts, engine: 'lucene' | 'faiss' = 'lucene') =>
    buildMappings({ ...spec, engine }, { isAnalysed: true, ...(server ? { server } : {}) }) as {
      _source: Record<string, unknown>;
      properties: { embedding: Record<string, unknown> };
    };
  const alone = map({ readsVectors: true, isSingleNode: true });
  expect(alone._source).toMatchObject({ recovery_source_enabled: false });
  expect(alone.properties.embedding).toMatchObject({ doc_values: false });
  const cluster = map({ readsVectors: true, isSingleNode: false });
  expect(cluster._source).not.toHaveProperty('recovery_source_enabled');
  expect(cluster.properties.embedding).toMatchObject({ doc_values: false });
  // Only the engine lucene was seen to do without columns.
  expect(map({ readsVectors: true, isSingleNode: true }, 'faiss').properties.embedding).not.toHaveProperty(
    'doc_values',
  );
  for (const other of [map(), map(unknownServer)]) {
    expect(other._source).not.toHaveProperty('recovery_source_enabled');
    expect(other.properties.embedding).not.toHaveProperty('doc_values');
  }
});

test('segments of an embedded server stay so small that it has the memory to merge their graphs', () => {
  const bound = (more: object, server?: ServerFacts) =>
    buildSettings({ ...spec, ...more }, { isAnalysed: true, ...(server ? { server } : {}) })[
      'merge.policy.max_merged_segment'
    ];
  const alone = { readsVectors: true, isSingleNode: true };
  expect(bound({ vectorDimension: 384 }, alone)).toBe('777mb');
  expect(bound({ vectorDimension: 384, m: 64 }, alone)).toBe('195mb');
  expect(bound({ vectorDimension: 4_096 }, alone)).toBe('5120mb');
  // A server of many nodes has memory of its own, and records without vectors have no graph.
  expect(bound({ vectorDimension: 384 }, { ...alone, isSingleNode: false })).toBeUndefined();
  expect(bound({ vectorDimension: 384 })).toBeUndefined();
  expect(bound({ vectorDimension: undefined }, alone)).toBeUndefined();
});
