import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readHowTo } from '../support/code/how-to';

const root = path.join(__dirname, '..', '..');
const units = path.join(root, 'deploy', 'systemd');
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-systemd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A system with the programs and targets that the units name, so that systemd finds them. */
function createSystem(): string {
  const place = path.join(folder, 'etc', 'systemd', 'system');
  mkdirSync(place, { recursive: true });
  for (const name of readdirSync(units)) cpSync(path.join(units, name), path.join(place, name));
  for (const target of [
    'sysinit',
    'basic',
    'shutdown',
    'network-online',
    'multi-user',
    'timers',
    'time-set',
    'time-sync',
  ])
    writeFileSync(path.join(place, `${target}.target`), '[Unit]\nDescription=A target of the system\n');
  for (const program of ['opt/docloom/bin/docloom', 'usr/bin/node', 'bin/sh']) {
    mkdirSync(path.join(folder, path.dirname(program)), { recursive: true });
    writeFileSync(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 });
  }
  return folder;
}

test('systemd accepts the units that docs/operations.md enables', () => {
  const commands = readHowTo(path.join(root, 'docs', 'operations.md')).flatMap((step) =>
    step.kind === 'commands' ? step.commands.split('\n') : [],
  );
  const enabled =
    commands
      .find((command) => command.startsWith('systemctl enable --now '))
      ?.split(' ')
      .slice(3) ?? [];
  expect(enabled).toHaveLength(4);
  const files = enabled.map((name) => (name.includes('.') ? name : `${name.replace(/@\d+$/, '@1')}.service`));
  const system = createSystem();
  const verify = ['verify', '--man=no', `--root=${system}`, ...new Set(files)];
  // Unknown keys are only warnings.
  const { status, stdout, stderr } = spawnSync('systemd-analyze', verify, { encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});
