import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { plain } from '../../support/system/own-stack';

const run = promisify(execFile);
const root = path.join(__dirname, '..', '..', '..');
const seedsOfWorkload = 4;
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-chaos-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Stops and cuts last up to half a minute each. The limits are for busy machines: nothing here depends on how fast anything is.
const patienceSeconds = 1_200;
const limitMs = 45 * 60_000;
const stopMs = 2 * 60_000;

test(
  'runs, conversions and graphs that a dozen faults disturb end as if nothing had happened',
  async () => {
    // Compiles a checkout.
    await run(process.execPath, [path.join(root, 'bin', 'docloom'), '--version'], { env: plain });
    const sizes = ['--seeds', String(seedsOfWorkload), '--documents', '12', '--patience', String(patienceSeconds)];
    const workloads = ['run', 'convert', 'graph'].flatMap((name) => ['--workload', name]);
    const { stdout } = await run(
      process.execPath,
      [
        path.join(root, 'dist', 'bench', 'chaos', 'main.js'),
        ...workloads,
        ...sizes,
        '--data',
        path.join(folder, 'data'),
      ],
      // On SIGTERM, the command stops its servers.
      { env: plain, cwd: root, timeout: limitMs - stopMs },
    ).catch((error: { stdout: string; stderr: string }) => ({ stdout: `${error.stderr}\n${error.stdout}` }));
    expect(stdout).toContain(`${3 * seedsOfWorkload} seeds, 0 with differences.`);
  },
  limitMs,
);
