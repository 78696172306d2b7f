import { Pool, type PoolClient } from 'pg';
import { AppError } from '../../model/errors';
import type { PagesOfDocuments } from '../../model/page/page-count';
import type { PartReport } from '../../model/run/run';
import type { RunResult } from './facts';
import { addPart, groupOutcomesById } from './operator-totals';
import { isSettled } from './results';
import type { OperatorStats, RunDocument } from './run-record';
import type { RunStats } from './run-stats';

/** The connection to PostgreSQL. */
export interface PostgresSettings {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string | undefined;
  useSsl: boolean;
}

/**
 * The collation "C" compares names byte by byte, whatever the database's default. JSON is stored as text because it may contain
 * `\u0000`.
 */
const schema = `
CREATE TABLE IF NOT EXISTS docloom_run_parts (
  run_id text NOT NULL, operator text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL, type text NOT NULL,
  report text, live integer, pages text, started text NOT NULL, ended text, PRIMARY KEY (run_id, operator, part));
ALTER TABLE docloom_run_parts ADD COLUMN IF NOT EXISTS live_pages text;
CREATE TABLE IF NOT EXISTS docloom_run_documents (
  run_id text NOT NULL, operator text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL,
  outcome text NOT NULL, document text NOT NULL, PRIMARY KEY (run_id, operator, id));
CREATE INDEX IF NOT EXISTS docloom_run_documents_by_id ON docloom_run_documents (run_id, id);
CREATE TABLE IF NOT EXISTS docloom_run_results (
  run_id text NOT NULL, part text COLLATE "C" NOT NULL, settled boolean NOT NULL,
  completed integer NOT NULL, failed integer NOT NULL, skipped integer NOT NULL, results text NOT NULL,
  PRIMARY KEY (run_id, part));`;
/** Advisory lock for creating the tables, because two processes that create the same table at once would conflict. */
const migrationLock = 726_533_041;
const pageSize = 200;
/** SQL condition for the part itself and the pieces cut from it. */
const within = `(part = $2 OR starts_with(part, $2 || '-'))`;

interface PartLine {
  operator: string;
  type: string;
  part: string;
  report: string | null;
  live: number | null;
  pages: string | null;
  live_pages: string | null;
  started: string;
  ended: string | null;
}

/** Stores statistics in PostgreSQL. Creates its tables on first use. */
export function createPostgresRunStats(settings: PostgresSettings): RunStats {
  const { useSsl, ...address } = settings;
  const pool = new Pool({
    ...address,
    max: 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    ...(useSsl ? { ssl: { rejectUnauthorized: true } } : {}),
  });
  // A connection that fails while idle is replaced by the next query.
  pool.on('error', () => {});
  const connection = createConnection(pool, `${settings.host}:${settings.port}`);
  return {
    ...createWriters(connection),
    ...createPartReaders(connection),
    ...createDocumentReaders(connection),
    ...createResults(connection),
    close: () => pool.end(),
  };
}

async function* readPartLines({ query }: Connection, runId: string): AsyncGenerator<PartLine> {
  let operator = '';
  let part = '';
  for (;;) {
    const lines = await query<PartLine>(
      `SELECT operator, type, part, report, live, pages, live_pages, started, ended FROM docloom_run_parts
       WHERE run_id = $1 AND (operator, part) > ($2, $3) ORDER BY operator, part LIMIT ${pageSize}`,
      [runId, operator, part],
    );
    yield* lines;
    const last = lines.at(-1);
    if (!last || lines.length < pageSize) return;
    ({ operator, part } = last);
  }
}

