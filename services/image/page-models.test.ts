import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import sharp from 'sharp';
import { type ColourDetector, writeColourDetector } from '../../test/support/servers/colour-detector';
import { createOnnxGraph } from '../../test/support/servers/onnx-graph';
import { checkPageModels, createPageModels, modelFolders, type OpenPageModels } from './page-models';

// The runtime creates its arrays in the main realm, in which jest does not run tests; the test uses that realm's classes.
for (const name of ['Float32Array', 'BigInt64Array', 'BigUint64Array'] as const)
  Object.assign(globalThis, { [name]: runInThisContext(name) as unknown });

const red = [0.9, 0.2, 0.2] as const;
const green = [0.2, 0.8, 0.2] as const;
const blue = [0.2, 0.3, 0.9] as const;
const rtDetr = { do_resize: true, size: { width: 64, height: 64 }, resample: 2, do_rescale: true, do_normalize: false };
const detr = {
  size: { shortest_edge: 80, longest_edge: 100 },
  do_normalize: true,
  image_mean: [0.485, 0.456, 0.406],
  image_std: [0.229, 0.224, 0.225],
};
const layout: ColourDetector = {
  labels: ['Caption', 'Section-header', 'Table', 'Key-Value Region'],
  seen: [
    { label: 1, colour: red },
    { label: 2, colour: green, score: 0.7 },
    { label: 3, colour: blue, score: 0.6 },
  ],
  form: 'decoded',
  preprocessor: rtDetr,
};
const tables: ColourDetector = {
  labels: [
    'table',
    'table column',
    'table row',
    'table column header',
    'table projected row header',
    'table spanning cell',
  ],
  seen: [
    { label: 1, colour: red },
    { label: 2, colour: [null, 0.8, null], score: 0.8 },
  ],
  form: 'softmax',
  preprocessor: detr,
};

let root = '';
const opened: OpenPageModels[] = [];
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'page-models-'));
});
afterEach(async () => {
  for (const models of opened.splice(0)) await models.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const newFolder = () => path.join(root, String((count += 1)));
function open(folder: string): OpenPageModels {
  const models = createPageModels(folder);
  opened.push(models);
  return models;
}

/** A white page with coloured rectangles, each given by its corners in pixels. */
function picture(width: number, height: number, areas: [readonly number[], number, number, number, number][]) {
  const pixels = new Uint8Array(width * height * 3).fill(255);
  for (const [colour, x0, y0, x1, y1] of areas)
    for (let y = y0; y < y1; y += 1)
      for (let x = x0; x < x1; x += 1)
        pixels.set(
          colour.map((part) => Math.round(part * 255)),
          (y * width + x) * 3,
        );
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
/** The detections, with boxes rounded to a twentieth of the image: the small image of the model allows no higher precision. */
const seen = (found: readonly { label: string; score: number; box: object }[] | undefined) =>
  found?.map(({ label, score, box }) => ({
    label,
    score: Math.round(score * 100) / 100,
    box: Object.values(box).map((side) => Math.round(Number(side) * 20) / 20),
  }));

describe('a model of layout', () => {
  test.each(['decoded', 'sigmoid', 'softmax'] as const)(
    'of the form %s gets the page in its own size and returns boxes as fractions of the page, the most certain first',
    async (form) => {
      const folder = newFolder();
      writeColourDetector(path.join(folder, 'layout'), { ...layout, form });
      const bytes = await picture(200, 300, [
        [red, 20, 30, 100, 60],
        [green, 40, 150, 180, 270],
      ]);
      expect(seen(await open(folder).layout?.({ bytes, turned: 0 }))).toEqual([
        { label: 'section_header', score: 0.9, box: [0.1, 0.1, 0.5, 0.2] },
        { label: 'table', score: 0.7, box: [0.2, 0.5, 0.9, 0.9] },
      ]);
    },
  );

  test('receives the page turned clockwise when its text is sideways', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), layout);
    const bytes = await picture(200, 100, [[red, 0, 0, 50, 40]]);
    const box = (turned: 90 | 180 | 270) => open(folder).layout?.({ bytes, turned });
    expect(seen(await box(90))).toEqual([{ label: 'section_header', score: 0.9, box: [0.6, 0, 1, 0.25] }]);
    expect(seen(await box(180))).toEqual([{ label: 'section_header', score: 0.9, box: [0.75, 0.6, 1, 1] }]);
    expect(seen(await box(270))).toEqual([{ label: 'section_header', score: 0.9, box: [0, 0.75, 0.4, 1] }]);
  });

  test('is also found in onnx/ under the name that its hub uses, and other training sets have other classes', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'docling-project', 'docling-layout-heron-onnx'), {
      ...layout,
      labels: ['Caption', 'paragraph title', 'Figure', 'key_value_region'],
      place: 'onnx',
    });
    const bytes = await picture(100, 100, [[green, 0, 0, 50, 50]]);
    expect(seen(await open(folder).layout?.({ bytes, turned: 0 }))).toEqual([
      { label: 'picture', score: 0.7, box: [0, 0, 0.5, 0.5] },
    ]);
  });

  test('with low scores only returns nothing', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), {
      ...layout,
      seen: [{ label: 1, colour: red, score: 0.2 }],
    });
    const bytes = await picture(100, 100, [[red, 0, 0, 50, 50]]);
    expect(await open(folder).layout?.({ bytes, turned: 0 })).toEqual([]);
  });
});

