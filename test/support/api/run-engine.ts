import { AppError } from '../../../model/errors';
import type { Runs } from '../../../services/run/runs';

/** A workflow engine in memory, whose workflows have the ids of their runs and continue until they are cancelled. */
export function memoryEngine(engine: Map<string, Awaited<ReturnType<Runs['readStatus']>>>): Runs {
  const paused = new Set<string>();
  const concurrency = new Map<string, number>();
  return {
    nameWorkflow: () => undefined,
    start: async (run) => void engine.set(run.job_run_id, 'RUNNING'),
    cancel: async (id) => void engine.set(id, 'CANCELED'),
    control: async (id, change) => {
      if (engine.get(id) !== 'RUNNING') throw new AppError('JOB_RUN_INVALID_STATE', 'The run has ended.');
      if (change === 'pause' && paused.has(id)) throw new AppError('CONFLICT', 'The run is already paused.');
      if (change === 'resume' && !paused.has(id)) throw new AppError('CONFLICT', 'The run is not paused.');
      if (change === 'pause') paused.add(id);
      else if (change === 'resume') paused.delete(id);
      else if (change) concurrency.set(id, change.concurrency);
      return { isPaused: paused.has(id), concurrency: concurrency.get(id) ?? 4 };
    },
    readStatus: async (id) => engine.get(id),
    ping: async () => {},
    close: async () => {},
  };
}
