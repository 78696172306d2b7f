import type { Case } from './cases';

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join();

/** Bodies of a few megabytes that would hold up everybody else while they are parsed. */
const heavyValues: Readonly<Record<string, string>> = {
  'names that end in a backslash': `{${repeat(300_000, (index) => `"${index}\\\\":0`)}}`,
  'empty objects': `[${repeat(1_000_000, () => '{}')}]`,
  levels: `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
};

/** Each is refused, wherever JSON is taken. */
export const heavyBodies: Case = async (world) => {
  const found: string[] = [];
  for (const [what, value] of Object.entries(heavyValues)) {
    const bodies = {
      '/api/v1/documents/search': `{"filters":${value}}`,
      '/mcp': `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${value}}`,
      '/v1/convert/source/async': `{"sources":[],"options":${value}}`,
    };
    for (const [path, text] of Object.entries(bodies)) {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await world.ask('other', { method: 'POST', path, body: Buffer.from(text), headers });
      const isRefused = [400, 422].includes(answer.status) && /more than \d+ (?:named|values|levels)/.test(answer.text);
      if (!isRefused) found.push(`${path} takes too many ${what}: ${answer.status} ${answer.text.slice(0, 100)}`);
    }
  }
  return found;
};
