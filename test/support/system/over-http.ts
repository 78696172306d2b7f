import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, createClient } from '../../../client';
import type { FlowOperator } from '../../../model/flow/flow';
import { createTokens } from '../../../services/login/tokens';
import { type System, until } from './system';

/** A token of one of the directory's sample users, and a client that holds it. */
export async function loggedIn(address: string, username: string): Promise<{ token: string; client: Client }> {
  const { access_token: token } = await createClient({ baseUrl: address }).login(username, `${username}-secret`);
  return { token, client: createClient({ baseUrl: address, token }) };
}

/** A token that the test signs for a user of these groups, and a client that holds it. */
export function signedIn(
  address: string,
  { secret, username, groups }: { secret: string; username: string; groups: string[] },
): { token: string; client: Client } {
  const token = createTokens({ secret, expireMinutes: 60 }).issue({ username, email: '', full_name: '', groups });
  return { token, client: createClient({ baseUrl: address, token }) };
}

/** A folder of the system with documents by name, and their access lists next to them. */
export function documentsIn(
  system: System,
  name: string,
  documents: Record<string, string | Uint8Array>,
  access: object,
): string {
  const folder = path.join(system.folder, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(documents)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  writeFileSync(path.join(folder, '.acl.json'), JSON.stringify(access));
  return folder;
}

/** The operators `ingest` and `extract`, which read a folder. */
export function reading(folder: string): FlowOperator[] {
  const config = { provider: 'filesystem', connection_params: { paths: [folder] } };
  return [
    { type: 'ingest_source', name: 'ingest', config },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
  ];
}

/** The operators `chunk`, `embed` and `index`, which make extracted documents searchable in an index of the system. */
export function indexing(system: System, name: string, chunks: Record<string, unknown> = {}): FlowOperator[] {
  const config = { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}` };
  return [
    { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: chunks },
    { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
    { type: 'vectordb', name: 'index', depends_on: ['embed'], config },
  ];
}

/** Runs a flow and returns its run after the end. */
export async function runToEnd({ jobRuns }: Client, flow_id: string, configuration: Record<string, unknown> = {}) {
  const { job_run_id } = await jobRuns.create({ flow_id, configuration });
  const isLive = (status: string) => ['QUEUED', 'STARTING', 'RUNNING', 'CANCELING'].includes(status);
  const ended = async () => !isLive((await jobRuns.get(job_run_id)).status);
  // On a busy machine the first run of a worker takes a minute.
  await until('the run has ended', ended, 180_000);
  return jobRuns.get(job_run_id);
}
