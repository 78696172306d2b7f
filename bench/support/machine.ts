import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { packageRoot } from './stack';

/** Lines that describe the origin of figures: machine, load, versions. Figures without them mean nothing. */
export async function describeMachine(env: Record<string, string>): Promise<string[]> {
  const cpus = os.cpus();
  const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return [
    `machine: ${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GiB, ${os.type()} ${os.release()}, load ${os.loadavg()[0]?.toFixed(1)}`,
    `versions: docloom ${version}, Node ${process.versions.node}, Temporal ${await temporalVersion(env)}, OpenSearch ${await searchVersion(env)}`,
  ];
}

async function temporalVersion(env: Record<string, string>): Promise<string> {
  const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    return (await connection.workflowService.getSystemInfo({})).serverVersion ?? 'unknown';
  } finally {
    await connection.close();
  }
}

async function searchVersion(env: Record<string, string>): Promise<string> {
  const response = await fetch(`http://${env['SEARCH_HOST'] ?? '127.0.0.1'}:${env['SEARCH_PORT'] ?? '9200'}/`);
  const { version } = (await response.json()) as { version: { number: string } };
  return version.number;
}
