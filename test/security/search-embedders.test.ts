import type { Client } from '../../client';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { type ConversionSystem, startConversionSystem } from '../support/system/conversion-system';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';

// A document that bob plants in an index of his own embedder must not send alice's queries to him, nor make them fail.
let service: ConversionSystem;
let local: ModelServer;
let approved: ModelServer;
let bobs: ModelServer;
let alice: Client;

async function index(client: Client, name: string, provider_config: object, text: string) {
  const access = { allowed_users: ['alice', 'bob'] };
  const folder = documentsIn(service.system, name, { [`${name}.md`]: text }, access);
  const flow = await client.flows.create({
    flow_name: name,
    flow: [
      ...reading(folder),
      {
        type: 'embeddings',
        name: 'embed',
        depends_on: ['extract'],
        config: { type: 'local_api', provider_config: { ...provider_config, max_retries: 0 } },
      },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { provider: 'opensearch', index_name: `${service.system.env['SEARCH_DEFAULT_INDEX']}-${name}` },
      },
    ],
  });
  expect((await runToEnd(client, flow.flow_id)).status).toMatch(/^COMPLETED/);
}

beforeAll(async () => {
  [local, approved, bobs] = await Promise.all([createModelServer(), createModelServer(), createModelServer()]);
  const hosts = [approved, bobs].map(({ url }) => new URL(url).host);
  service = await startConversionSystem({
    LOCALMODEL_HOST: local.url,
    // Flows may use both; searches only approved ones.
    DOCLOOM_ALLOWED_HOSTS: hosts.join(','),
    DOCLOOM_SEARCH_EMBEDDERS: hosts[0] ?? '',
    JWT_SECRET_KEY: 'a secret of this test, 0123456789 abcdef',
  });
  const bob = (await loggedIn(service.url, 'bob')).client;
  ({ client: alice } = await loggedIn(service.url, 'alice'));
  const planted = new URL(bobs.url);
  await index(alice, 'mine', { model_id: 'm' }, 'A lynx of alice.');
  await index(alice, 'other', { model_id: 'n', api_base: `${approved.url}/v1` }, 'A lynx of another model.');
  await index(bob, 'planted', { model_id: 'p', api_base: `${bobs.url}/v1` }, 'A lynx that bob planted.');
  await index(bob, 'same', { model_id: 'm', api_base: `http://localhost:${planted.port}/v1` }, 'A lynx of one name.');
  await index(bob, 'spelt', { model_id: 'q', api_base: `http://127.1:${planted.port}/v1` }, 'A lynx spelt otherwise.');
});
afterAll(async () => {
  await service.stop();
  await Promise.all([local, approved, bobs].map((server) => server.stop()));
});

let searches = 0;
let spelt = 0;
const search = async (mode: 'vector' | 'hybrid') => {
  // Vectors of queries are cached per user, so each search uses a different one.
  searches += 1;
  for (const server of [local, approved, bobs]) server.asked.length = 0;
  const { documents, warnings = [] } = await alice.documents.search({ query: `lynx${' ?'.repeat(searches)}`, mode });
  return { texts: documents.map(({ content }) => content.trim()).toSorted(), warnings };
};
const vectorHits = ['A lynx of alice.', 'A lynx of another model.', 'A lynx of one name.'];
const all = [...vectorHits, 'A lynx spelt otherwise.', 'A lynx that bob planted.'];

test('queries are sent to approved embedders only, and the reply lists the skipped indexes', async () => {
  for (const mode of ['vector', 'hybrid'] as const) {
    const { texts, warnings } = await search(mode);
    expect(texts).toEqual(mode === 'vector' ? vectorHits : all);
    expect([local, approved, bobs].map(({ asked }) => asked.length)).toEqual([1, 1, 0]);
    expect(warnings).toHaveLength(2);
    for (const warning of warnings) expect(warning).toMatch(/local_api \([pq]\).*DOCLOOM_SEARCH_EMBEDDERS/);
  }
});

test.each([
  ['with the approved host as a user', (bob: string, own: string) => `http://${own}@${bob}/v1`],
  ['with the approved host in its path', (bob: string, own: string) => `http://${bob}/${own}/v1`],
  ['with a dot at the end', (bob: string) => `http://localhost.:${bob.split(':')[1]}/v1`],
  ['in IPv6', (bob: string) => `http://[::ffff:127.0.0.1]:${bob.split(':')[1]}/v1`],
  ['as a number', (bob: string) => `http://2130706433:${bob.split(':')[1]}/v1`],
  ['with the approved host behind a fragment', (bob: string, own: string) => `http://${bob}/v1#${own}`],
] as const)('a query is not sent to the server of bob, spelt %s', async (_what, spell) => {
  const [own, planted] = [approved, bobs].map(({ url }) => new URL(url).host) as [string, string];
  const { client: bob } = await loggedIn(service.url, 'bob');
  spelt += 1;
  const api_base = spell(planted, own);
  bobs.asked.length = 0;
  // Some spellings are refused before a run; the others embed the document at bob's server.
  await index(bob, `spelt-${spelt}`, { model_id: `s${spelt}`, api_base }, 'A lynx in disguise.').catch(() => undefined);
  for (const mode of ['vector', 'hybrid'] as const) {
    await search(mode);
    expect([bobs.asked.length, approved.asked.length]).toEqual([0, 1]);
  }
});

test('an approved model server that fails excludes only its own index', async () => {
  approved.fault = () => ({ status: 500, body: 'broken' });
  for (const mode of ['vector', 'hybrid'] as const) {
    const { texts, warnings } = await search(mode);
    const known = texts.filter((text) => all.includes(text));
    expect(known).toEqual(mode === 'vector' ? vectorHits.filter((text) => !text.includes('another')) : all);
    expect(warnings.filter((warning) => !/\(s\d\)/.test(warning))).toHaveLength(3);
  }
  await approved.stop();
  expect((await search('vector')).texts).toEqual(['A lynx of alice.', 'A lynx of one name.']);
  local.fault = () => 'drop';
  expect((await search('hybrid')).texts).toEqual(expect.arrayContaining(all));
  await expect(search('vector')).rejects.toMatchObject({ status: 503 });
  local.reset();
});
