import { Command } from 'commander';
import { dataFolder } from '../embedded/paths';
import { readStack } from '../embedded/stack';
import { readConfig } from '../model/config';
import { AppError } from '../model/errors';
import { createAuditLog } from '../services/audit/audit-log';
import { connectMongo } from '../services/storage/mongo';

interface Options {
  user?: string;
  since?: string;
  until?: string;
}

/** `docloom audit`: exports the audit log as JSON lines. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Prints the audit log of the configured database as JSON lines, the oldest entry first.')
    .option('--user <name>', 'only what this user did')
    .option('--since <moment>', 'only entries from this moment on (ISO 8601)')
    .option('--until <moment>', 'only entries before this moment (ISO 8601)')
    .action(async ({ user, since, until }: Options) => {
      const running = await readStack(dataFolder(process.env));
      const config = readConfig({ ...process.env, ...running?.env });
      const mongo = connectMongo(config.MONGODB_URL);
      try {
        const log = createAuditLog(mongo, config.DOCLOOM_AUDIT_DAYS, () => undefined);
        const filter = {
          ...(user ? { user } : {}),
          ...(since ? { since: timeOf('--since', since) } : {}),
          ...(until ? { until: timeOf('--until', until) } : {}),
        };
        for await (const entry of log.all(filter)) process.stdout.write(`${JSON.stringify(entry)}\n`);
      } finally {
        await mongo.close();
      }
    });
}

function timeOf(option: string, text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()))
    throw new AppError('VALIDATION_ERROR', `${option} is '${text}': expected a moment such as 2026-01-31T12:00:00Z.`);
  return moment.toISOString();
}
