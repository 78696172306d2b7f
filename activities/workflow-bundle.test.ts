import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { computeFingerprint, createPrivateFolder } from './workflow-bundle';

let parent: string;
beforeEach(() => (parent = mkdtempSync(path.join(os.tmpdir(), 'bundle-'))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));
const usual = () => path.join(parent, `docloom-${os.userInfo().uid}`);

describe('the private folder for the workflow bundle', () => {
  test('is created for this user alone, and is the same for the next process', () => {
    expect(createPrivateFolder(parent)).toBe(usual());
    expect(statSync(usual()).mode & 0o777).toBe(0o700);
    expect(createPrivateFolder(parent)).toBe(usual());
  });

  test('is a different folder if others can write to the usual one', () => {
    mkdirSync(usual());
    chmodSync(usual(), 0o777);
    expect(createPrivateFolder(parent)).not.toBe(usual());
  });

  test('is a different folder if the usual one is a symbolic link', () => {
    const target = path.join(parent, 'target');
    mkdirSync(target, { mode: 0o700 });
    symlinkSync(target, usual());
    const folder = createPrivateFolder(parent);
    expect(folder).not.toBe(usual());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

test.each(['workflows/run-flow.js', 'model/run/workflows.js', 'activities/bundle-workflows.js'])(
  'the bundle is rebuilt when %s has changed',
  (changed) => {
    for (const file of ['workflows/run-flow.js', 'model/run/workflows.js', 'activities/bundle-workflows.js']) {
      mkdirSync(path.dirname(path.join(parent, file)), { recursive: true });
      writeFileSync(path.join(parent, file), '1');
    }
    const before = computeFingerprint(parent);
    expect(computeFingerprint(parent)).toBe(before);
    writeFileSync(path.join(parent, changed), '2');
    expect(computeFingerprint(parent)).not.toBe(before);
  },
);
