import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { versions } from '../releases';
import { temporal } from './temporal';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'temporal-'));
  mkdirSync(path.join(dataDir, 'temporal'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const put = (name: string, content: string): void => writeFileSync(path.join(dataDir, 'temporal', name), content);

test('new data is written by the newest version, even when a start ended before the database was created', () => {
  expect(temporal.forData?.(dataDir).version).toBe(versions.temporal);
  put('version', '1.5.1\n');
  expect(temporal.forData?.(dataDir).version).toBe(versions.temporal);
});

test('a database without a mark stays with the only version from before marks existed', () => {
  put('temporal.db', '');
  const recipe = temporal.forData?.(dataDir);
  expect(recipe).toMatchObject({ version: '1.5.1', folder: 'temporal-1.5.1' });
  expect(recipe?.steps.map(({ text }) => text).join()).toContain('temporal@v1.5.1');
  expect(recipe?.steps.map(({ text }) => text).join()).not.toContain('pip3');
});

test('a marked database stays with its version, and another version on PATH is not used', () => {
  put('temporal.db', '');
  put('version', '1.7.0\n');
  const recipe = temporal.forData?.(dataDir);
  expect(recipe?.folder).toBe('temporal-1.7.0');
  writeFileSync(path.join(dataDir, 'temporal', 'temporal'), '#!/bin/sh\necho temporal version 1.7.1\n', {
    mode: 0o755,
  });
  expect(recipe?.findOnPath?.({ PATH: path.join(dataDir, 'temporal') })).toBeUndefined();
  writeFileSync(path.join(dataDir, 'temporal', 'temporal'), '#!/bin/sh\necho temporal version 1.7.0\n', {
    mode: 0o755,
  });
  expect(recipe?.findOnPath?.({ PATH: path.join(dataDir, 'temporal') })).toBe(
    path.join(dataDir, 'temporal', 'temporal'),
  );
});
