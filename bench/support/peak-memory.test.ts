import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { transformFileSync } from '@swc/core';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-peak-'));
  const { code } = transformFileSync(path.join(__dirname, 'peak-memory.ts'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  writeFileSync(path.join(folder, 'peak-memory.js'), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function measureChild(work: string): number {
  const script = `${work}; process.stdout.write(String(require('./peak-memory.js').readPeakMb()))`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', script], { cwd: folder, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return Number(stdout);
}

test('the memory of the process that starts another does not count', () => {
  const held = Buffer.alloc(400e6, 1);
  expect(measureChild('')).toBeLessThan(200);
  expect(held.length).toBe(400e6);
});

test('memory that was released again counts', () => {
  expect(measureChild('Buffer.alloc(300e6, 1)')).toBeGreaterThan(300);
});
