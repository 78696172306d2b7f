import { unzipSync } from 'fflate';
import { buildBombs, buildLinks } from './archives';
import type { Case } from './cases';
import type { Answer } from './server';
import type { World } from './world';

const toSource = (filename: string, content: Buffer) => ({
  kind: 'file',
  filename,
  base64_string: content.toString('base64'),
});
const options = { members: 'archives', to_formats: ['md'] };

/** Archives with links and foreign paths, converted at `/v1` and read by a flow from an upload. */
export const foreignMembers: Case = async (world) => {
  const found: string[] = [];
  const links = buildLinks();
  for (const [filename, content] of Object.entries(links)) {
    const body = { sources: [toSource(filename, content)], options };
    const answer = await world.ask('other', { method: 'POST', path: '/v1/convert/source', body });
    if (answer.status >= 500) found.push(`${filename} gets ${answer.status}: ${answer.text.slice(0, 200)}`);
    found.push(...findForeign(readText(answer)).map((value) => `${filename} at /v1 shows ${value}`));
  }
  const run = await runOverUploads(world, links);
  const rows = await world.ask('other', {
    method: 'GET',
    path: `/api/v1/job_runs/${run.job_run_id}/rows?operator=extract&limit=100`,
  });
  const seen = (rows.body as { rows?: unknown[] }).rows?.length ?? 0;
  // Without documents, nothing is proven: each archive with a plain note has one.
  if (seen < 3) found.push(`a flow over archives shows ${seen} documents: ${rows.text.slice(0, 200)}`);
  found.push(...findForeign(rows.text).map((value) => `a flow over archives shows ${value}`));
  return found;
};

/** The text of an answer; the results of archives are archives themselves. */
function readText({ bytes, text }: Answer): string {
  if (!text.startsWith('PK')) return text;
  const entries = Object.entries(unzipSync(bytes));
  return entries.map(([name, content]) => `"name":"${name}" ${Buffer.from(content).toString('utf8')}`).join('\n');
}

/** Content of files outside of the archive, and names that lead out of it. */
function findForeign(text: string): string[] {
  const names = [...text.matchAll(/"(?:filename|name|path|source_uri)":"([^"]*)"/g)].map(([, name = '']) => name);
  const isOutside = (name: string) => /(?:^|[/\\!])\.\.(?:[/\\]|$)|^\/(?:tmp|etc)\//.test(name);
  const outside = names.filter(isOutside).map((name) => `the name ${name}`);
  return text.includes('root:x:') ? ['a file of the server', ...outside] : outside;
}

/** Archives that expand without limit: the server answers, and converts and lists afterwards. */
export const bombs: Case = async (world) => {
  const found: string[] = [];
  const all = buildBombs();
  for (const [filename, content] of Object.entries(all)) {
    const body = { sources: [toSource(filename, content)], options };
    const begun = Date.now();
    const answer = await world
      .ask('other', { method: 'POST', path: '/v1/convert/source', body })
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    const seconds = Math.round((Date.now() - begun) / 1_000);
    if (answer.status === 0) found.push(`${filename} keeps the service busy for ${seconds} s: ${answer.text}`);
    if (answer.text.length > content.length * 100)
      found.push(`${filename} expands to ${answer.text.length} characters`);
    found.push(...(await findDamage(world)).map((value) => `after ${filename} at /v1, ${value}`));
  }
  await runOverUploads(world, all);
  return [...found, ...(await findDamage(world)).map((value) => `after a flow over archives, ${value}`)];
};

/** What no longer works for others. */
async function findDamage(world: World): Promise<string[]> {
  const health = await world.ask('nobody', { method: 'GET', path: '/health' });
  const body = { sources: [toSource('small.md', Buffer.from('# Small'))], options };
  const small = await world.ask('owner', { method: 'POST', path: '/v1/convert/source', body });
  return [
    ...(health.status === 200 ? [] : [`/health answers ${health.status}`]),
    ...(small.status === 200 ? [] : [`a small file gets ${small.status}: ${small.text.slice(0, 200)}`]),
  ];
}

/** A finished run of another user over files of their own library, with the members of archives. */
async function runOverUploads(world: World, files: Readonly<Record<string, Buffer<ArrayBuffer>>>) {
  const { documentLibraries, flows, jobRuns } = world.client('other');
  const { library_id } = await documentLibraries.create({ name: world.stage.nameOf('archives') });
  world.remember('other', `/api/v1/document-libraries/${library_id}`);
  for (const [name, content] of Object.entries(files))
    await documentLibraries.upload(library_id, { name, content: new Blob([content]) });
  const config = { provider: 'library', connection_params: { library_id }, members: { archives: true } };
  const { flow_id } = await flows.create({
    flow_name: world.stage.nameOf('archives'),
    flow: [
      { type: 'ingest_source', name: 'ingest', config },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ],
  });
  world.remember('other', `/api/v1/flows/${flow_id}`);
  const { job_run_id } = await jobRuns.create({ flow_id });
  world.remember('other', `/api/v1/job_runs/${job_run_id}`);
  return world.finished('other', job_run_id);
}
