import { Command } from 'commander';
import type { AuditFilters } from '../client';
import { AppError } from '../model/errors';
import { createAuditLog } from '../services/audit/audit-log';
import { connectMongo } from '../services/storage/mongo';
import { readDatabaseConfig } from './connect';
import { connectServer } from './server/connect';

interface Options {
  user?: string;
  since?: string;
  until?: string;
  server?: string;
}

/** `docloom audit`: exports the audit log as JSON lines. */
export function createAuditCommand(): Command {
  return new Command('audit')
    .description('Prints the audit log of the configured database as JSON lines, the oldest entry first.')
    .option('--user <name>', 'only what this user did')
    .option('--since <moment>', 'only entries from this moment on (ISO 8601)')
    .option('--until <moment>', 'only entries before this moment (ISO 8601)')
    .option(
      '--server <address>',
      'ask the API of another machine, after `docloom login` as an administrator; the latest entry first',
    )
    .option('--json', 'also print errors as JSON; entries are always JSON')
    .action(async ({ user, since, until, server }: Options) => {
      const filter = {
        ...(user ? { user } : {}),
        ...(since ? { since: parseTime('--since', since) } : {}),
        ...(until ? { until: parseTime('--until', until) } : {}),
      };
      if (server !== undefined) return printAll(server, filter);
      const config = await readDatabaseConfig();
      const mongo = connectMongo(config.MONGODB_URL);
      try {
        const log = createAuditLog(mongo, config.DOCLOOM_AUDIT_DAYS, () => undefined);
        for await (const entry of log.iterate(filter)) process.stdout.write(`${JSON.stringify(entry)}\n`);
      } finally {
        await mongo.close();
      }
    });
}

/** Prints all pages of entries made until now: newer ones would move the others to later pages. */
async function printAll(server: string, filter: AuditFilters): Promise<void> {
  const { client } = await connectServer({ server });
  const until = filter.until ?? new Date().toISOString();
  for (let offset = 0; ;) {
    const { items: entries, total } = await client.audit({ ...filter, until, limit: 100, offset });
    for (const entry of entries) process.stdout.write(`${JSON.stringify(entry)}\n`);
    offset += entries.length;
    if (entries.length === 0 || offset >= total) return;
  }
}

function parseTime(option: string, text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()))
    throw new AppError('VALIDATION_ERROR', `${option} is '${text}': expected a moment such as 2026-01-31T12:00:00Z.`);
  return moment.toISOString();
}
