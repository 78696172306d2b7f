import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Pdf from 'pdfkit';
import type { DoclingDocument } from '../../../document/model';
import { buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import { createConverter } from '../../../services/conversion/converter';
import type { Converter } from '../../../services/conversion/converter';
import type { DocumentExporter } from '../../../services/conversion/export';
import { getThreadFile } from '../../../threads/entries';
import { writeColourDetector } from '../../support/servers/colour-detector';

// Threads and commands run compiled code, as in production.
const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };

const never = new AbortController().signal;
const hex = (...colour: number[]) => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
/** Colours of regions: the model classifies a page by the background of its text. */
const behind = { header: [255, 204, 204], caption: [204, 255, 204], table: [255, 153, 51] } as const;
const share = (colour: readonly number[]) => colour.map((part) => part / 255) as [number, number, number];
/** Rows by red, columns by green. */
const rowReds = [102, 153, 204];
const columnGreens = [77, 128, 192];

let folder = '';
let broken = '';
let bytes = new Uint8Array();
let converter: Converter & DocumentExporter;
const open = (modelsFolder: string) =>
  createConverter({
    threadFile: getThreadFile('conversion', path.join(root, 'dist')),
    threads: 1,
    memoryMb: 256,
    modelsFolder,
  });

beforeAll(async () => {
  build();
  folder = mkdtempSync(path.join(tmpdir(), 'page-models-'));
  broken = mkdtempSync(path.join(tmpdir(), 'page-models-'));
  writeColourDetector(path.join(folder, 'layout'), {
    labels: ['Caption', 'Section-header', 'Table'],
    seen: [
      { label: 1, colour: share(behind.header), score: 0.8 },
      { label: 0, colour: share(behind.caption) },
      { label: 2, colour: share(behind.table), score: 0.7 },
    ],
    form: 'decoded',
    preprocessor: { size: { width: 640, height: 640 }, do_rescale: true, do_normalize: false },
  });
  writeColourDetector(path.join(folder, 'table-structure'), {
    labels: [
      'table',
      'table column',
      'table row',
      'table column header',
      'table projected row header',
      'table spanning cell',
    ],
    seen: [
      ...rowReds.map((red) => ({ label: 2, colour: [red / 255, null, 1] as const })),
      ...columnGreens.map((green) => ({ label: 1, colour: [null, green / 255, 1] as const })),
      { label: 3, colour: [rowReds[0]! / 255, null, 1] },
    ],
    form: 'softmax',
    preprocessor: {
      size: { shortest_edge: 300, longest_edge: 500 },
      do_normalize: true,
      image_mean: [0.485, 0.456, 0.406],
      image_std: [0.229, 0.224, 0.225],
    },
    place: 'onnx',
  });
  writeColourDetector(path.join(broken, 'layout'), {
    labels: ['Table'],
    seen: [{ label: 0, colour: [1, 0, 0] }],
    form: 'decoded',
    preprocessor: { size: { width: 64, height: 64 } },
  });
  writeFileSync(path.join(broken, 'layout', 'model.onnx'), 'no model');
  bytes = await drawPage();
  converter = open(folder);
});
afterAll(async () => {
  await converter.close();
  for (const place of [folder, broken]) rmSync(place, { recursive: true, force: true });
});

const cells = [
  ['Pier', 'Low', 'High'],
  ['North', '3.1', '4.2'],
  ['South', '2.9', '4.0'],
];

/** Text in small type that no rule would take for a heading, and a table without rulings or columns that line up. */
function drawPage(): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pdf = new Pdf({ size: 'A4', margin: 50 });
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
    const painted = (colour: readonly number[], x: number, y: number, width: number, height: number) =>
      pdf.rect(x, y, width, height).fill(hex(...colour));
    const written = (text: string, x: number, y: number) =>
      pdf.fillColor('black').fontSize(10).text(text, x, y, { lineBreak: false });
    painted(behind.header, 60, 60, 200, 30);
    written('of the levels', 70, 70);
    written('The gauge is read every morning.', 70, 120);
    painted(behind.caption, 60, 160, 300, 24);
    written('Levels at both piers', 70, 167);
    painted(behind.table, 56, 196, 308, 98);
    cells.forEach((row, r) =>
      row.forEach((text, c) => {
        painted([rowReds[r]!, columnGreens[c]!, 255], 60 + 100 * c, 200 + 30 * r, 100, 30);
        written(text, 70 + 100 * c, 210 + 30 * r);
      }),
    );
    pdf.end();
  });
}

