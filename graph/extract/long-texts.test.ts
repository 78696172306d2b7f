import { runPipeline, templateFrom } from '..';
import { templateFromSample } from './template-sample';

const template = templateFrom({
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str' },
        issued: { type: 'date' },
        total: { type: 'decimal' },
        tags: { type: 'str', is_list: true },
        lines: { model: 'Line', is_list: true, edge_label: 'HAS_LINE' },
      },
    },
    Line: { graph_id_fields: ['article'], fields: { article: { type: 'str' }, price: { type: 'decimal' } } },
  },
});

/** With this many characters, quadratic code takes half an hour, and linear code a moment. */
const long = (unit: string) => unit.repeat(Math.ceil(200_000 / unit.length));

const forms: [string, (text: string) => string][] = [
  ['a line', (text) => text],
  ['values', (text) => `Number: 1${text}b\nIssued: 1${text}b\nTotal: 1${text}b1\nTags: a${text}b`],
  ['a heading', (text) => `# a${text}b\n\nNumber: 1`],
  ['cells', (text) => `| Article | Price | a${text}b |\n|---|---|---|\n| a${text}b | 1${text}b1 | Number: |`],
  ['a row of two cells', (text) => `| a${text}b | 1${text}b1 |\n|---|---|\n| Number | 1${text}b |`],
];

describe.each([' ', '\t', '\u00a0', '*', ':', '(', '[', '_', '-', 'a', '0', 'no '])('%j, repeated', (unit) => {
  test.each(forms)('as %s is read in one pass by rules and as a sample of a template', async (_name, form) => {
    const source = form(long(unit));
    const options = { backend: 'rules', provenance: 'off' } as const;
    const problems = await runPipeline({ source, template, options }).then(
      () => [],
      (error: Error) => [error.name],
    );
    expect([[], ['ExtractionError']]).toContainEqual(problems);
    expect(templateFromSample(source).classes.size).toBeGreaterThan(0);
  });
});