describe('a model of table structure', () => {
  test('sees the part of the page that shows the table, normalised as its training had it', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'table-structure'), tables);
    const bytes = await picture(400, 400, [
      [red, 0, 0, 40, 400],
      [red, 210, 220, 250, 280],
      [green, 260, 220, 300, 240],
    ]);
    const part = { x0: 0.5, y0: 0.5, x1: 1, y1: 0.75 };
    expect(seen(await open(folder).tables?.({ bytes, turned: 0 }, part))).toEqual([
      { label: 'column', score: 0.9, box: [0.05, 0.2, 0.25, 0.8] },
      { label: 'row', score: 0.8, box: [0.3, 0.2, 0.5, 0.4] },
    ]);
  });

  test('a model with a different normalisation would not recognize the layout', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'table-structure'), tables);
    const config = path.join(folder, 'table-structure', 'preprocessor_config.json');
    writeFileSync(config, JSON.stringify({ ...detr, image_mean: [0, 0, 0] }));
    const bytes = await picture(100, 100, [[red, 0, 0, 50, 50]]);
    const detections = await open(folder).tables?.({ bytes, turned: 0 }, { x0: 0, y0: 0, x1: 1, y1: 1 });
    expect(detections?.map(({ label }) => label)).not.toContain('column');
  });
});

test.each(Object.values(modelFolders).flat())('the guide names the folder %s', (name) => {
  expect(readFileSync(path.join(__dirname, '..', '..', 'docs', 'models.md'), 'utf8')).toContain(`\`${name}\``);
});

