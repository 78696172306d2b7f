import type { SignedRole } from './accounts';
import type { Case } from './cases';
import type { World } from './world';

const template = {
  title: 'Order',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: { number: { type: 'string', description: 'Order number' } },
};
const number = 'PO-1';

/** The owner's graph of a document set, with readers who may read none of its documents. */
async function buildGraph(world: World): Promise<string> {
  const { graphs } = world.client('owner');
  const readers = (['reader', 'other'] as const).map((role) => world.account(role).username);
  const request = { name: world.stage.nameOf('graph'), document_set_id: world.main.set, template, readers };
  const { id } = await graphs.create(request);
  world.remember('owner', `/api/v1/graphs/${id}`);
  await graphs.finished(id);
  return id;
}

/** What readers of the graph get if they may read none of its documents: the status, and what must not be in the answer. */
const questions = (node: string) =>
  [
    ['nodes', 200],
    [`nodes?label=Order&property=number&value=${number}`, 200],
    ['statistics', 200],
    [`passages?query=${number}`, 200],
    ['documents', 200],
    ['pairs', 200],
    [`neighbours?node=${node}`, 404],
    [`paths?from=${node}&to=${node}`, 404],
    ['result?format=json', 409],
    ['result?format=cypher', 409],
    ['result?format=zip', 409],
  ] as const;

/** What only the owner may do, besides `update` and `DELETE`, which are for administrators too. */
const changes = (node: string) =>
  [
    ['PATCH', '', { readers: [] }],
    ['POST', '/pairs', { decisions: [{ nodes: [node, `${node}x`], state: 'same' }] }],
  ] as const;

/** Facts of documents that the readers of a graph may not read, and changes by others than the owner. */
export const factsOfGraphs: Case = async (world) => {
  const found: string[] = [];
  const id = await buildGraph(world);
  const at = `/api/v1/graphs/${id}`;
  const [first] = (await world.client('owner').graphs.nodes(id)).nodes;
  if (!first) return ['the owner sees no fact of the graph, so nothing is proven'];
  const { document_id: documentId = '' } = first.support[0] ?? {};
  const expectStatus = async (
    role: SignedRole,
    [method, path, body]: readonly [string, string, unknown?],
    status: number,
  ) => {
    const answer = await world.ask(role, { method, path: `${at}${path}`, body });
    if (answer.status !== status) found.push(`${method} ${path} as ${role} gets ${answer.status} instead of ${status}`);
    // The refusal of a node repeats its id.
    const text = answer.text.replaceAll(first.id, '');
    const isShown = text.includes(documentId) || text.includes(`"${number}"`) || /"nodes":[1-9]/.test(text);
    if (isShown) found.push(`${method} ${path} as ${role} shows a fact of a document that they may not read`);
  };
  for (const [path, status] of questions(first.id)) {
    for (const role of ['reader', 'other'] as const) await expectStatus(role, ['GET', `/${path}`], status);
    await expectStatus('member', ['GET', `/${path}`], 404);
    await expectStatus('admin', ['GET', `/${path}`], 403);
  }
  for (const change of changes(first.id)) {
    for (const role of ['reader', 'other', 'admin'] as const) await expectStatus(role, change, 403);
    await expectStatus('member', change, 404);
  }
  for (const change of [
    ['POST', '/update', {}],
    ['DELETE', ''],
  ] as const)
    for (const role of ['reader', 'other'] as const) await expectStatus(role, change, 403);
  for (const role of ['reader', 'other', 'member', 'admin'] as const) {
    const body = { query: number, mode: 'graph', graph: id };
    const { text } = await world.ask(role, { method: 'POST', path: '/api/v1/documents/search', body });
    if (text.includes(documentId)) found.push(`a search by facts as ${role} finds a document that they may not read`);
  }
  return found;
};
