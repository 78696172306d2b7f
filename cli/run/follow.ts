import { setTimeout as delay } from 'node:timers/promises';
import { AppError, errorCatalogue } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import type { OperatorStats, RunRecord, RunsStore } from '../../services/run/run-record';
import type { Runs } from '../../services/run/runs';
import { settleRun } from '../../services/run/settle-run';
import { getWorkflowId } from '../../services/run/workflow-id';
import { cancelOnSignal } from './cancel-on-signal';
import { buildProgress, type ProgressView } from './progress';

/** The pause between two polls: a twentieth of the time that the run has taken, within these limits, so that short runs end early. */
const pauseMs = { least: 25, most: 250, share: 1 / 20 };
/** Temporal is asked this seldom, to detect a crash that nobody could record. */
const checkMs = 2_000;

interface Follow {
  runs: Pick<Runs, 'readStatus' | 'cancel'>;
  runsStore: Pick<RunsStore, 'get' | 'update' | 'releaseJob' | 'readOperatorStats'>;
  view: ProgressView | undefined;
  /** The page of the run in the Temporal UI. */
  page: string;
  quiet: boolean;
}

/**
 * Shows the progress of a run until it ends, and returns its last record. The run does not need this command: while the database or
 * Temporal is unreachable, the run waits for them too, and the command says so once and asks again.
 */
export async function follow(run: RunRecord, { runs, runsStore, view, page, quiet }: Follow): Promise<RunRecord> {
  const write = (line: string) => void process.stderr.write(`${line}\n`);
  const say = (line: string) => void (quiet || (view ? view.say(line) : write(line)));
  say(`run ${run.job_run_id}: ${page}`);
  const cancel = cancelOnSignal(() => runs.cancel(getWorkflowId(run)), say);
  let isAway = false;
  const started = performance.now();
  let checked = started;
  try {
    for (;;) {
      try {
        const current = (await runsStore.get(run.job_run_id)) ?? run;
        const stats: OperatorStats[] = view ? await runsStore.readOperatorStats(run.job_run_id) : [];
        view?.update(buildProgress(current, stats));
        if (isFinal(current.status)) return current;
        // After a failure, every poll asks: the database alone may have answered.
        if (isAway || performance.now() - checked >= checkMs) {
          checked = performance.now();
          const engine = await runs.readStatus(getWorkflowId(current));
          const settled = await settleRun(runsStore, current, { engine, now: new Date() });
          if (isFinal(settled.status)) {
            view?.update(buildProgress(settled, stats));
            return settled;
          }
        }
        isAway = false;
      } catch (error) {
        if (!(error instanceof AppError) || errorCatalogue[error.code].retry !== 'outage') throw error;
        if (!isAway)
          say(`${error.message.replace(/\.$/, '')} (${error.code}). The run waits for it; Ctrl-C cancels the run.`);
        isAway = true;
      }
      const share = (performance.now() - started) * pauseMs.share;
      await delay(Math.min(Math.max(share, pauseMs.least), pauseMs.most));
    }
  } finally {
    view?.stop();
    cancel.dispose();
  }
}
