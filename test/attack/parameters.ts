import { randomUUID } from 'node:crypto';
import type { Case } from './cases';
import { leaks } from './judge';
import { type Role, roles } from './matrix';
import type { Answer } from './server';
import type { World } from './world';

const others = roles.filter((role) => role !== 'owner' && role !== 'nobody');
const forms = ['', '/chunks', '/original', '/markdown', '/facts', '/pages/1', '/life'];

/** Parameters of queries and bodies that name resources of the owner: `store`, `is_waiting`, ids of failed documents. */
export const parameters: Case = async (world) => {
  const path = `/api/v1/documents/${world.ids['document_id']}?store=opensearch`;
  const { status } = await world.ask('owner', { method: 'GET', path });
  const found = status === 200 ? [] : [`the owner gets ${status} for a document in a named store`];
  for (const role of others) {
    found.push(...(await tryStores(world, role)));
    found.push(...(await tryStates(world, role)));
    found.push(...(await tryFailed(world, role)));
  }
  return found;
};

/** A document in a named store looks like a missing one. */
async function tryStores(world: World, role: Role): Promise<string[]> {
  const found: string[] = [];
  const id = world.ids['document_id'] ?? '';
  for (const store of ['opensearch', 'pgvector', 'lancedb'])
    for (const form of forms) {
      const get = (document: string) =>
        world.ask(role, { method: 'GET', path: `/api/v1/documents/${document}${form}?store=${store}` });
      const [own, missing] = [await get(id), await get(randomUUID().replaceAll('-', '').slice(0, id.length))];
      const what = `documents/{document_id}${form}?store=${store} as ${role}`;
      found.push(...leaks(role, own, world.canaries).map((leak) => `${what} shows ${leak}`));
      if (own.status < 300) found.push(`${what} gets ${own.status}`);
      if (own.status !== missing.status)
        found.push(`${what} gets ${own.status}, and ${missing.status} for an unknown id`);
    }
  const like = await world.ask(role, {
    method: 'POST',
    path: '/api/v1/documents/search',
    body: { like: id, store: 'opensearch' },
  });
  return like.status < 300
    ? [...found, `a search for documents like one in a named store as ${role} gets ${like.status}`]
    : found;
}

/** Lists of runs by state hold no runs that the whole list does not hold. */
async function tryStates(world: World, role: Role): Promise<string[]> {
  const run = world.ids['job_run_id'] ?? '';
  const get = (query: string) => world.ask(role, { method: 'GET', path: `/api/v1/job_runs?limit=100&${query}` });
  const isListed = ({ text }: Answer) => text.includes(run);
  const maySee = role === 'member' || role === 'admin';
  const found: string[] = [];
  for (const query of [
    'is_waiting=true',
    'is_waiting=false',
    'is_waiting=1',
    `flow_id=${world.ids['failed_flow_id']}&is_waiting=false`,
  ]) {
    const answer = await get(query);
    found.push(...leaks(role, answer, world.canaries).map((leak) => `job_runs?${query} as ${role} shows ${leak}`));
    if (isListed(answer) && !maySee) found.push(`job_runs?${query} as ${role} lists a run of the owner`);
  }
  return found;
}

/** Failed documents that a body or a query names stay as they are. */
async function tryFailed(world: World, role: Role): Promise<string[]> {
  const found: string[] = [];
  const ids = [world.ids['failed_id'] ?? ''];
  const path = '/api/v1/failed_documents';
  const bodies = { retry: { ids }, ignore: { ids, ignore: true }, leave_out: { ids, leave_out: true } };
  for (const [action, body] of Object.entries(bodies)) {
    const answer = await world.ask(role, { method: 'POST', path: `${path}/${action}`, body });
    const { runs = [], refused = [], changed = 0 } = answer.body as { runs?: []; refused?: []; changed?: number };
    if (answer.status === 200 && runs.length + refused.length + changed > 0)
      found.push(`failed_documents/${action} of a document of the owner as ${role}: ${answer.text.slice(0, 200)}`);
    found.push(
      ...leaks(role, answer, world.canaries).map((leak) => `failed_documents/${action} as ${role} shows ${leak}`),
    );
  }
  for (const query of [`flow_id=${world.ids['failed_flow_id']}`, 'operator=extract'])
    for (const list of ['', '/groups', '/report']) {
      const answer = await world.ask(role, { method: 'GET', path: `${path}${list}?${query}` });
      if (/broken\.pdf|order\.md/.test(answer.text))
        found.push(`failed_documents${list}?${query} as ${role} names a document`);
    }
  return found;
}
