import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createFlowInspection } from '../../api/flow/inspection';
import { createSourceInspector } from '../../api/source/inspector';
import { createSources } from '../../services/source/sources';
import { alice, startApi, type TestApi } from '../support/api/server';

/** Asks the api about paths outside the readable folders: its answers must not reveal which of them exist. */
let base: string;
let api: TestApi;
const at = (name: string) => path.join(base, name);
beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'docloom-paths-')));
  for (const folder of ['open/.git', 'open/keys', 'outside/private']) await mkdir(at(folder), { recursive: true });
  await writeFile(at('outside/private/salaries.md'), 'secret');
  await writeFile(at('open/.git/config'), 'secret');
  await writeFile(at('open/keys/jwt-secret'), 'secret');
  await writeFile(at('open/readme.md'), 'hello');
  await symlink(at('outside'), at('open/link'));
  await symlink(at('outside/private/salaries.md'), at('open/to-something'));
  await symlink(at('outside/private/nothing.md'), at('open/to-nothing'));
  await symlink(at('open/to-nothing'), at('open/to-nothing-by-another'));
  await symlink('loop', at('open/loop'));
  const sources = createSources({ roots: [at('open')], closed: [at('open/keys')] });
  const inspection = createFlowInspection({
    sources: createSourceInspector({ sources }),
    destinations: {} as never,
    search: { inspect: async () => undefined } as never,
    embedder: { inspect: async () => undefined } as never,
  });
  api = await startApi({ inspection });
});
afterAll(async () => {
  await api.close();
  await rm(base, { recursive: true, force: true });
});

/** The response of `POST /validation/validate_flow` for a path, without the path itself. */
async function answer(value: string): Promise<string> {
  const body = {
    flow_name: 'probe',
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [value] } },
      },
    ],
  };
  const reply = await api.call('POST', '/api/v1/validation/validate_flow?deep=true', { user: alice, body });
  return JSON.stringify(reply.body)
    .replaceAll(value, 'PATH')
    .replaceAll(/"trace":"[^"]*"/g, '');
}

test.each([
  ['a file outside', 'outside/private/salaries.md', 'outside/private/nothing.md'],
  ['a folder outside', 'outside/private', 'outside/nothing'],
  ['a path below a file', 'outside/private/salaries.md/x', 'outside/private/nothing.md/x'],
  ['dots', 'open/../outside/private/salaries.md', 'open/../outside/private/nothing.md'],
  ['a link', 'open/link/private/salaries.md', 'open/link/private/nothing.md'],
  ['a link that leads nowhere', 'open/to-something', 'open/to-nothing'],
  ['a link to a link', 'open/to-something', 'open/to-nothing-by-another'],
  ['hidden files inside', 'open/.git/config', 'open/.git/nothing'],
  ['closed files inside', 'open/keys/jwt-secret', 'open/keys/nothing'],
  ['a name that is too long', 'outside/private/salaries.md', `outside/${'x'.repeat(300)}`],
])('existing and missing paths get the same response: %s', async (_name, there, missing) => {
  // Not by `path.join`, which would resolve the dots.
  const [one, other] = [await answer(`${base}/${there}`), await answer(`${base}/${missing}`)];
  expect(one).toContain('SOURCE_NOT_ALLOWED');
  expect(other).toBe(one);
});

test('a missing path in a readable folder is still named', async () => {
  expect(await answer(at('open/nothing.md'))).toContain('SOURCE_NOT_FOUND');
  expect(await answer(at('open/loop'))).toContain('SOURCE_NOT_FOUND');
  expect(await answer(at('open/readme.md'))).not.toContain('SOURCE_NOT');
});
