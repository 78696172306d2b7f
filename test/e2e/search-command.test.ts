import { readConfig } from '../../model/config';
import { hashText } from '../../services/embedding/hashing';
import type { SearchReply } from '../../services/search/ports';
import { createSearch } from '../../services/search/search';
import { cleanUp, never, record, spec } from '../support/system/search-fixture';
import { createSystem, type System } from '../support/system/system';

let system: System;
beforeAll(async () => {
  system = createSystem();
  const search = createSearch(readConfig(system.env));
  const index = { ...spec('command', 64), spaceType: 'cosinesimil' as const };
  await search.ensureIndex({ ...index, embedding: { type: 'hashing', dimensions: 64 } }, undefined, never);
  const text = (id: string, content: string) => record(id, { content, title: '', embedding: hashText(content, 64) });
  const words = { ...record('words', { content: 'penguins', title: '' }) };
  await search.bulkIndex(
    index.name,
    [text('near', 'penguins on ice'), text('far', 'a chair'), words],
    undefined,
    never,
  );
  await search.refresh(index.name);
  await search.close();
});
afterAll(async () => {
  await system.stop();
  await cleanUp();
});

async function found(...options: string[]): Promise<string[]> {
  const args = ['search', 'penguins', '--user', 'anna', '--json', ...options];
  const { code, stdout, stderr } = await system.spawn(args).result;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as SearchReply).documents.map(({ id }) => id);
}

test('docloom search finds by words, by vectors with --mode vector, by both with --mode hybrid', async () => {
  expect((await found()).toSorted()).toEqual(['near', 'words']);
  expect(await found('--mode', 'vector', '--limit', '1')).toEqual(['near']);
  // Hashing ignores meaning: in a hybrid search they do not count, and words alone decide.
  expect(await found('--mode', 'hybrid')).toEqual(await found());
});

test('an unknown mode is rejected with the list of modes', async () => {
  const { code, stderr } = await system.spawn(['search', 'x', '--mode', 'guess']).result;
  expect(code).toBe(2);
  expect(stderr).toContain('text, vector, hybrid');
});

test('a search without results explains that access lists decide, and how to search as another user', async () => {
  const { code, stdout, stderr } = await system.spawn(['search', 'penguins']).result;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^0 results for \S+\n$/) });
  expect(stderr).toMatch(/access list names the user, here '.+'\. Search as another user with --user NAME\./);
  const named = await system.spawn(['search', 'penguins', '--user', 'bert']).result;
  expect(named.stderr).toContain("here 'bert'.\n");
});
