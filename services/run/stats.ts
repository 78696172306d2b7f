import path from 'node:path';
import type { Config } from '../../model/config';
import type { Mongo } from '../storage/mongo';
import { createRunReports } from './reports';
import { createRunResults } from './results';
import type { RunStats } from './run-stats';
import { createFileRunStats } from './stats-files';
import { createPostgresRunStats } from './stats-postgres';

/** The settings that select the storage of statistics. */
export type RunStatsSettings = Pick<
  Config,
  | 'DOCLOOM_DATA'
  | 'PIPE_STORAGE_BACKEND'
  | 'PIPE_JOB_STATS_BASE_DIR'
  | 'PIPE_POSTGRES_HOST'
  | 'PIPE_POSTGRES_PORT'
  | 'PIPE_POSTGRES_DB'
  | 'PIPE_POSTGRES_USER'
  | 'PIPE_POSTGRES_PASSWORD'
  | 'PIPE_POSTGRES_USE_SSL'
>;

/** Creates the storage selected by PIPE_STORAGE_BACKEND. PostgreSQL connects on first use. */
export function createRunStats(config: RunStatsSettings, mongo: Mongo): RunStats {
  switch (config.PIPE_STORAGE_BACKEND) {
    case 'filesystem':
      return createFileRunStats(
        path.resolve(config.PIPE_JOB_STATS_BASE_DIR ?? path.join(config.DOCLOOM_DATA, 'job-stats')),
      );
    case 'postgres':
      return createPostgresRunStats({
        host: config.PIPE_POSTGRES_HOST,
        port: config.PIPE_POSTGRES_PORT,
        database: config.PIPE_POSTGRES_DB,
        user: config.PIPE_POSTGRES_USER,
        password: config.PIPE_POSTGRES_PASSWORD,
        useSsl: config.PIPE_POSTGRES_USE_SSL,
      });
    default:
      return createMongoRunStats(mongo);
  }
}

/** Stores statistics in MongoDB, the default. */
export function createMongoRunStats(mongo: Mongo): RunStats {
  const reports = createRunReports(mongo);
  const results = createRunResults(mongo);
  return {
    ...reports,
    ...results,
    removeStats: async (runId) => {
      await reports.removeReports(runId);
      await results.removeResults(runId);
    },
    close: async () => {},
  };
}
