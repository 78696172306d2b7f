import type { Case } from './cases';
import type { Role } from './matrix';
import type { Answer } from './server';
import { until, type World } from './world';

const runIdIn = ({ body }: Answer) => (body as { job_run_id?: string }).job_run_id;
const taskIdIn = ({ body }: Answer) => (body as { task_id?: string }).task_id;

/** One idempotency key, sent twice at the same time by two users. */
export const doubleSubmit: Case = async (world) => {
  const headers = { 'Idempotency-Key': world.stage.nameOf('key') };
  const flow = { flow_id: world.ids['flow_id'] };
  const start = (role: Role) => world.ask(role, { method: 'POST', path: '/api/v1/job_runs', body: flow, headers });
  const source = { kind: 'file', filename: 'own.md', base64_string: Buffer.from('# Own').toString('base64') };
  const convert = (role: Role) =>
    world.ask(role, { method: 'POST', path: '/v1/convert/source/async', body: { sources: [source] }, headers });
  const runs = await Promise.all(['owner', 'reader', 'owner', 'reader'].map((role) => start(role as Role)));
  const tasks = await Promise.all(['owner', 'other', 'owner', 'other'].map((role) => convert(role as Role)));
  for (const [index, answer] of runs.entries()) {
    const id = runIdIn(answer);
    if (id !== undefined) world.remember(index % 2 === 0 ? 'owner' : 'reader', `/api/v1/job_runs/${id}`);
  }
  // A flow that runs can be removed by force only.
  world.spend('project_id');
  return [...judgePairs('run', runs.map(runIdIn)), ...judgePairs('conversion', tasks.map(taskIdIn))];
};

/** The first and the third request are of one user, the others of another. */
function judgePairs(what: string, ids: readonly (string | undefined)[]): string[] {
  const [first, foreign, second, again] = ids;
  return [
    ...(ids.includes(undefined) ? [`a ${what} with an idempotency key is refused: ${ids.join()}`] : []),
    ...(first === second && foreign === again ? [] : [`an idempotency key starts a ${what} twice: ${ids.join()}`]),
    ...(first === foreign ? [`the idempotency key of one user returns the ${what} of another`] : []),
  ];
}

/** A reader has the first page of files and hits; then the owner takes the rights away, and the reader asks for the next. */
export const nextPages: Case = async (world) => {
  const canary = `zebra${world.mark}nextquagga`;
  const { library, flow } = await shareDocuments(world, canary);
  const path = `/api/v1/document-libraries/${library}`;
  const search = (offset: number) =>
    world.ask('reader', {
      method: 'POST',
      path: '/api/v1/documents/search',
      body: { query: canary, limit: 1, offset },
    });
  const listed = await world.ask('reader', { method: 'GET', path: `${path}/files?limit=1` });
  const { next } = listed.body as { next?: string | null };
  const first = await until('the reader finds the documents', async () => {
    const answer = await search(0);
    return totalIn(answer) === 3 ? answer : undefined;
  });
  if (!next) return [`the reader does not see the files first: ${listed.text.slice(0, 200)}`];
  const id = (first.body as { documents: { id: string }[] }).documents[0]?.id ?? '';
  await world.client('owner').documentLibraries.patch(library, { readers: [] });
  const found: string[] = [];
  const files = await world.ask('reader', { method: 'GET', path: next.replace(/^https?:\/\/[^/]+/, '') });
  if (files.status !== 404)
    found.push(`the next page of files of a library that is no longer shared gets ${files.status}`);
  await runToEnd(world, flow);
  await until('the reader finds nothing more', async () => (totalIn(await search(0)) === 0 ? true : undefined));
  for (const offset of [1, 2]) {
    const { documents = [] } = (await search(offset)).body as { documents?: unknown[] };
    if (documents.length > 0) found.push(`a page of hits after the rights were removed has ${documents.length}`);
  }
  const { status } = await world.ask('reader', { method: 'GET', path: `/api/v1/documents/${id}` });
  return status === 404 ? found : [...found, `a hit of the first page gets ${status} after the rights were removed`];
};

const totalIn = ({ body }: Answer) => (body as { total?: number }).total;

/** Three documents of the owner, shared with the reader, in an index. */
async function shareDocuments(world: World, canary: string): Promise<{ library: string; flow: string }> {
  const { documentLibraries, flows } = world.client('owner');
  const name = world.stage.nameOf('shared');
  const { library_id: library } = await documentLibraries.create({ name, readers: [world.account('reader').username] });
  world.remember('owner', `/api/v1/document-libraries/${library}`);
  for (const file of ['1.md', '2.md', '3.md'])
    await documentLibraries.upload(library, { name: file, content: new Blob([`# ${file}\n\n${canary}`]) });
  const config = { provider: 'library', connection_params: { library_id: library } };
  const { flow_id: flow } = await flows.create({
    flow_name: name,
    flow: [
      { type: 'ingest_source', name: 'ingest', config },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['extract'],
        config: { provider: 'opensearch', index_name: name },
      },
    ],
  });
  world.remember('owner', `/api/v1/indexes/${name}`);
  world.remember('owner', `/api/v1/flows/${flow}`);
  await runToEnd(world, flow);
  return { library, flow };
}

async function runToEnd(world: World, flow_id: string): Promise<void> {
  const { job_run_id } = await world.client('owner').jobRuns.create({ flow_id });
  world.remember('owner', `/api/v1/job_runs/${job_run_id}`);
  await world.finished('owner', job_run_id);
}
