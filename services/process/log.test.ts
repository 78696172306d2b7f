import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createLog, openLogFile } from './log';

test('no secret is logged: by name, in an address, in an error or in the message', () => {
  const lines: string[] = [];
  const log = createLog('INFO', {}, { write: (line: string) => void lines.push(line) });
  const address = 'https://anna:canary@db.example.org/x?api_key=canary&page=2';
  log.info(
    { url: address, deep: { more: { 'Set-Cookie': 'canary', list: [{ apiKey: 'canary' }] } } },
    `asked ${address}`,
  );
  log.warn({ err: new Error(`no answer of ${address}`) }, 'failed');
  log.warn({ error: new Error(`no answer of ${address}`) }, 'failed');
  expect(lines.join('')).not.toContain('canary');
  expect(lines[0]).toContain('db.example.org/x?api_key=********&page=2');
  expect(lines[1]).toContain('no answer of https://anna:********@db.example.org');
});

test('messages of causes follow without a full stop before the colon', async () => {
  const cause = new Error('Topology is closed');
  const lines: string[] = [];
  const log = createLog('INFO', {}, { write: (line: string) => void lines.push(line) });
  log.error({ err: new Error('The connection is closed.', { cause }) }, 'stopped');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: { message: 'The connection is closed: Topology is closed' },
  });
});

test('a full disk does not end the process, and later lines are written', async () => {
  const full = openSync('/dev/full', 'w');
  const file = openLogFile(full);
  file.write('one\n');
  await once(file, 'error');
  // Without a listener, the next error would end the process.
  expect(file.listenerCount('error')).toBeGreaterThan(0);
  file.write('two\n');
  await once(file, 'error');
  expect(file.listenerCount('error')).toBeGreaterThan(0);
});
