import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import * as library from './index';

test('the example of docs/graph.md runs as written and writes the documented output', async () => {
  const guide = readFileSync(path.join(__dirname, '../docs/graph.md'), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const files = new Map<string, string>();
  const fs = { writeFileSync: (name: string, text: string) => void files.set(name, text) };
  const printed = await new Promise((resolve) => {
    const require = (name: string) => (name === 'docloom/graph' ? library : fs);
    vm.runInNewContext(code, { require, console: { log: resolve } });
  });
  expect(guide).toContain(`It prints \`${String(printed)}\``);
  expect([...files.keys()]).toEqual(['graph.json', 'nodes.csv', 'edges.csv', 'graph.cypher']);
  expect(files.get('nodes.csv')).toContain('INV-2024/001,2024-01-31,1234.50');
  expect(files.get('graph.cypher')).toContain('CREATE (a)-[:ISSUED_BY]->(b);');
});
