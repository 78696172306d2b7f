import { createHash } from 'node:crypto';
import type { World } from './world';

/** The owner makes one, and it is removed at the end. */
type Make = (world: World) => Promise<string>;

const keep = (world: World, path: string, id: string): string => {
  world.remember('owner', `${path}/${id}`);
  return id;
};
const idIn = (world: World, name: string) => world.ids[name] ?? '';
const nameOf = (world: World, role: 'reader' | 'member') => world.account(role).username;

const ofFlows: Record<string, Make> = {
  job_run_id: (world) => world.runMain(),
  failed_id: async (world) => {
    const flow_id = idIn(world, 'failed_flow_id');
    const { documents } = await world.client('owner').failedDocuments.list({ flow_id });
    if (!documents[0]) throw new Error('No document of the owner has failed.');
    return documents[0].id;
  },
  review_id: async (world) => {
    const flow_id = idIn(world, 'failed_flow_id');
    const { reviews } = await world.client('owner').reviews.list({ flow_id });
    if (!reviews[0]) throw new Error('No document of the owner waits for a review.');
    return reviews[0].id;
  },
  project_id: async (world) => {
    const own = { name: world.stage.nameOf('project'), members: [nameOf(world, 'member')] };
    const { project_id } = await world.client('owner').projects.create(own);
    return keep(world, '/api/v1/projects', project_id);
  },
  flow_id: async (world) => {
    const shared = { project_id: idIn(world, 'project_id'), readers: [nameOf(world, 'reader')] };
    const flow = { ...world.flow(world.stage.nameOf('flow')), ...shared };
    return keep(world, '/api/v1/flows', (await world.client('owner').flows.create(flow as never)).flow_id);
  },
  schedule_id: async (world) => {
    const yearly = { cron: '0 6 1 1 *' };
    return (await world.client('owner').schedules.create(idIn(world, 'flow_id'), yearly)).schedule_id;
  },
  webhook_id: async (world) => {
    // A name that never resolves, so requests to it fail.
    const own = { url: 'https://hooks.invalid/canary', events: ['document.failed' as const] };
    return keep(world, '/api/v1/webhooks', (await world.client('owner').webhooks.create(own)).webhook_id);
  },
  key_id: async (world) => {
    const own = { name: world.stage.nameOf('key'), scopes: ['read' as const] };
    return keep(world, '/api/v1/api-keys', (await world.client('owner').apiKeys.create(own)).key_id);
  },
  session_id: (world) => world.sessionOf('owner'),
  account_name: async (world) => {
    const account_name = `service:${world.stage.nameOf('account')}`;
    await world.client('admin').serviceAccounts.create({ account_name });
    world.remember('admin', `/api/v1/service-accounts/${account_name}`);
    return account_name;
  },
  map_id: async (world) => {
    const name = world.stage.nameOf('map');
    const path = `/api/v1/identity-maps/${name}`;
    await world.ask('admin', { method: 'PUT', path, body: { places: [] } });
    world.remember('admin', path);
    return name;
  },
  connection_id: async (world) => {
    const name = world.stage.nameOf('own');
    const secret = world.canary('secret');
    const input = { name, type: 'model' as const, hosts: ['127.0.0.1'], secret };
    world.ids['connection_name'] = name;
    return keep(world, '/api/v1/connections', (await world.client('owner').connections.create(input)).connection_id);
  },
};

const ofDocuments: Record<string, Make> = {
  removal_id: async (world) => {
    const { flows } = world.client('owner');
    const { flow_id } = await flows.create(world.flow(world.stage.nameOf('flow')) as never);
    return (await flows.remove(flow_id, { with_records: true }))?.removal_id ?? '';
  },
  search_id: async (world) => {
    const own = { name: world.stage.nameOf('search'), readers: [nameOf(world, 'reader')], request: { query: 'x' } };
    return keep(world, '/api/v1/saved-searches', (await world.client('owner').savedSearches.create(own)).search_id);
  },
  query_id: async (world) => {
    const own = { query: world.stage.nameOf('query'), document_id: idIn(world, 'document_id'), is_relevant: true };
    return keep(world, '/api/v1/judged-queries', (await world.client('owner').judgedQueries.mark(own)).query_id);
  },
  set_id: async (world) => {
    const own = { name: world.stage.nameOf('set'), readers: [nameOf(world, 'reader')] };
    return keep(world, '/api/v1/document-sets', (await world.client('owner').documentSets.create(own)).id);
  },
  library_id: async (world) => {
    const { documentLibraries } = world.client('owner');
    const own = { name: world.stage.nameOf('library'), readers: [nameOf(world, 'reader')] };
    const { library_id } = await documentLibraries.create(own);
    await documentLibraries.addSets(library_id, [idIn(world, 'set_id')]);
    return keep(world, '/api/v1/document-libraries', library_id);
  },
  file_id: async (world) => {
    const content = new Blob([`# File\n\nThe ${world.canary('file')} sleeps at noon.\n`]);
    const { documentLibraries } = world.client('owner');
    return (await documentLibraries.upload(idIn(world, 'library_id'), { name: 'file.md', content })).file_id;
  },
  upload_id: beginUpload,
  graph_id: async (world) => {
    const { graphs } = world.client('owner');
    const template = {
      title: 'Order',
      type: 'object',
      properties: { number: { type: 'string', description: 'Order number' } },
    };
    const { id } = await graphs.create({ document_id: idIn(world, 'document_id'), template });
    await graphs.finished(id);
    return keep(world, '/api/v1/graphs', id);
  },
};

/** Other parameters of paths. */
const constants = { part: '1', page: '1', version: '1', provider: 'localmodel', file: 'start.js', name: 'graph.json' };

/** How each resource is made, by the parameter that names it; in this order, since some belong to others. */
export const makers: Readonly<Record<string, Make>> = {
  ...ofFlows,
  ...ofDocuments,
  ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, async () => value])),
};

/** An upload that has all its parts and is not complete. */
async function beginUpload(world: World): Promise<string> {
  const path = `/api/v1/document-libraries/${idIn(world, 'library_id')}/uploads`;
  const bytes = Buffer.from('text');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const announced = { name: `${world.stage.nameOf('upload')}.txt`, size: bytes.length, sha256 };
  const { body } = await world.ask('owner', { method: 'POST', path, body: announced });
  const id = String((body as Record<string, unknown>)['upload_id']);
  await world.ask('owner', { method: 'PUT', path: `${path}/${id}/parts/1`, body: bytes });
  return id;
}