describe('invalid models', () => {
  const page = async () => ({ bytes: await picture(20, 20, []), turned: 0 as const });
  const invalid = (message: string) => ({
    code: 'PAGE_MODEL_INVALID',
    message: expect.stringContaining(message) as unknown,
  });
  const write = (folder: string, name: string, content: string) => {
    mkdirSync(path.join(folder, 'layout'), { recursive: true });
    writeFileSync(path.join(folder, 'layout', name), content);
  };

  test('without a folder, or with none of its models, a stage is absent', () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'table-structure'), { recursive: true });
    expect(createPageModels(undefined)).toEqual({ close: expect.any(Function) as unknown });
    expect(Object.keys(createPageModels(folder)).toSorted()).toEqual(['close', 'tables']);
  });

  test.each([
    ['no model', (folder: string) => rmSync(path.join(folder, 'layout', 'model.onnx')), 'expected model.onnx or'],
    ['half a model', (folder: string) => write(folder, 'model.onnx', 'ONNX'), 'cannot be opened'],
    ['no config.json', (folder: string) => rmSync(path.join(folder, 'layout', 'config.json')), 'config.json'],
    ['half a config.json', (folder: string) => write(folder, 'config.json', '{"id2la'), 'config.json'],
    ['no names of classes', (folder: string) => write(folder, 'config.json', '{}'), 'id2label'],
    ['an unknown class', (folder: string) => write(folder, 'config.json', '{"id2label":{"0":"Zebra"}}'), "'zebra'"],
    [
      'preprocessing without a size',
      (folder: string) => write(folder, 'preprocessor_config.json', '{}'),
      'shortest_edge',
    ],
    [
      'a normalisation without numbers',
      (folder: string) => write(folder, 'preprocessor_config.json', JSON.stringify({ ...rtDetr, do_normalize: true })),
      'image_mean must be three numbers',
    ],
    [
      'fewer names than classes',
      (folder: string) => write(folder, 'config.json', '{"id2label":{"0":"Table"}}'),
      'returns the class',
    ],
  ])('%s is reported', async (_name, spoil, message) => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), layout);
    spoil(folder);
    const { bytes } = { bytes: await picture(64, 64, [[red, 0, 0, 30, 30]]) };
    await expect(open(folder).layout?.({ bytes, turned: 0 })).rejects.toMatchObject(invalid(message));
  });

  test('a layout model that is named is used instead; one that is missing or outside of the folder fails', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), { ...layout, seen: [] });
    writeColourDetector(path.join(folder, 'team', 'own'), layout);
    const bytes = await picture(64, 64, [[red, 0, 0, 32, 32]]);
    const find = (name: string, root?: string) => {
      const models = createPageModels(root, { layout: name });
      opened.push(models);
      return models.layout?.({ bytes, turned: 0 });
    };
    expect((await find('team/own', folder))?.map(({ label }) => label)).toEqual(['section_header']);
    await expect(find('team/other', folder)).rejects.toMatchObject(invalid('expected model.onnx or'));
    await expect(find('../1/layout', folder)).rejects.toMatchObject(invalid("'../1/layout' is not a model"));
    await expect(find('team/own')).rejects.toMatchObject(invalid("'team/own' is not a model"));
  });

  test('the check of the folder reports where each model is and its problems', async () => {
    const folder = newFolder();
    expect(await checkPageModels(folder)).toEqual([{ stage: 'layout' }, { stage: 'tables' }]);
    writeColourDetector(path.join(folder, 'layout'), layout);
    writeColourDetector(path.join(folder, 'table-structure'), { ...tables, labels: ['cat', 'dog', 'cow'] });
    expect(await checkPageModels(folder)).toEqual([
      { stage: 'layout', place: path.join(folder, 'layout') },
      {
        stage: 'tables',
        place: path.join(folder, 'table-structure'),
        problem: expect.stringMatching(/'cat'.*\(PAGE_MODEL_INVALID\)$/) as unknown,
      },
    ]);
  });

  test('a repaired model is used without a restart', async () => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), layout);
    write(folder, 'model.onnx', 'ONNX');
    const models = open(folder);
    await expect(models.layout?.(await page())).rejects.toMatchObject(invalid('cannot be opened'));
    writeColourDetector(path.join(folder, 'layout'), layout);
    expect(await models.layout?.(await page())).toEqual([]);
  });

  test.each([
    ['takes another input', { input: 'audio' }, "takes 'audio'; expected 'images' or 'pixel_values'"],
    ['takes bytes', { type: 'int64' as const }, 'takes pixels as int64; expected float32'],
    ['takes an additional input', { more: 'depth' }, "takes 'depth'; besides the image, expected only"],
    ['returns other outputs', { outputs: { heat: [1, 3, 4] } }, "returns 'same0', 'heat'; expected 'labels'"],
    ['returns boxes of three numbers', { outputs: { logits: [1, 3, 4], pred_boxes: [1, 3, 3] } }, 'expected 1 × 3 × 4'],
    [
      'returns another number of classes',
      { outputs: { logits: [1, 3, 9], pred_boxes: [1, 3, 4] } },
      'with the shape 1 × 3 × 9',
    ],
    [
      'returns fewer boxes than scores',
      { outputs: { labels: [1, 2], scores: [1, 3], boxes: [1, 3, 4] } },
      'expected 1 × 3',
    ],
    ['requires another size', { side: 32 }, 'failed'],
  ])('a model that %s is reported', async (_name, wrong, message) => {
    const folder = newFolder();
    writeColourDetector(path.join(folder, 'layout'), layout);
    writeConstantModel(path.join(folder, 'layout', 'model.onnx'), wrong);
    await expect(open(folder).layout?.(await page())).rejects.toMatchObject(invalid(message));
  });
});

/** A model that returns zeros of these shapes for any input. */
function writeConstantModel(
  file: string,
  wrong: {
    input?: string;
    type?: 'float' | 'int64';
    more?: string;
    side?: number;
    outputs?: Record<string, number[] | undefined>;
  },
): void {
  const graph = createOnnxGraph();
  const side = wrong.side ?? 'side';
  const inputs = [graph.input(wrong.input ?? 'pixel_values', wrong.type ?? 'float', [1, 3, side, side])];
  if (wrong.more !== undefined) inputs.push(graph.input(wrong.more, 'float', [1]));
  inputs.forEach((input, index) => graph.output(`same${index}`, input, wrong.type ?? 'float', []));
  for (const [name, dims = []] of Object.entries(wrong.outputs ?? { logits: [1, 3, 4], pred_boxes: [1, 3, 4] })) {
    const zeros = Array<number>(dims.reduce((size, dim) => size * dim, 1)).fill(0);
    graph.output(name, graph.constant(zeros, dims), 'float', dims);
  }
  graph.write(file);
}
