import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeCrossEncoder } from '../../support/servers/cross-encoder-model';
import type { Console } from '../../support/system/console';
import { prepareFlow, setUpConsole, withAdministrators } from '../../support/system/console-screens';
import { indexing } from '../../support/system/over-http';

/** A search on a server with a model that orders hits: here by how often they contain the words of the query. */
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-rerank-'));
let console: Console;
setUpConsole(
  () => {
    writeCrossEncoder(path.join(folder, 'cross'), { vocabulary: ['walrus'] });
    return {
      ...withAdministrators,
      DOCLOOM_RERANK_TYPE: 'onnx',
      DOCLOOM_RERANK_MODEL: 'cross',
      DOCLOOM_MODELS_FOLDER: folder,
    };
  },
  async (started) => {
    console = started;
    await prepareFlow(console, 'rerank', {
      files: {
        'often.md': `# Animals\n\n${'The walrus swims and rests on the ice of the wide northern sea for days. '.repeat(9)}`,
        'once.md': '# Walrus\n\nA walrus.',
        'secret.md': `# Secret\n\n${'walrus '.repeat(30)}`,
      },
      access: { allowed_users: ['alice', 'bob'], files: { 'secret.md': ['bob'] } },
      steps: indexing(console.system, 'rerank'),
    });
  },
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a user lets the model order the hits, and sees only documents that they may read', async () => {
  const { page, problems } = await console.openAs('alice', '/search?q=walrus');
  const titles = page.getByRole('region', { name: 'Results' }).getByRole('article').getByRole('heading');
  await page.getByText('2 results').waitFor();
  expect(await titles.allInnerTexts()).toEqual(['Walrus', 'Animals']);
  await page.getByText('Narrow the search').click();
  await page.getByLabel('Let a model order the best 50').check();
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.waitForURL(/rerank=1/);
  await titles.first().filter({ hasText: 'Animals' }).waitFor();
  expect(await titles.allInnerTexts()).toEqual(['Animals', 'Walrus']);
  expect(await page.getByLabel('Let a model order the best 50').isChecked()).toBe(true);
  expect(await console.look(page, 'search-rerank')).toEqual([]);
  await page.getByLabel('Ranking').selectOption('compare');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const words = page.getByRole('region', { name: 'Words' }).getByRole('article').first();
  await words.getByText(/Score of the model \d+\.\d{3}/).waitFor();
  expect(problems).toEqual([]);
});
