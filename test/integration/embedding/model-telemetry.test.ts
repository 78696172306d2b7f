import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const home = mkdtempSync(path.join(tmpdir(), 'docloom-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('with the variable, the runtime of models stores nothing in the home folder, and so has nothing to send', () => {
  const model = path.join(home, 'model.onnx');
  writeFileSync(model, 'no model');
  const file = path.join(root, 'dist', 'services', 'image', 'onnx-session.js');
  // The runtime sends nothing where a CI is named.
  const { CI: _ci, XDG_CACHE_HOME: _cache, ...environment } = process.env;
  const program = `require(${JSON.stringify(file)}).openOnnxSession(${JSON.stringify(model)}).catch(({ code }) => console.log(code))`;
  const env = { ...environment, HOME: home, ORT_DISABLE_TELEMETRY: '1' };
  expect(execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8' })).toBe('PAGE_MODEL_INVALID\n');
  expect(readdirSync(home)).toEqual(['model.onnx']);
});

test('both programs set the variable before they load any code', () => {
  for (const program of ['docloom', 'docloom-convert']) {
    const text = readFileSync(path.join(root, 'bin', program), 'utf8');
    expect(text.indexOf("process.env.ORT_DISABLE_TELEMETRY ??= '1';")).toBeGreaterThan(0);
    expect(text.indexOf('ORT_DISABLE_TELEMETRY')).toBeLessThan(text.indexOf("require('../dist/cli"));
  }
});
