import { AppError } from '../../model/errors';
import type { OperatorServices } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import { memoryGraphs } from '../../test/support/api/graph-services';
import type { ActivityDeps } from '../deps';
import { followNamedGraphs } from './named-graphs';

const template = {
  root: 'Order',
  classes: { Order: { graph_id_fields: ['number'], fields: { number: { type: 'str', description: 'Order number' } } } },
};
const changed = { ...template, classes: { ...template.classes, Party: { fields: { name: { type: 'str' } } } } };

/** A run whose flow writes a set and names a graph of it, with the graphs in memory. */
function start(setIds: Record<string, string> = { orders: 'set-1' }) {
  const graphs = memoryGraphs();
  const find = async (_owner: string, key: { id: string } | { name: string }) => {
    const found = Object.entries(setIds).find(([name, id]) => ('id' in key ? id === key.id : name === key.name));
    return found && { id: found[1], name: found[0] };
  };
  const services = { documentSets: { find } } as unknown as OperatorServices;
  const deps = { env: {}, services, graphs: { updates: graphs.services } } as unknown as ActivityDeps;
  const follow = (config: object, more: Partial<RunRecord> = {}, setName = 'orders', second?: object) => {
    const flow = [
      { type: 'graph', name: 'facts', config: { template, ...config } },
      ...(second ? [{ type: 'graph', name: 'second', config: { template: changed, ...second } }] : []),
      { type: 'document_set', name: 'store', config: { document_set_name: setName } },
    ];
    const plan = { sources: [], stages: [{ scope: 'row', operators: flow }] };
    const snapshot = { flow: { flow_name: 'f', flow }, plan };
    return followNamedGraphs(deps, { owner: 'olga', snapshot, ...more } as unknown as RunRecord);
  };
  return { graphs, setIds, follow, record: () => [...graphs.records.values()][0] };
}

test('the first run creates the graph of the set for the owner of the run, with the settings of the operator', async () => {
  const { graphs, follow, record } = start();
  const config = { graph_name: 'all orders', limit: { documents: 7 }, resolution: 'rules', chunk_max_tokens: 100 };
  const people = [
    { username: 'olga', groups: ['staff'] },
    { username: 'editor', groups: ['others'] },
  ];
  const { created, warnings } = await follow(config, { acting: { people } } as Partial<RunRecord>);
  expect({ created, warnings }).toEqual({ created: [record()?.id], warnings: [] });
  expect(graphs.started).toEqual(created);
  expect(record()).toMatchObject({
    name: 'all orders',
    owner: 'olga',
    owner_groups: ['staff'],
    readers: [],
    template: 'Order',
    source: { name: 'orders', document_set_id: 'set-1' },
    options: { backend: 'rules', chunk_max_tokens: 100 },
    corpus: { limit: { documents: 7 }, resolution: 'rules', auto_update: true, is_dry_run: false },
  });
});

test('later runs apply changed settings, keep what the owner chose, and start no second update', async () => {
  const { graphs, follow, record } = start();
  const { created } = await follow({ graph_name: 'g' });
  await graphs.services.change(created[0] ?? '', { readers: ['bob'], resolution: 'rules' });
  expect(await follow({ graph_name: 'g', template: changed, limit: { documents: 9 } })).toEqual({
    created: [],
    warnings: [],
  });
  expect(record()?.readers).toEqual(['bob']);
  expect(record()?.corpus).toMatchObject({ limit: { documents: 9 }, resolution: 'rules' });
  expect(JSON.parse(record()?.corpus?.template ?? '')).toEqual({ template: changed });
  await follow({ graph_name: 'g', template: changed });
  expect(record()?.corpus?.limit).toEqual({ documents: 9 });
  expect(graphs.started).toHaveLength(1);
});

