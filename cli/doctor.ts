import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { describeDiagnosis, diagnose } from '../embedded/diagnosis';
import { readCacheFolder, readDataFolder, readModelsFolder } from '../embedded/paths';
import { readStackSettings } from '../embedded/stack-file';
import { AppError } from '../model/errors';
import { checkPageModels, type ModelFinding } from '../services/image/page-models';
import { exitCodes } from './exit-codes';

/** `docloom doctor`: reports the tools and servers on this machine, and how to get missing ones. */
export function createDoctorCommand(): Command {
  return new Command('doctor')
    .description('Reports what is available on this machine, what is missing and how to get it. Changes nothing.')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExit codes: 0 everything needed is available or can be obtained, 1 something is missing.')
    .action(async (options: { json?: boolean }) => {
      const dataDir = readDataFolder(process.env);
      const diagnosis = await diagnose({ dataDir, cacheDir: readCacheFolder(process.env), env: process.env });
      const running = await readStackSettings(dataDir);
      // Does not use readConfig, because doctor must work even if other settings are invalid.
      const folder = readModelsFolder(process.env);
      const models = [
        ...(existsSync(folder) ? await checkPageModels(folder) : []),
        ...(await checkReranker(process.env)),
      ];
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ ...diagnosis, models, running: running ? { api: running.apiAddress, pid: running.owner.pid } : null }, null, 2)}\n`,
        );
      } else {
        process.stdout.write(describeDiagnosis(diagnosis) + describeModels(models));
        process.stdout.write(
          running
            ? `Docloom runs in ${dataDir}: ${running.apiAddress} (process ${running.owner.pid}).\n`
            : `Docloom is not running in ${dataDir}.\n`,
        );
      }
      process.exitCode = diagnosis.ok ? exitCodes.completed : exitCodes.failed;
    });
}

type Finding = Omit<ModelFinding, 'stage'> & { stage: string };

/** The reranking model, if the settings name one of the models folder. */
async function checkReranker(env: NodeJS.ProcessEnv): Promise<{ stage: 'rerank'; place: string; problem?: string }[]> {
  const { DOCLOOM_RERANK_TYPE: type, DOCLOOM_RERANK_MODEL: name } = env;
  if (type !== 'onnx' || !name) return [];
  const { openCrossEncoder } = await import('../services/embedding/cross-encoder');
  const problem = await openCrossEncoder({ modelsFolder: readModelsFolder(env), name, threads: 1 }).then(
    (model) => model.close(),
    (error: unknown) => {
      if (error instanceof AppError) return `${error.message} (${error.code})`;
      throw error;
    },
  );
  return [{ stage: 'rerank', place: name, ...(problem === undefined ? {} : { problem }) }];
}

function describeModels(models: readonly Finding[]): string {
  if (models.length === 0) return '';
  const lines = models.map(({ stage, place, problem }) => {
    if (place === undefined) return `  none    ${stage}: rules are used`;
    return problem === undefined ? `  ok      ${stage}: ${place}` : `  broken  ${stage}: ${problem}`;
  });
  return `Models\n${lines.join('\n')}\n\n`;
}
