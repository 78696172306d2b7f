import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readConfig } from '../../../model/config';
import type { Row } from '../../../model/flow/row';
import { createObjectStore } from '../../../services/storage/object-store';
import { createTables } from '../../../services/table/tables';
import type { System } from './system';

/** Everything that a user can request about their runs and readable data, as one text. */
export async function repliesFor(address: string, token: string, runIds: readonly string[]): Promise<string> {
  const ask = async (route: string, body?: object) => {
    const reply = await fetch(`${address}/api/v1${route}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return reply.text();
  };
  const texts: string[] = [];
  for (const id of runIds)
    for (const part of [
      '?include_logs=true&include_batches=true',
      '/documents',
      '/report',
      '/events',
      '/flow_definition',
    ])
      texts.push(await ask(`/job_runs/${id}${part}`));
  texts.push(await ask('/job_runs'), await ask('/flows'), await ask('/document-libraries'));
  const sets = await ask('/document-sets');
  texts.push(sets);
  for (const { id } of (JSON.parse(sets) as { items: { id: string }[] }).items)
    for (const part of ['', '/preview?include_vectors=true', '/export?format=jsonl', '/preview?columns=nothing'])
      texts.push(await ask(`/document-sets/${id}${part}`));
  for (const query of ['', 'canary', 'report'])
    for (const mode of query === '' ? ['text'] : ['text', 'hybrid'])
      texts.push(
        await ask('/documents/search', { ...(query === '' ? {} : { query }), mode, limit: 100, highlight: true }),
      );
  return texts.join('\n');
}

/** The id of the workflow of a run, as soon as Temporal lists it. */
export async function workflowOfRun(workflow: Client['workflow'], runId: string): Promise<string> {
  for (;;) {
    const found = workflow.list({ query: `JobRunId = '${runId}' AND WorkflowType = 'runFlow'` });
    for await (const { workflowId } of found) return workflowId;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The histories of the workflows of a run and of its batches, and their entries in Temporal. */
export async function getHistories(system: System, runId: string): Promise<string> {
  return readHistories(system, (workflow) => workflowOfRun(workflow, runId));
}

/** The same for a workflow by its id, such as that of a task of `/v1`. */
export async function historiesOfWorkflow(system: System, workflowId: string): Promise<string> {
  return readHistories(system, async () => workflowId);
}

async function readHistories(system: System, find: (workflow: Client['workflow']) => Promise<string>): Promise<string> {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    const { workflow } = new Client({ connection });
    const seen = new Set<string>();
    const texts: string[] = [];
    const read = async (id: string): Promise<void> => {
      if (seen.has(id)) return;
      seen.add(id);
      const handle = workflow.getHandle(id);
      const history = await handle.fetchHistory();
      texts.push(getText((await handle.describe()).raw));
      for (const event of history.events ?? []) {
        texts.push(getText(event));
        const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
        if (child) await read(child);
      }
    };
    await read(await find(workflow));
    return texts.join('\n');
  } finally {
    await connection.close();
  }
}

function isPayload(member: unknown): member is { data: string } {
  const { metadata, data } = (member ?? {}) as { metadata?: { encoding?: unknown }; data?: unknown };
  return metadata?.encoding !== undefined && typeof data === 'string';
}

/** Payloads are bytes, in JSON of the protocol in base64, and must be readable to be searched. */
function getText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (isPayload(member)) return Buffer.from(member.data, 'base64').toString('utf8');
    if (member instanceof Uint8Array) return Buffer.from(member).toString('utf8');
    const { type, data } = (member ?? {}) as { type?: unknown; data?: number[] };
    return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data).toString('utf8') : member;
  });
}

/** Every row that the operators of a run left in tables. */
export async function getTables(system: System, runId: string, operators: readonly string[]): Promise<string> {
  const rows = await Promise.all(operators.map((operator) => readTableRows(system, runId, operator)));
  return JSON.stringify(rows);
}

/** The rows that one operator of a run left in its tables. */
export async function readTableRows(system: System, runId: string, operator: string): Promise<Row[]> {
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const parts = await tables.listParts(runId, operator);
  const rows = await Promise.all(parts.map((part) => tables.read({ runId, operator, part })));
  return rows.flat();
}

/** What the processes of the system wrote to their logs. */
export function getLogs(system: System): string {
  return ['worker.log', 'api.log'].map((name) => readFileSync(path.join(system.folder, name), 'utf8')).join('\n');
}

/** At most five places where a text contains a forbidden word, each with a few characters of context. */
export function findLeaks(text: string, canary: string): string[] {
  const leaks: string[] = [];
  for (let at = text.indexOf(canary); at >= 0 && leaks.length < 5; at = text.indexOf(canary, at + 1))
    leaks.push(text.slice(Math.max(0, at - 150), at + canary.length + 50));
  return leaks;
}