test('a set that was deleted and written again stays the set of the graph; another set does not become it', async () => {
  const { follow, record, setIds } = start({ orders: 'set-1', letters: 'set-9' });
  await follow({ graph_name: 'g' });
  setIds['orders'] = 'set-2';
  expect((await follow({ graph_name: 'g' })).warnings).toEqual([]);
  expect(record()?.source.document_set_id).toBe('set-2');
  const { warnings } = await follow({ graph_name: 'g' }, {}, 'letters');
  expect(warnings).toEqual([
    "'facts' cannot build the graph 'g' (CONFLICT): The graph 'g' is of the document set 'orders', not of 'letters'. Give it another name, or remove it first.",
  ]);
  expect(record()?.source.document_set_id).toBe('set-2');
});

test('a graph keeps the reference to a secret, and there is none if the run may not use the connection', async () => {
  const model = (api_key: string) => ({
    graph_name: 'g',
    backend: 'llm',
    provider_config: { model_id: 'm', api_base: 'http://127.0.0.1:9/v1', api_key },
  });
  const foreign = start();
  expect((await foreign.follow(model('${connection:of-somebody-else}'))).warnings).toHaveLength(1);
  expect(foreign.record()).toBeUndefined();
  const missing = start();
  expect((await missing.follow(model('${DOCLOOM_SECRET_UNSET}'))).warnings[0]).toMatch(/DOCLOOM_SECRET_UNSET/);
  const plain = start();
  await plain.follow(model('sk-plain'));
  expect(JSON.parse(plain.record()?.provider_config ?? '')).toMatchObject({ model_id: 'm', api_key: 'sk-plain' });
  expect(JSON.stringify(plain.record()?.options)).not.toContain('sk-plain');
});

test('a graph that its owner no longer lets follow the set stays so; one that nobody decided about follows it', async () => {
  const { graphs, follow, record } = start();
  const { created } = await follow({ graph_name: 'g' });
  await graphs.services.change(created[0] ?? '', { auto_update: false });
  await follow({ graph_name: 'g', template: changed });
  expect(record()?.corpus?.auto_update).toBe(false);
  expect(JSON.parse(record()?.corpus?.template ?? '')).toEqual({ template: changed });
  delete record()?.corpus?.auto_update;
  await follow({ graph_name: 'g' });
  expect(record()?.corpus?.auto_update).toBe(true);
});

test('a graph without a model keeps no settings of the earlier model', async () => {
  const { follow, record } = start();
  await follow({ graph_name: 'g', backend: 'llm', provider_config: { model_id: 'm', api_key: 'sk-plain' } });
  await follow({ graph_name: 'g' });
  expect(record()?.provider_config).toBeUndefined();
});

test('an outage is no warning: the end of the run is repeated until it is over', async () => {
  const { follow, setIds, graphs } = start();
  const outage = new AppError('DATABASE_UNAVAILABLE', 'The database cannot be reached.');
  Object.defineProperty(setIds, 'orders', { enumerable: true, configurable: true, get: () => throwError(outage) });
  await expect(follow({ graph_name: 'g' })).rejects.toBe(outage);
  Object.defineProperty(setIds, 'orders', { enumerable: true, value: 'set-1' });
  expect(await follow({ graph_name: 'g' })).toMatchObject({ warnings: [] });
  expect(graphs.records.size).toBe(1);
});

function throwError(error: Error): never {
  throw error;
}

test('of two operators with one name, the first builds the graph', async () => {
  const { follow, graphs, record } = start();
  const { created, warnings } = await follow({ graph_name: 'g' }, {}, 'orders', { graph_name: 'g' });
  expect(warnings).toEqual([
    "'second' cannot build the graph 'g' (CONFLICT): Another operator of the flow builds a graph of this name.",
  ]);
  expect(created).toHaveLength(1);
  expect(JSON.parse(record()?.corpus?.template ?? '')).toEqual({ template });
  await follow({ graph_name: 'g' }, {}, 'orders', { graph_name: 'h' });
  expect(graphs.records.size).toBe(2);
});

test('a flow that has written no set, and one without a named graph, build none', async () => {
  const { follow, graphs } = start({});
  expect((await follow({ graph_name: 'g' })).warnings[0]).toContain('DOCUMENT_SET_NOT_FOUND');
  expect(await follow({})).toEqual({ created: [], warnings: [] });
  expect(graphs.records.size).toBe(0);
});
