import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildMark } from './process-mark';
import { describeSilence, readStack, readStackSettings, writeStackFile } from './stack-file';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(path.join(os.tmpdir(), 'docloom-stack-file-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

/** A stack of this process whose api listens nowhere. */
const writeSilentStack = () =>
  writeStackFile({
    dataDir,
    owner: buildMark(process.pid),
    startedAt: '',
    apiAddress: 'http://127.0.0.1:9',
    docsAddress: '',
    temporalUiAddress: '',
    servers: [],
    processes: [],
    env: { MONGODB_URL: 'mongodb://127.0.0.1:1/docloom' },
  });

test('an installation whose api does not answer is not called one that is not running', async () => {
  expect(describeSilence(dataDir)).toContain(`Docloom is not running in ${dataDir}: start it`);
  writeSilentStack();
  expect(await readStack(dataDir, 0)).toBeUndefined();
  expect(describeSilence(dataDir)).toBe(
    `Docloom runs in ${dataDir}, but its API at http://127.0.0.1:9 does not answer: see \`docloom status\` and \`docloom logs api\`.`,
  );
});

test('settings of a stack can be read while its api does not answer', async () => {
  expect(await readStackSettings(dataDir, 0)).toBeUndefined();
  writeSilentStack();
  expect((await readStackSettings(dataDir, 0))?.env).toEqual({ MONGODB_URL: 'mongodb://127.0.0.1:1/docloom' });
});
