import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from './main';

// The readers of all formats are loaded, which takes its time on a busy machine.
jest.setTimeout(60_000);

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the first commands of docs/graph.md run as they stand, and print what the guide says', async () => {
  const guide = readFileSync(path.join(__dirname, '../docs/graph.md'), 'utf8');
  const sample = /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const commands = (/```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? '').trim().split('\n');
  writeFileSync(path.join(folder, 'invoice.md'), sample);
  const printed: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    for (const command of commands) {
      // The files of the guide lie in a folder of the test.
      const words = command.replace('bin/docloom ', '').split(' ');
      const given = words.map((word) => (/^(invoice\.|out)/.test(word) ? path.join(folder, word) : word));
      await main(['node', 'docloom', ...given]);
      expect([command, process.exitCode ?? 0]).toEqual([command, 0]);
    }
  } finally {
    spy.mockRestore();
  }
  expect(commands).toHaveLength(4);
  const says = /prints `(\d+ nodes, \d+ edges) in out`/.exec(guide)?.[1];
  expect(printed.join('')).toContain(`${says} in ${path.join(folder, 'out')}`);
  const cypher = readFileSync(path.join(folder, 'out/graph.cypher'), 'utf8');
  expect(cypher).toMatch(/CREATE \(:Seller \{.*city: "London"/);
  expect(cypher).toMatch(/CREATE \(:Article \{.*price: "1000\.00", quantity: 3/);
});
