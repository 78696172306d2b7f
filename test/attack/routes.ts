import { randomUUID } from 'node:crypto';
import type { SignedRole } from './accounts';
import { type Finding, judge } from './judge';
import { type Role, type Row, roles } from './matrix';
import type { Answer, Ask } from './server';
import type { World } from './world';

/** Where a new resource can be removed, by the member of the reply that names it. */
const removedAt: Readonly<Record<string, string>> = {
  'POST /api/v1/projects': '/api/v1/projects/{project_id}',
  'POST /api/v1/flows': '/api/v1/flows/{flow_id}',
  'POST /api/v1/job_runs': '/api/v1/job_runs/{job_run_id}',
  'POST /api/v1/job_runs/{job_run_id}/rerun': '/api/v1/job_runs/{job_run_id}',
  'POST /api/v1/webhooks': '/api/v1/webhooks/{webhook_id}',
  'POST /api/v1/api-keys': '/api/v1/api-keys/{key_id}',
  'POST /api/v1/service-accounts': '/api/v1/service-accounts/{account_name}',
  'POST /api/v1/connections': '/api/v1/connections/{connection_id}',
  'POST /api/v1/saved-searches': '/api/v1/saved-searches/{search_id}',
  'POST /api/v1/document-libraries': '/api/v1/document-libraries/{library_id}',
  'POST /api/v1/document-sets': '/api/v1/document-sets/{id}',
  'POST /api/v1/graphs': '/api/v1/graphs/{id}',
};

/** Calls every route as every role, and returns the findings. Reading routes come first, removing ones last. */
export async function attackRoutes(
  world: World,
  matrix: Readonly<Record<string, Row>>,
): Promise<{ tried: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  const rows = Object.entries(matrix).toSorted(([item], [other]) => getTurn(item) - getTurn(other));
  for (const [operation, row] of rows)
    for (const role of roles) findings.push(...(await attackRoute(world, { operation, row, role })));
  return { tried: rows.length * roles.length, findings };
}

function getTurn(operation: string): number {
  if (operation.startsWith('GET')) return 0;
  return operation.startsWith('DELETE') ? 2 : 1;
}

interface Attack {
  operation: string;
  row: Row;
  role: Role;
}

async function attackRoute(world: World, { operation, row, role }: Attack): Promise<Finding[]> {
  await world.restore();
  const [method = '', template = ''] = operation.split(' ');
  const path = fillTemplate(`${template}${row.query ?? ''}`, world.ids);
  const ask: Ask = { method, path, body: row.body?.(world.stage) };
  const answer = await world.ask(role, ask);
  const findings = judge({ operation, role, row, canaries: world.canaries }, answer);
  if (answer.status === 404 && role === 'other' && template.includes('{'))
    findings.push(
      ...(await compareWithNothing(world, { operation, template: `${template}${row.query ?? ''}`, ask }, answer)),
    );
  if (answer.status < 300 && role !== 'nobody') await tidy(world, { operation, row, role }, answer);
  return findings;
}

function fillTemplate(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name);
}

/** An id of the same form, because other ids are refused before any lookup. */
function getUnknownId(id: string): string {
  const unknown = randomUUID();
  return /^[0-9a-f]{32}$/.test(id) ? unknown.replaceAll('-', '') : unknown;
}

/** Resources of another user must look like missing ones. */
async function compareWithNothing(
  world: World,
  { operation, template, ask }: { operation: string; template: string; ask: Ask },
  answer: Answer,
): Promise<Finding[]> {
  const absent = Object.fromEntries(
    Object.entries(world.ids).map(([name, id]) => [name, name.endsWith('_id') ? getUnknownId(id) : id]),
  );
  const other = await world.ask('other', { ...ask, path: fillTemplate(template, absent) });
  const same = textWithout(world.ids, answer) === textWithout(absent, other);
  if (same && other.status === answer.status) return [];
  return [
    {
      kind: 'through',
      attack: `${operation} as other`,
      text: `reveals what exists: ${answer.text.slice(0, 200)} and, for an unknown id, ${other.status} ${other.text.slice(0, 200)}`,
    },
  ];
}

/** The errors of an answer, without the ids of the request. */
function textWithout(ids: Readonly<Record<string, string>>, { body, text }: Answer): string {
  const { errors } = (typeof body === 'object' && body !== null ? body : {}) as { errors?: unknown };
  let shown = errors === undefined ? text : JSON.stringify(errors);
  for (const [name, id] of Object.entries(ids)) if (name.endsWith('_id')) shown = shown.replaceAll(id, 'ID');
  return shown;
}

/** Records created resources, and marks changed ones as used up. */
async function tidy(
  world: World,
  { operation, row, role }: Attack & { role: SignedRole },
  answer: Answer,
): Promise<void> {
  const where = removedAt[operation];
  const body = (typeof answer.body === 'object' && answer.body !== null ? answer.body : {}) as Record<string, unknown>;
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  // A repeated run belongs to the owner of the first one.
  const owner = /\/(?:rerun|job_runs\/bulk)$/.test(operation) ? 'owner' : role;
  if (where !== undefined) world.remember(owner, fillTemplate(where, texts));
  if (Array.isArray(body['runs']))
    for (const run of body['runs'] as { job_run_id: string }[])
      world.remember(owner, `/api/v1/job_runs/${run.job_run_id}`);
  if (operation === 'POST /auth/logout') await world.signInAgain(role);
  // A flow that runs can be removed by force only.
  if (operation === 'POST /api/v1/job_runs' || operation.endsWith('/trigger')) world.spend('project_id');
  if (operation.startsWith('GET') || row.keeps) return;
  const names = [...`${operation}${row.query ?? ''}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const last = names.findLast((name) => name.endsWith('_id') || name === 'account_name');
  if (last) world.spend(last);
}
