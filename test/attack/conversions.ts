import { randomUUID } from 'node:crypto';
import { type Finding, judge } from './judge';
import { type Expected, type Role, roles } from './matrix';
import type { World } from './world';

/** The effect of one route of the conversion service: `task` for routes of a task, which belongs to the owner only. */
export interface ConversionRow {
  who: 'everybody' | 'known' | 'task';
  body?: (world: World, task: string) => unknown;
  /** Statuses of an allowed request in addition to 200. */
  also?: readonly number[];
}
const source = (world: World) => ({
  sources: [{ kind: 'file', filename: 'new.md', base64_string: base64(`# ${world.canary('document').length}`) }],
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const form = () => {
  const fields = new FormData();
  fields.append('files', new File(['# Title'], 'new.md'));
  return fields;
};
// An address of this machine, which is refused: nothing outside is contacted.
const bucket = { kind: 's3', endpoint: '127.0.0.1:9', access_key: 'a', secret_key: 'b', bucket: 'docs' };
const ofSource: ConversionRow = { who: 'known', body: source };
const ofFile: ConversionRow = { who: 'known', body: form };
const both = (path: string): Record<string, ConversionRow> => ({
  [`POST ${path}/source`]: ofSource,
  [`POST ${path}/file`]: ofFile,
  [`POST ${path}/source/async`]: ofSource,
  [`POST ${path}/file/async`]: ofFile,
});

/** Every route of the conversion service. */
export const conversionMatrix: Readonly<Record<string, ConversionRow>> = {
  ...both('/v1/convert'),
  ...both('/v1/chunk/hybrid'),
  ...both('/v1/chunk/hierarchical'),
  'POST /v1/convert/source/batch': { who: 'known', body: () => ({ sources: [bucket], target: bucket }), also: [422] },
  'GET /v1/status/poll/{task_id}': { who: 'task' },
  'GET /v1/status/{task_id}': { who: 'task' },
  'GET /v1/result/{task_id}': { who: 'task' },
  'GET /v1/tasks': { who: 'known', also: [403] },
  'POST /v1/callback/task/progress': {
    who: 'task',
    body: (_world, task_id) => ({ task_id, progress: { kind: 'set_num_docs', num_docs: 1 } }),
  },
  'GET /v1/clear/converters': { who: 'known' },
  'GET /v1/memory/stats': { who: 'everybody', also: [403, 401] },
  'GET /v1/memory/counts': { who: 'everybody', also: [403, 401] },
  ...Object.fromEntries(
    ['/api', '/docs', '/livez', '/openapi-3.0.json', '/openapi.json', '/readyz', '/redoc', '/swagger', '/version'].map(
      (path): [string, ConversionRow] => [`GET ${path}`, { who: 'everybody' }],
    ),
  ),
  'GET /ui': { who: 'everybody', also: [302] },
  // These two remove the task.
  'GET /v1/clear/results': { who: 'known', also: [403] },
  'DELETE /v1/tasks/{task_id}': { who: 'task' },
};

/** Carries every route out as every role, with a task that is the owner's. */
export async function attackConversions(
  world: World,
  matrix: Readonly<Record<string, ConversionRow>>,
): Promise<{ tried: number; findings: Finding[] }> {
  const isOpen = (await world.ask('nobody', { method: 'GET', path: `/v1/status/poll/${randomUUID()}` })).status === 404;
  const findings: Finding[] = [];
  let task = '';
  for (const [operation, row] of Object.entries(matrix)) {
    const [method = '', template = ''] = operation.split(' ');
    for (const role of roles) {
      if (task === '') task = await beginTask(world);
      const ask = { method, path: template.replace('{task_id}', task), body: row.body?.(world, task) };
      const answer = await world.ask(role, ask);
      const judged = { expected: getExpected(row, isOpen), ...(row.also ? { onServer: [200, ...row.also] } : {}) };
      findings.push(...judge({ operation, role, row: judged, canaries: world.canaries }, answer));
      const shows = operation === 'GET /v1/tasks' && role !== 'owner' && answer.text.includes(task);
      if (shows) findings.push({ kind: 'through', attack: `${operation} as ${role}`, text: "lists the owner's task" });
      if (role === 'owner' && /clear\/results|^DELETE/.test(operation)) task = '';
    }
  }
  return { tried: Object.keys(matrix).length * roles.length, findings };
}

function isAllowed({ who }: ConversionRow, role: Role, isOpen: boolean): boolean {
  if (who === 'everybody') return true;
  return who === 'known' ? role !== 'nobody' || isOpen : role === 'owner';
}

/** A task that is another user's does not exist; without key and token an open service still converts. */
function getExpected(row: ConversionRow, isOpen: boolean): Expected {
  const getStatus = (role: Role) => {
    if (isAllowed(row, role, isOpen)) return 200;
    return role === 'nobody' && !isOpen ? 401 : 404;
  };
  return Object.fromEntries(roles.map((role) => [role, getStatus(role)])) as Expected;
}

/** A finished conversion of the owner, whose result holds the canary. */
async function beginTask(world: World): Promise<string> {
  const text = base64(`# Task\n\n${world.canary('document')}`);
  const body = { sources: [{ kind: 'file', filename: 'own.md', base64_string: text }] };
  const { body: told } = await world.ask('owner', { method: 'POST', path: '/v1/convert/source/async', body });
  const { task_id: task } = told as { task_id: string };
  await world.ask('owner', { method: 'GET', path: `/v1/status/poll/${task}?wait=30` });
  return task;
}