function createWriters({
  query,
  inTransaction,
}: Connection): Pick<RunStats, 'recordPart' | 'recordProgress' | 'forgetPart' | 'removeStats'> {
  return {
    recordPart: (runId, { name, type }, part, { report, documents: outcomes, times: { started, ended, pages } }) =>
      inTransaction(async (client) => {
        for (const outcome of outcomes)
          await client.query(
            `INSERT INTO docloom_run_documents VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (run_id, operator, id) DO UPDATE SET part = $4, outcome = $5, document = $6`,
            [runId, name, outcome.id, part, outcome.outcome, JSON.stringify(outcome)],
          );
        await client.query(
          `INSERT INTO docloom_run_parts VALUES ($1, $2, $3, $4, $5, NULL, $6, $7, $8)
           ON CONFLICT (run_id, operator, part)
           DO UPDATE SET type = $4, report = $5, live = NULL, live_pages = NULL, pages = $6, started = $7, ended = $8`,
          [runId, name, part, type, JSON.stringify(report), pages ? JSON.stringify(pages) : null, started, ended],
        );
      }),
    recordProgress: async (runId, { name, type }, part, { documents, pages }) => {
      // Never overwrite a report: a late progress update must not reopen the part.
      await query(
        `INSERT INTO docloom_run_parts AS present VALUES ($1, $2, $3, $4, NULL, $5, NULL, $6, NULL, $7)
         ON CONFLICT (run_id, operator, part) DO UPDATE SET live = $5, live_pages = $7 WHERE present.report IS NULL`,
        [runId, name, part, type, documents, new Date().toISOString(), pages ? JSON.stringify(pages) : null],
        // A failed progress update is ignored.
      ).catch(() => undefined);
    },
    forgetPart: (runId, part) =>
      inTransaction(async (client) => {
        await client.query(`DELETE FROM docloom_run_documents WHERE run_id = $1 AND ${within}`, [runId, part]);
        await client.query(`DELETE FROM docloom_run_parts WHERE run_id = $1 AND ${within}`, [runId, part]);
      }),
    removeStats: (runId) =>
      inTransaction(async (client) => {
        for (const table of ['docloom_run_parts', 'docloom_run_documents', 'docloom_run_results'])
          await client.query(`DELETE FROM ${table} WHERE run_id = $1`, [runId]);
      }),
  };
}

function createPartReaders(
  connection: Connection,
): Pick<RunStats, 'findPartReport' | 'readOperatorStats' | 'iterateParts' | 'readPartFacts'> {
  const { query } = connection;
  return {
    findPartReport: async (runId, operator, part) => {
      const [line] = await query<{ report: string | null }>(
        'SELECT report FROM docloom_run_parts WHERE run_id = $1 AND operator = $2 AND part = $3',
        [runId, operator, part],
      );
      return line?.report ? (JSON.parse(line.report) as PartReport) : undefined;
    },
    readOperatorStats: async (runId) => {
      const stats = new Map<string, OperatorStats>();
      for await (const line of readPartLines(connection, runId)) addPart(stats, omitNulls(line));
      return [...stats.values()];
    },
    async *iterateParts(runId) {
      for await (const { operator, part, report, started, ended } of readPartLines(connection, runId))
        yield {
          operator,
          part,
          ...(report ? { report: JSON.parse(report) as PartReport } : {}),
          started_at: started,
          ended_at: ended,
        };
    },
    readPartFacts: async (runId, part) => {
      const lines = await query<Pick<PartLine, 'report' | 'pages'>>(
        `SELECT report, pages FROM docloom_run_parts WHERE run_id = $1 AND ${within}`,
        [runId, part],
      );
      const reports = lines.flatMap(({ report }) => (report ? [JSON.parse(report) as PartReport] : []));
      const pages = lines.flatMap((line) => (line.pages ? [JSON.parse(line.pages) as Record<string, number>] : []));
      return {
        seconds: reports.reduce((sum, { seconds }) => sum + seconds, 0),
        pages: Object.assign({}, ...pages) as Record<string, number>,
      };
    },
  };
}

function createDocumentReaders({ query }: Connection): Pick<RunStats, 'findOutcomes' | 'listDocuments'> {
  return {
    findOutcomes: async (runId, ids) => {
      const lines = await query<{ document: string }>(
        'SELECT document FROM docloom_run_documents WHERE run_id = $1 AND id = ANY($2) ORDER BY operator',
        [runId, [...ids]],
      );
      return groupOutcomesById(lines.map(toDocument));
    },
    listDocuments: async (runId, { limit, offset, outcome }) => {
      const filter = 'run_id = $1 AND ($2::text IS NULL OR outcome = $2)';
      const [count] = await query<{ total: number }>(
        `SELECT count(*)::integer AS total FROM docloom_run_documents WHERE ${filter}`,
        [runId, outcome ?? null],
      );
      const lines = await query<{ document: string }>(
        `SELECT document FROM docloom_run_documents WHERE ${filter} ORDER BY operator, id LIMIT $3 OFFSET $4`,
        [runId, outcome ?? null, limit, offset],
      );
      return { items: lines.map(toDocument), total: count?.total ?? 0 };
    },
  };
}

