import { Command } from 'commander';
import { readDataFolder } from '../embedded/paths';
import { readStackSettings } from '../embedded/stack-file';
import { describeConfig, readConfig, settings } from '../model/config';
import { AppError } from '../model/errors';
import { exitCodes } from './exit-codes';

/** One setting as `docloom config --json` prints it. */
export interface SettingReport {
  name: string;
  /** As text; masked for secrets, empty when not set. */
  value: string;
  origin: 'environment' | 'default' | 'not set' | 'docloom up';
  default: string | null;
  secret: boolean;
  text: string;
}

/** `docloom config`: prints every setting of the given environment; exit code 2 if one is invalid. */
export function createConfigCommand(): Command {
  return new Command('config')
    .description(
      'Prints every setting with its value, its origin and its default, as commands in this folder use them. Secrets are masked.',
    )
    .option('--json', 'print {valid, problems, settings} as JSON')
    .addHelpText(
      'after',
      '\nSettings come from the environment, for example:\n  DOCLOOM_PORT=9000 docloom config\nAddresses come from the `docloom up` that runs in the data folder, if there is one.\n\nExit codes: 0 valid, 2 at least one setting is invalid.',
    )
    .action(async (options: { json?: boolean }) => {
      const problems = findConfigProblems(process.env);
      const running = await readStackSettings(readDataFolder(process.env));
      const reports = listSettingReports(process.env, running?.env);
      if (problems.length > 0) process.exitCode = exitCodes.usage;
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ valid: problems.length === 0, problems, settings: reports }, null, 2)}\n`,
        );
        return;
      }
      process.stdout.write(`${reports.map(formatSetting).join('\n')}\n`);
      for (const problem of problems) process.stderr.write(`invalid: ${problem}\n`);
    });
}

/** All settings, in the order of `model/config`. Settings of a running `docloom up` in `running` override the environment. */
export function listSettingReports(
  env: Record<string, string | undefined>,
  running: Record<string, string> = {},
): SettingReport[] {
  return describeConfig({ ...env, ...running }).map(({ name, value, origin: source, text }) => {
    const origin = running[name] === undefined || running[name] === env[name] ? source : 'docloom up';
    const setting: { text: string; default?: string; secret?: boolean } = settings[name as keyof typeof settings];
    return { name, value, origin, default: setting.default ?? null, secret: setting.secret ?? false, text };
  });
}

/** Problems in the settings of this environment; empty when they are valid. */
export function findConfigProblems(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details.problems?.map(({ message }) => message) ?? [error.message];
  }
}

function formatSetting(report: SettingReport): string {
  const changed = (report.origin === 'environment' || report.origin === 'docloom up') && report.default !== null;
  const origin = changed ? `${report.origin}; default ${report.default || 'empty'}` : report.origin;
  return `${report.name} = ${report.value}  (${origin})\n    ${report.text}`;
}
