import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../support/operators/package-root';
import { writeCrossEncoder } from '../../support/servers/cross-encoder-model';
import { writeTinyModel } from '../../support/servers/onnx-model';

/** The commands with which an operator adds a reranking model. */
let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'docloom-reranker-'));
  writeCrossEncoder(path.join(root, 'hub', 'cross'), { vocabulary: ['tide'] });
  writeTinyModel(path.join(root, 'hub', 'embedder'), { vocabulary: ['tide'], dimension: 4 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
  const env = {
    ...process.env,
    DOCLOOM_MODELS_FOLDER: path.join(root, 'models'),
    DOCLOOM_DATA: path.join(root, 'data'),
    DOCLOOM_RERANK_TYPE: 'onnx',
    DOCLOOM_RERANK_MODEL: 'team/cross',
  };
  const command = [path.join(packageRoot, 'bin', 'docloom'), ...args];
  return promisify(execFile)(process.execPath, command, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, errors: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      ...{ code, out: stdout, errors: stderr },
    }),
  );
}

const readModels = async (command: string[]) =>
  JSON.parse((await run(...command, '--json')).out) as Record<string, unknown>;

test('a model is added with its licence, checked, listed, opened by the doctor, and removed', async () => {
  const from = path.join(root, 'hub', 'cross');
  expect(await run('models', 'add', 'team/cross', '--from', from)).toMatchObject({
    code: 2,
    errors: expect.stringContaining('states no licence') as string,
  });
  expect(await run('models', 'add', 'team/cross', '--from', from, '--licence', 'MIT')).toMatchObject({
    code: 0,
    out: expect.stringContaining('DOCLOOM_RERANK_TYPE=onnx DOCLOOM_RERANK_MODEL=team/cross') as string,
  });
  expect((await run('models', 'check')).out).toBe('ok      team/cross (MIT)\n');
  expect(await readModels(['models', 'list'])).toMatchObject({ own: [{ name: 'team/cross', state: 'installed' }] });
  expect((await run('models', 'list')).out).toMatch(/own model +state +licence\n[- ]+\nteam\/cross +installed +MIT\n/);
  const finding = { stage: 'rerank', place: 'team/cross' };
  expect((await readModels(['doctor']))['models']).toContainEqual(finding);

  truncateSync(path.join(root, 'models', 'team', 'cross', 'model.onnx'), 100);
  expect(await run('models', 'check')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^broken {2}team\/cross: model\.onnx has 100 bytes instead of/) as string,
  });
  expect((await run('models', 'list')).out).toMatch(/\n\nteam\/cross: Broken: model\.onnx has 100 bytes/);
  expect((await readModels(['doctor']))['models']).toContainEqual({
    ...finding,
    problem: expect.stringMatching(/cannot be opened.*\(RERANK_MODEL_INVALID\)$/s) as string,
  });
  expect((await run('models', 'remove', 'team/cross')).out).toBe('Removed team/cross.\n');
  expect((await run('models', 'check')).out).toMatch(/^No model is installed/);
});

test.each([
  ['an embedder', 'embedder', 1, /The model 'mine' cannot rerank: .*RERANK_MODEL_INVALID/s],
  ['a folder without a model', '.', 2, /'mine' is not a pack, and there is no model in/],
  ['a folder that does not exist', 'absent', 2, /there is no model in/],
])('%s is not added', async (_name, folder, code, message) => {
  const outcome = await run('models', 'add', 'mine', '--from', path.join(root, 'hub', folder), '--licence', 'MIT');
  expect(outcome).toMatchObject({ code, errors: expect.stringMatching(message) as string });
  expect((await run('models', 'check')).out).toMatch(/^No model is installed/);
});
