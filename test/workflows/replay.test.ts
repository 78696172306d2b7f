import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { historiesFolder } from '../support/workflow/harness';

const files = readdirSync(historiesFolder).filter((name) => name.endsWith('.json'));

function replay(paths: string[]): Record<string, string | undefined> {
  const output = execFileSync(
    process.execPath,
    [path.join(__dirname, '..', 'support', 'workflow', 'replay-histories.js'), ...paths],
    {
      encoding: 'utf8',
    },
  );
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { file: string; error?: string });
  return Object.fromEntries(lines.map(({ file, error }) => [file, error]));
}

test('there are histories of runs of each kind, of a schedule and of a sweep', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'completed.json',
      'readable.json',
      'readable-batch-01.json',
      'time-limit.json',
      'deliver-webhook.json',
      'cancelled.json',
      'halved.json',
      'table-stage.json',
      'branching.json',
      'seeded.json',
      'scheduled-run.json',
      'sweep.json',
      'convert-small.json',
      'convert-mixed.json',
      'convert-parts.json',
      'convert-listed.json',
      'convert-cancelled.json',
      'build-graph.json',
      'build-graph-retried.json',
      'build-graph-cancelled.json',
      'convert-shown.json',
      'convert-shown-single.json',
      'convert-shown-waiting.json',
      'build-graph-shown.json',
      'update-graph-shown.json',
      'retried.json',
      'retried-0-p00000-retry-1.json',
      'sync-rights.json',
      'sync-rights-asked.json',
    ]),
  );
});

test('every kept history replays on the workflows of today', () => {
  expect(replay(files.map((file) => path.join(historiesFolder, file)))).toEqual(
    Object.fromEntries(files.map((file) => [file, undefined])),
  );
});

test('a history of a different workflow code does not replay', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-history-'));
  try {
    const changed = readFileSync(path.join(historiesFolder, 'completed.json'), 'utf8').replaceAll(
      '"acquire_job"',
      '"another_activity"',
    );
    writeFileSync(path.join(folder, 'changed.json'), changed);
    expect(replay([path.join(folder, 'changed.json')])['changed.json']).toContain('Determinism');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
