import type { User } from '../../../model/access';
import type { GraphReply } from '../../../model/graph/wire';
import type { GraphNodes } from '../../../model/graph/wire-facts';
import type { GraphPairs } from '../../../model/graph/wire-pairs';
import {
  type CorpusApi,
  orderTemplate as template,
  orderText as getText,
  origin,
  startCorpusApi,
} from '../../support/api/graph/corpus-graph';
import { alice, bob, carol as admin, type TestApi } from '../../support/api/server';

let api: TestApi;
let graphs: CorpusApi['graphs'];
let sets: CorpusApi['sets'];
let setId: string;
let getGraph: CorpusApi['getGraph'];
beforeEach(async () => {
  ({ api, graphs, sets, setId, getGraph } = await startCorpusApi());
});
afterEach(() => api.close());

const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };

const get = (path: string, user: User) => api.call('GET', `/api/v1/graphs/${path}`, { user });
const getPairs = async (id: string, user: User, query = '') =>
  (await get(`${id}/pairs${query}`, user)).body as unknown as GraphPairs;
const decide = (id: string, user: User, nodes: string[], state: string) =>
  api.call('POST', `/api/v1/graphs/${id}/pairs`, { user, body: { decisions: [{ nodes, state }] } });
const parties = async (id: string, user: User) =>
  ((await get(`${id}/nodes?label=Party`, user)).body as unknown as GraphNodes).nodes;
const getCode = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
];

/** Two orders of one buyer under two names that the rules do not merge. Bob may read the first only. */
const doubtful = (users: string[] = ['alice']) => ({
  open: { text: getText('PO-1', 'Harbour Board') },
  closed: { text: getText('PO-2', 'Harbour Board of Secretville'), users },
});
/** The same, with names that the rules merge. */
const certain = (users: string[] = ['alice']) => ({
  open: { text: getText('PO-1', 'Harbour Board Ltd') },
  closed: { text: getText('PO-2', 'Harbour Board Limited'), users },
});