const exported = async (options: object = {}, modelsFolder = folder) => {
  const answer = await converter.exportDocument({
    name: 'levels.pdf',
    load: () => Promise.resolve(new Uint8Array(bytes)),
    options: { ...buildDefaultConvertOptions(), to_formats: ['json', 'md'], do_ocr: false, ...options },
    packaging: 'inbody',
    modelsFolder,
    timeoutMs: 60_000,
    signal: never,
    fairnessKey: '',
  });
  const text = Buffer.from(answer.outputs['json'] ?? []).toString();
  return { ...answer, document: JSON.parse(text) as DoclingDocument };
};
const labels = ({ texts }: DoclingDocument) => texts.map(({ label, text }) => [label, text]);
const grid = ({ tables }: DoclingDocument) =>
  cells.map((row, r) =>
    row.map(
      (_, c) =>
        tables[0]?.data.table_cells.find(
          ({ start_row_offset_idx: r0, start_col_offset_idx: c0 }) => r0 === r && c0 === c,
        )?.text,
    ),
  );
const seenTexts = [
  ['section_header', 'of the levels'],
  ['text', 'The gauge is read every morning.'],
  ['caption', 'Levels at both piers'],
];

test('a conversion thread lays a page out by the models of its folder', async () => {
  const { status, errors, document, confidence } = await exported();
  expect([status, errors]).toEqual(['success', []]);
  // Headings at 0.8, captions at 0.9, tables at 0.7; all parts of tables at 0.9; the text is readable.
  expect(confidence).toMatchObject({ layout_score: 0.8, table_score: 0.9, parse_score: 1, ocr_score: null });
  expect(confidence?.mean_grade).toBe('excellent');
  expect(labels(document)).toEqual(seenTexts);
  expect(grid(document)).toEqual(cells);
  expect(document.tables[0]?.captions).toHaveLength(1);
  expect(document.tables[0]?.data.table_cells.filter(({ column_header: isHead }) => isHead)).toHaveLength(3);
  const [box] = document.tables[0]?.prov.map(({ bbox }) => bbox) ?? [];
  expect(box?.l).toBeGreaterThan(54);
  expect(box?.r).toBeLessThan(366);
});

test('extract_operator’s conversions use the same models', async () => {
  const { markdown } = await converter.convert({
    bytes: new Uint8Array(bytes),
    name: 'levels.pdf',
    ocr: { mode: 'never', languages: [] },
    timeoutMs: 60_000,
    signal: never,
  });
  expect(markdown).toContain('## of the levels');
  expect(markdown.replace(/ +/g, ' ')).toContain('| North | 3.1 | 4.2 |');
});

test.each([
  [{ table_mode: 'fast' }, null],
  [{ table_structure_preset: 'tableformer_v1_fast' }, null],
  [{ table_mode: 'fast', table_structure_preset: 'tableformer_v1_accurate' }, 0.9],
])('%j decides whether the table model is used', async (options, score) => {
  const { document, confidence } = await exported(options);
  expect(confidence?.table_score).toBe(score);
  expect(document.tables).toHaveLength(1);
});

test('layout_custom_config selects another model of the folder', async () => {
  const named = (repo_id: string) => ({
    layout_custom_config: { kind: 'layout_object_detection', model_spec: { repo_id } },
  });
  const found = await exported(named('layout'));
  expect(labels(found.document)).toEqual(seenTexts);
  const { status, errors } = await exported(named('team/none'));
  expect([status, errors.map(({ component_type: component }) => component)]).toEqual(['success', ['model']]);
});

test('do_table_structure false leaves the text of tables as text', async () => {
  const { document } = await exported({ do_table_structure: false });
  expect(document.tables).toEqual([]);
  expect(document.texts.map(({ text }) => text).join(' ')).toContain('North');
  expect(labels(document)[0]).toEqual(seenTexts[0]);
});

test('an unusable model is an entry of errors, and the document is read by rules', async () => {
  const { status, errors, document } = await exported({}, broken);
  expect(status).toBe('success');
  expect(errors).toEqual([
    {
      component_type: 'model',
      module_name: 'layout',
      error_message: expect.stringMatching(
        /^The layout is found by rules.*model\.onnx.*\(PAGE_MODEL_INVALID\)$/s,
      ) as unknown,
      category: 'inference_failure',
      page_no: null,
    },
  ]);
  expect(labels(document)).toContainEqual(['text', 'The gauge is read every morning.']);
  const other = open(broken);
  try {
    const input = { bytes: new Uint8Array(bytes), name: 'levels.pdf', timeoutMs: 60_000, signal: never };
    const { warnings } = await other.convert({ ...input, ocr: { mode: 'never', languages: [] } });
    expect(warnings).toEqual([expect.stringContaining('PAGE_MODEL_INVALID')]);
  } finally {
    await other.close();
  }
});

test('docloom convert uses them without a server', async () => {
  const target = mkdtempSync(path.join(tmpdir(), 'page-models-'));
  try {
    const source = path.join(target, 'levels.pdf');
    writeFileSync(source, bytes);
    const args = [path.join(root, 'bin', 'docloom'), 'convert', source, '--to', 'md', '--output', target];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, DOCLOOM_MODELS_FOLDER: folder } });
    expect(readFileSync(path.join(target, 'levels.md'), 'utf8')).toContain('## of the levels');
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
});
