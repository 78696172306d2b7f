import { setCurrentDetails } from '@temporalio/workflow';
import type { SweepReport } from '../model/run/run';
import { runActivities } from './activities';

/** Anything beyond these rounds is left to the next sweep, so that the history stays short. */
const maxRounds = 200;

/**
 * Settles the records of runs whose workflow ended without recording it, then removes expired data. Each round does a limited
 * amount of work. The next sweep continues an interrupted one.
 */
export async function sweep(): Promise<SweepReport> {
  const report: SweepReport = { settled: 0, runsCleared: 0, jobsCleared: 0 };
  let after = '';
  for (let round = 0; round < maxRounds; round += 1) {
    const { settled, next } = await runActivities.settle_runs({ after });
    report.settled += settled;
    if (next === undefined) break;
    after = next;
  }
  for (let round = 0; round < maxRounds; round += 1) {
    const { runs, jobs, more } = await runActivities.remove_expired({});
    report.runsCleared += runs;
    report.jobsCleared += jobs;
    if (!more) break;
  }
  setCurrentDetails(
    `${report.settled} runs settled, tables of ${report.runsCleared} runs and documents of ${report.jobsCleared} jobs removed.`,
  );
  return report;
}