function createResults({ query }: Connection): Pick<RunStats, 'recordResults' | 'iterateResults' | 'countSettled'> {
  return {
    recordResults: async (runId, part, results) => {
      const count = (status: RunResult['status']) => results.filter((result) => result.status === status).length;
      const counts = [count('Completed'), count('Failed'), count('Skipped')];
      await query(
        `INSERT INTO docloom_run_results VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (run_id, part) DO UPDATE SET completed = $4, failed = $5, skipped = $6, results = $7`,
        [runId, part, isSettled(part), ...counts, JSON.stringify(results)],
      );
    },
    async *iterateResults(runId) {
      for (let after = ''; ;) {
        const lines = await query<{ part: string; results: string }>(
          `SELECT part, results FROM docloom_run_results WHERE run_id = $1 AND part > $2 ORDER BY part LIMIT ${pageSize}`,
          [runId, after],
        );
        for (const { part, results } of lines)
          for (const result of JSON.parse(results) as RunResult[]) yield { ...result, part };
        const last = lines.at(-1);
        if (!last || lines.length < pageSize) return;
        after = last.part;
      }
    },
    countSettled: async (runId) => {
      const sum = (name: string) => `coalesce(sum(${name}), 0)::integer AS ${name}`;
      const [counts] = await query<{ completed: number; failed: number; skipped: number }>(
        `SELECT ${['completed', 'failed', 'skipped'].map(sum).join(', ')} FROM docloom_run_results WHERE run_id = $1 AND settled`,
        [runId],
      );
      return counts ?? { completed: 0, failed: 0, skipped: 0 };
    },
  };
}

type Connection = ReturnType<typeof createConnection>;

function createConnection(pool: Pool, address: string) {
  let migration: Promise<void> | undefined;
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw isOutage(error) ? createUnavailableError(address, error) : error;
    }
  };
  const runTransaction = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  };
  const ensureTables = () =>
    (migration ??= runTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
      await client.query(schema);
    }).catch((error: unknown) => {
      migration = undefined;
      throw error;
    }));
  return {
    query: <Line extends object>(text: string, values: unknown[]): Promise<Line[]> =>
      guard(async () => {
        await ensureTables();
        return (await pool.query<Line>(text, values)).rows;
      }),
    inTransaction: (work: (client: PoolClient) => Promise<void>): Promise<void> =>
      guard(async () => {
        await ensureTables();
        await runTransaction(work);
      }),
  };
}

/**
 * Failed and rejected connections (class 08), servers that stop or start (57P), too many connections (53), wrong logins (28),
 * missing databases (3D).
 */
function isOutage(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /^(08|53|57P|28|3D)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'EAI_AGAIN'].includes(code) ||
    /Connection terminated|timeout exceeded when trying to connect/.test(message)
  );
}

function createUnavailableError(address: string, error: unknown): AppError {
  const reason = error instanceof Error && error.message ? error.message : String((error as { code?: string }).code);
  return new AppError('DATABASE_UNAVAILABLE', `PostgreSQL at ${address} cannot be used: ${reason}.`, {}, error);
}

function omitNulls({ report, live, pages: _pages, live_pages: pages, ended, ...line }: PartLine) {
  return {
    ...line,
    ...(report === null ? {} : { report }),
    ...(live === null ? {} : { live }),
    ...(pages === null ? {} : { live_pages: JSON.parse(pages) as PagesOfDocuments }),
    ...(ended === null ? {} : { ended }),
  };
}

function toDocument({ document }: { document: string }): RunDocument {
  const { id, name, code, message, operator, outcome } = JSON.parse(document) as RunDocument;
  return { id, name, code, message, operator, outcome };
}