describe('rights on pairs', () => {
  test('a reader sees a pair only if they may read documents that support both nodes', async () => {
    const id = await getGraph(doubtful());
    const own = await getPairs(id, alice);
    expect(own.pairs).toMatchObject([{ state: 'open', decided_by: 'rules', reasons: [{ code: 'part_of_name' }] }]);
    expect(await getPairs(id, bob)).toEqual({ pairs: [], next: null });
    expect(await getPairs(id, bob, '?state=open&label=Party')).toEqual({ pairs: [], next: null });
    await sets.documentSets.write(setId, origin, [
      { id: 'closed', name: 'c', path: 'c', content: 'x', allowed_users: ['alice', 'bob'] },
    ]);
    expect((await getPairs(id, bob)).pairs).toHaveLength(1);
  });

  test('a merge with a node that the reader may not see changes nothing for them: no id, member, count or value', async () => {
    const id = await getGraph(certain());
    const before = JSON.stringify([await parties(id, bob), (await get(`${id}/statistics`, bob)).body]);
    const [pair] = (await getPairs(id, alice)).pairs;
    const nodes = pair?.nodes.map((node) => node.id) ?? [];
    await decide(id, alice, nodes, 'different');
    expect(await parties(id, alice)).toHaveLength(2);
    const apart = JSON.stringify([await parties(id, bob), (await get(`${id}/statistics`, bob)).body]);
    await decide(id, alice, nodes, 'same');
    expect(await parties(id, alice)).toMatchObject([{ members: nodes.toSorted() }]);
    const after = JSON.stringify([await parties(id, bob), (await get(`${id}/statistics`, bob)).body]);
    expect([apart, after]).toEqual([before, before]);
    const [own] = await parties(id, bob);
    const hidden = nodes.find((node) => node !== own?.id) ?? '';
    expect((await get(`${id}/neighbours?node=${hidden}`, bob)).status).toBe(404);
    expect(JSON.stringify((await get(`${id}/neighbours?node=${own?.id}`, bob)).body)).not.toContain(hidden);
  });

  test('questions, paths and exports reveal neither a merge with a node that the reader may not see, nor names of others', async () => {
    const id = await getGraph(certain());
    const nodes = (await getPairs(id, alice)).pairs[0]?.nodes.map((node) => node.id) ?? [];
    const everything = async () => {
      const [own] = await parties(id, bob);
      const question = encodeURIComponent('What did Harbour Board Limited and Harbour Board Ltd order, PO-1 or PO-2?');
      const paths = [
        `${id}/passages?query=${question}&limit=100`,
        `${id}/neighbours?node=${own?.id}`,
        `${id}/paths?from=${own?.id}&to=${own?.id}`,
        `${id}/nodes?query=limited`,
        ...['json', 'cypher', 'html', 'report'].map((format) => `${id}/result?format=${format}`),
      ];
      const headers = { Authorization: `Bearer ${api.tokenOf(bob)}` };
      const texts = paths.map(async (path) => (await fetch(`${api.url}/api/v1/graphs/${path}`, { headers })).text());
      return (await Promise.all(texts)).join('\n');
    };
    const merged = await everything();
    await decide(id, alice, nodes, 'different');
    expect(merged).toBe(await everything());
    expect(merged).toContain('PO-1');
    expect(merged).not.toMatch(/PO-2|Limited|closed/);
    // A name that another user has given to a graph is free.
    const body = { name: 'orders', document_set_id: setId, template };
    expect((await api.call('POST', '/api/v1/graphs', { user: bob, body })).status).toBe(202);
  });

  test('two nodes that are equal only through a node that the reader may not see stay two for them', async () => {
    const documents = {
      one: { text: getText('PO-1', 'Northern Harbour Board') },
      two: { text: getText('PO-2', 'Leith Works') },
      hidden: { text: getText('PO-3', 'Secret Quay'), users: ['alice'] },
    };
    const id = await getGraph(documents);
    const all = await parties(id, alice);
    const named = (name: string) => all.find(({ properties }) => properties['name'] === name)?.id ?? '';
    await decide(id, alice, [named('Northern Harbour Board'), named('Secret Quay')], 'same');
    await decide(id, alice, [named('Leith Works'), named('Secret Quay')], 'same');
    expect(await parties(id, alice)).toHaveLength(1);
    expect(await parties(id, bob)).toHaveLength(2);
  });

  test('score and reasons come from documents that the reader may read', async () => {
    const taxed = 'Tax number: DE-SECRET-77';
    const id = await getGraph({
      open: { text: getText('PO-1', 'Harbour Board') },
      too: { text: getText('PO-2', 'Harbour Board of Leith') },
      closed: { text: getText('PO-3', 'Harbour Board', taxed), users: ['alice'] },
      closer: { text: getText('PO-4', 'Harbour Board of Leith', taxed), users: ['alice'] },
    });
    expect((await getPairs(id, alice)).pairs).toMatchObject([
      { state: 'same', score: 0.96, reasons: [{}, { code: 'same_key', property: 'tax_number' }] },
    ]);
    const [seen] = (await getPairs(id, bob)).pairs;
    expect([seen?.score, seen?.reasons]).toEqual([0.58, [{ code: 'part_of_name' }]]);
    expect(JSON.stringify(seen)).not.toMatch(/SECRET-77|closed|closer|PO-3/);
  });

  test('only the owner decides, about nodes that they may see; administrators see no pair', async () => {
    const id = await getGraph(doubtful(['alice', 'bob']));
    const nodes = (await getPairs(id, alice)).pairs[0]?.nodes.map((node) => node.id) ?? [];
    for (const user of [bob, admin]) expect(getCode(await decide(id, user, nodes, 'same'))).toEqual([403, 'FORBIDDEN']);
    expect(getCode(await decide(id, dora, nodes, 'same'))).toEqual([404, 'GRAPH_NOT_FOUND']);
    expect(getCode(await get(`${id}/pairs`, admin))).toEqual([403, 'FORBIDDEN']);
    expect(getCode(await get(`${id}/pairs`, dora))).toEqual([404, 'GRAPH_NOT_FOUND']);
    const change = (user: User) => api.call('PATCH', `/api/v1/graphs/${id}`, { user, body: { readers: ['dora'] } });
    for (const user of [bob, admin]) expect(getCode(await change(user))).toEqual([403, 'FORBIDDEN']);
    expect((await change(alice)).body).toMatchObject({ readers: ['dora'], corpus: { resolution: 'rules' } });
    expect((await get(`${id}/pairs`, bob)).status).toBe(404);
    await sets.documentSets.write(setId, origin, [
      { id: 'closed', name: 'c', path: 'c', content: 'x', allowed_users: ['bob'] },
    ]);
    expect(getCode(await decide(id, alice, nodes, 'same'))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('decisions', () => {
  test('a merged node has the values, relations and documents of all its members; each of their ids finds it', async () => {
    const id = await getGraph(doubtful(['alice', 'bob']));
    const nodes = (await getPairs(id, alice, '?state=open')).pairs[0]?.nodes.map((node) => node.id) ?? [];
    expect((await decide(id, alice, nodes, 'same')).body).toEqual({ decided: 1 });
    const [merged, ...more] = await parties(id, alice);
    expect([merged?.members, more]).toEqual([nodes.toSorted(), []]);
    expect(merged?.support.map(({ document_id }) => document_id)).toEqual(['closed', 'open']);
    expect(merged?.others).toMatchObject([{ property: 'name', documents: ['open'] }]);
    for (const node of nodes)
      expect((await get(`${id}/neighbours?node=${node}`, alice)).body).toMatchObject({
        node: { id: merged?.id },
        neighbours: [{ node: { label: 'Order' } }, { node: { label: 'Order' } }],
      });
    const orders = ((await get(`${id}/nodes?label=Order`, alice)).body as unknown as GraphNodes).nodes;
    const [from, to] = orders.map((order) => order.id);
    expect((await get(`${id}/paths?from=${from}&to=${to}`, alice)).body).toMatchObject({
      paths: [{ edges: [{}, {}] }],
    });
    expect((await get(`${id}/statistics`, alice)).body).toMatchObject({ nodes: 3, edges: 2, node_types: { Party: 1 } });
    expect((await getPairs(id, alice, '?state=open')).pairs).toEqual([]);
    expect((await getPairs(id, alice, '?state=same')).pairs).toMatchObject([{ decided_by: 'person' }]);
  });

  test('a merge can be undone, and rules do not repeat it', async () => {
    const id = await getGraph(certain(['alice', 'bob']));
    const [pair] = (await getPairs(id, alice)).pairs;
    expect([pair?.state, pair?.decided_by, (await parties(id, alice)).length]).toEqual(['same', 'rules', 1]);
    const nodes = pair?.nodes.map((node) => node.id) ?? [];
    await decide(id, alice, nodes, 'different');
    expect(await parties(id, alice)).toHaveLength(2);
    const [one = '', other = ''] = nodes.toSorted();
    await graphs.corpora.pairs.propose(id, { one, other, label: 'Party', score: 0.95, state: 'same' });
    expect(await parties(id, alice)).toHaveLength(2);
  });

  test('two nodes decided to be different are never merged, even through a third', async () => {
    const documents = {
      one: { text: getText('PO-1', 'Harbour Board of Leith') },
      two: { text: getText('PO-2', 'Harbour Board of Hull') },
      both: { text: getText('PO-3', 'Harbour Board') },
    };
    const id = await getGraph(documents);
    const all = await parties(id, alice);
    const named = (name: string) => all.find(({ properties }) => properties['name'] === name)?.id ?? '';
    const [leith, hull, board] = [
      named('Harbour Board of Leith'),
      named('Harbour Board of Hull'),
      named('Harbour Board'),
    ];
    await decide(id, alice, [leith, board], 'same');
    await decide(id, alice, [hull, board], 'same');
    expect(await parties(id, alice)).toHaveLength(1);
    await decide(id, alice, [leith, hull], 'different');
    expect(await parties(id, alice)).toHaveLength(2);
  });

  test.each([
    ['nodes of two classes', 'Order', 400, 'VALIDATION_ERROR'],
    ['one node twice', 'Party', 400, 'VALIDATION_ERROR'],
    ['a node that does not exist', 'none', 404, 'NOT_FOUND'],
  ])('%s are rejected, and no pair of the request is decided', async (_name, other, status, code) => {
    const id = await getGraph(doubtful(['alice', 'bob']));
    const nodes = (await getPairs(id, alice)).pairs[0]?.nodes.map((node) => node.id) ?? [];
    const found =
      ((await get(`${id}/nodes?label=${other}`, alice)).body as unknown as GraphNodes).nodes[0]?.id ?? 'none';
    const bad = other === 'Party' ? [found, found] : [nodes[0] ?? '', found];
    const body = { decisions: [{ nodes, state: 'same' }, { nodes: bad, state: 'same' }] }; // prettier-ignore
    expect(getCode(await api.call('POST', `/api/v1/graphs/${id}/pairs`, { user: alice, body }))).toEqual([
      status,
      code,
    ]);
    expect((await getPairs(id, alice, '?state=open')).pairs).toHaveLength(1);
  });

  test('pages show every pair once', async () => {
    const names = ['Alpha Harbour', 'Bravo Wharf', 'Charlie Docks', 'Delta Pier', 'Echo Quays'];
    const documents = Object.fromEntries(
      names.flatMap((name, index) => [
        [`a${index}`, { text: getText(`PO-${index}`, name) }],
        [`b${index}`, { text: getText(`PO-9${index}`, `${name} Logistics`) }],
      ]),
    );
    const id = await getGraph(documents);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { pairs, next } = await getPairs(
        id,
        bob,
        `?limit=2${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
      );
      seen.push(...pairs.map(({ nodes }) => nodes.map(({ id: node }) => node).join()));
      if (next === null) break;
      after = next;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });

  test('a graph of one document has no pairs; rules need no model, and the model of a graph must exist', async () => {
    const id = await getGraph(doubtful());
    const change = { user: alice, body: { resolution: 'model' } };
    expect(getCode(await api.call('PATCH', `/api/v1/graphs/${id}`, change))).toEqual([
      400,
      'GRAPH_CONFIGURATION_INVALID',
    ]);
    const body = { text: getText('PO-1', 'A'), template };
    const single = (await api.call('POST', '/api/v1/graphs', { user: alice, body })).body as unknown as GraphReply;
    expect(getCode(await get(`${single.id}/pairs`, alice))).toEqual([409, 'CONFLICT']);
  });
});
