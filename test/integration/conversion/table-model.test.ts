import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Pdf from 'pdfkit';
import sharp from 'sharp';
import { tableStructurePack } from '../../../model/llm/model-packs';
import type { ShareBox, TableStructure } from '../../../model/page/page-models';
import { structureTokens } from '../../../services/image/slanet/structure-tokens';
import { createOnnxGraph, elementTypes } from '../../support/servers/onnx-graph';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };

let folder = '';
beforeAll(async () => {
  build();
  folder = mkdtempSync(path.join(tmpdir(), 'table-model-'));
  writeFileSync(path.join(folder, 'page.pdf'), await drawTable());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const places = ['Pier', 'Quay', 'Lock', 'Mole'];

/** A table of four rows without rulings. */
function drawTable(): Promise<Buffer> {
  return new Promise((resolve) => {
    const pdf = new Pdf({ size: 'A4' });
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.fontSize(10);
    places.forEach((place, row) =>
      [place, `${row + 1}.50`, `${row + 2}.25`].forEach((text, column) =>
        pdf.text(text, 100 + 120 * column, 100 + 20 * row, { lineBreak: false }),
      ),
    );
    pdf.end();
  });
}

/** Writes a model that sees one table of two cells in every picture. */
function writeModel(models: string, type: 'float' | 'int64' = 'float'): void {
  const graph = createOnnxGraph();
  const image = graph.input('x', 'float', ['count', 3, 'height', 'width']);
  const written = ['<tr>', '<td></td>', '<td></td>', '</tr>'].map((token) => structureTokens.indexOf(token));
  const steps = [...written, structureTokens.length - 1];
  const tokens = steps.flatMap((token) => structureTokens.map((_, index) => (index === token ? 0.8 : 0)));
  const boxes = [[], [0, 0, 0.4, 0, 0.4, 1, 0, 1], [0.5, 0, 1, 0, 1, 1, 0.5, 1], [], []];
  const corners = boxes.flatMap((box) => (box.length > 0 ? box : Array.from({ length: 8 }, () => 0)));
  const mean = graph.apply('ReduceMean', [image], { axes: [0, 1, 2, 3], keepdims: 0 });
  const answer = (values: readonly number[], last: number) => {
    const sum = graph.apply('Add', [
      graph.constant(values, [1, steps.length, last]),
      graph.apply('Mul', [mean, graph.constant([0])]),
    ]);
    return graph.apply('Cast', [sum], { to: elementTypes[type] });
  };
  graph.output('corners', answer(corners, 8), type, [1, steps.length, 8]);
  graph.output('tokens', answer(tokens, structureTokens.length), type, [1, steps.length, structureTokens.length]);
  graph.write(path.join(models, tableStructurePack.name, 'model.onnx'));
}

function convert(models: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'bin', 'docloom'), 'convert', 'page.pdf', ...args, '--output', folder],
      { cwd: folder, env: { ...process.env, DOCLOOM_MODELS_FOLDER: models } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** What the model sees in a part of an image. */
function readInProcess(models: string, image: string, part: ShareBox): TableStructure {
  const file = path.join(root, 'dist', 'services', 'image', 'slanet', 'table-model.js');
  const script = `const { createTableModel } = require(${JSON.stringify(file)});
    const model = createTableModel(${JSON.stringify(models)});
    const page = { bytes: require('node:fs').readFileSync(${JSON.stringify(image)}), turned: 0 };
    model.readStructure(page, ${JSON.stringify(part)}).then(async (seen) => {
      await model.close();
      console.log(JSON.stringify(seen));
    });`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as TableStructure;
}

const readTable = () => readFileSync(path.join(folder, 'page.md'), 'utf8');

test('without the pack, the model is refused with how to install it', async () => {
  const { code, stderr } = await convert(path.join(folder, 'empty'), '--table-model', 'slanet_plus');
  expect([code, stderr]).toEqual([2, expect.stringContaining('docloom models add slanet-plus')]);
});

/** Writes a file that is no model. */
function writeNoModel(models: string): void {
  mkdirSync(path.join(models, tableStructurePack.name), { recursive: true });
  writeFileSync(path.join(models, tableStructurePack.name, 'model.onnx'), 'no model');
}

test.each([
  ['a damaged pack', writeNoModel],
  ['a model that answers in integers', (models: string) => writeModel(models, 'int64')],
])('%s is reported, and the tables are those of the rules', async (name, write) => {
  const models = path.join(folder, name);
  write(models);
  expect(await convert(path.join(folder, 'empty'))).toMatchObject({ code: 0 });
  const byRules = readTable();
  for (const place of places) expect(byRules).toMatch(new RegExp(`^\\| ${place} `, 'm'));
  const { code, stdout, stderr } = await convert(models, '--table-model', 'slanet_plus');
  expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('PAGE_MODEL_INVALID')]);
  expect(readTable()).toBe(byRules);
  // Only those who ask for the model use it.
  const { stdout: quiet, stderr: errors } = await convert(models);
  expect(quiet + errors).not.toContain('PAGE_MODEL_INVALID');
});

test('a model whose cells do not agree with the words changes nothing', async () => {
  const models = path.join(folder, 'other');
  writeModel(models);
  await convert(models);
  const byRules = readTable();
  const { code, stdout, stderr } = await convert(models, '--table-model', 'slanet_plus');
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('PAGE_MODEL_INVALID')]);
  expect(readTable()).toBe(byRules);
});

test('the model sees a square, and its boxes are shares of the part', async () => {
  const models = path.join(folder, 'read');
  writeModel(models);
  const bytes = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
  writeFileSync(path.join(folder, 'table.png'), bytes);
  // The runtime does not accept the arrays of a test, which have classes of their own.
  const structure = readInProcess(models, path.join(folder, 'table.png'), { x0: 0, y0: 0, x1: 0.25, y1: 1 });
  expect([structure.rows, structure.columns]).toEqual([1, 2]);
  // The part is 100 pixels wide and 200 high: it fills half of the square.
  expect(structure.cells.map(({ box }) => [box.x0, box.x1].map((x) => x.toFixed(2)))).toEqual([
    ['0.00', '0.80'],
    ['1.00', '2.00'],
  ]);
});
