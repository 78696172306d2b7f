import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// Modules are loaded differently inside jest, so these tests run the real command.
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-templates-'));
const outside = mkdtempSync(path.join(tmpdir(), 'docloom-outside-'));
afterAll(() => {
  for (const value of [folder, outside]) rmSync(value, { recursive: true, force: true });
});

function write(name: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

function describeTemplate(template: string): { status: number | null; reply: Record<string, unknown> } {
  const program = path.join(__dirname, '..', '..', '..', 'bin', 'docloom');
  const input = [program, 'graph', 'template', template, '--describe', '--json'];
  const { status, stdout } = spawnSync(process.execPath, input, { cwd: folder, encoding: 'utf8' });
  return { status, reply: JSON.parse(stdout) as Record<string, unknown> };
}

describe('a template by dotted path', () => {
  beforeAll(() => {
    write('shop/names.ts', "export const name: string = 'Order';");
    write(
      'shop/order.ts',
      "import { z } from 'zod';\nimport { entity } from 'docloom/graph';\nimport { name } from './names';\n" +
        "export const Template = entity(name, { number: z.string() }, { idFields: ['number'] });\nexport const five = 5;\n",
    );
    write('plain.js', "exports.Template = { title: 'Plain', type: 'object', properties: { a: { type: 'string' } } };");
    write('modern.mjs', "export const Template = { root: 'M', classes: { M: { fields: { a: { type: 'str' } } } } };");
    write('broken.js', 'throw new Error("no");');
    writeFileSync(path.join(outside, 'secret.js'), 'exports.Template = {};');
    symlinkSync(path.join(outside, 'secret.js'), path.join(folder, 'link.js'));
  });

  test.each([
    ['shop.order.Template', 'Order'],
    ['plain.Template', 'Plain'],
    ['modern.Template', 'M'],
  ])('%s is an export of a file in the working folder', (value, root) => {
    expect(describeTemplate(value)).toMatchObject({ status: 0, reply: { ok: true, root } });
  });

  test.each([
    ['Template', ['type']],
    ['shop.order.Missing', ['template']],
    ['shop.order.five', ['template', 'type']],
    ['shop.nothing.Template', ['folder', 'template']],
    ['broken.Template', ['reason', 'template']],
    ['link.Template', ['folder', 'template']],
    ['..shop.order.Template', ['template']],
    ['shop/../../etc.Template', ['template']],
  ])('%s is a ConfigurationError', (value, keys) => {
    const { status, reply } = describeTemplate(value);
    expect([status, reply['error'], Object.keys(reply['details'] as object).sort()]).toEqual([
      2,
      'ConfigurationError',
      keys,
    ]);
  });
});
