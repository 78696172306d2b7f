import { createDocument } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { NodeItem } from '../../document/model';
import { toMarkdown } from '../../document/write/markdown';
import { AppError } from '../../model/errors';
import type { Enricher, Enrichment, VisionAnswer, VisionQuestion } from '../../model/page/vision';
import { toFormulaWords } from './code';
import { enrichDocument } from './enrich';

const image = { bytes: Uint8Array.of(1), mimetype: 'image/png' };
const seen = () => image;
const unseen = () => undefined;
type Answer = string | VisionAnswer | Promise<string>;

function enricher(answer: (question: VisionQuestion, nth: number) => Answer, more: Partial<Enricher> = {}) {
  const questions: VisionQuestion[] = [];
  const made: Enricher = {
    modelName: 'seer',
    prompt: 'Look.',
    concurrency: 1,
    async ask(question) {
      questions.push(question);
      const said = await answer(question, questions.length);
      return typeof said === 'string' ? { text: said, isTruncated: false } : said;
    },
    ...more,
  };
  return { asked: questions, made };
}

/** A page of 100 by 100 with pictures that cover these shares, in percent. */
function withPictures(...shares: number[]) {
  const builder = createDocument('d');
  builder.page(1, 100, 100);
  for (const share of shares)
    builder.picture({ prov: [{ page_no: 1, bbox: { l: 0, t: 0, r: 100, b: share }, charspan: [0, 0] }] });
  return builder.document;
}

const enrich = (
  document: Parameters<typeof enrichDocument>[0],
  enrichers: Partial<Record<Enrichment, Enricher>>,
  imageOf: (item: NodeItem) => typeof image | undefined = seen,
) => enrichDocument(document, enrichers, imageOf);

describe('do_picture_description', () => {
  test('adds the description to meta and annotations', async () => {
    const document = withPictures(50);
    const { asked, made } = enricher(() => 'A red boat.');
    expect(await enrich(document, { description: made })).toEqual([]);
    expect(asked).toEqual([{ prompt: 'Look.', image }]);
    expect(document.pictures[0]?.meta).toEqual({ description: { text: 'A red boat.', created_by: 'seer' } });
    expect(document.pictures[0]?.annotations).toEqual([
      { kind: 'description', text: 'A red boat.', provenance: 'seer' },
    ]);
    expect(toMarkdown(document)).toBe('<!-- image -->\n\nA red boat.');
  });

  test('picture_description_area_threshold skips small pictures; pictures without a position count as large', async () => {
    const document = withPictures(4, 5, 60);
    document.pictures[2]!.prov = [];
    const { asked, made } = enricher((_question, nth) => `text ${nth}`, { areaThreshold: 0.05 });
    await enrich(document, { description: made });
    expect(asked).toHaveLength(2);
    expect(document.pictures.map(({ meta }) => meta ?? null)).toEqual([
      null,
      { description: { text: 'text 1', created_by: 'seer' } },
      { description: { text: 'text 2', created_by: 'seer' } },
    ]);
  });

  test('the model is not asked about a picture without image data', async () => {
    const { asked, made } = enricher(() => 'x');
    expect(await enrich(withPictures(50), { description: made }, unseen)).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('a truncated answer is kept', async () => {
    const document = withPictures(50);
    const { made } = enricher(() => ({ text: 'A red', isTruncated: true }));
    expect(await enrich(document, { description: made })).toEqual([]);
    expect(document.pictures[0]?.meta).toMatchObject({ description: { text: 'A red' } });
  });

  test('classification_allow, classification_deny and classification_min_confidence select by class', async () => {
    const kinds = [['logo', 0.9], ['photograph', 0.9], ['photograph', 0.3], [undefined, 0]] as const; // prettier-ignore
    const describedWith = async (more: Partial<Enricher>) => {
      const document = withPictures(50, 50, 50, 50);
      kinds.forEach(([class_name, confidence], index) => {
        if (class_name)
          document.pictures[index]!.meta = { classification: { predictions: [{ class_name, confidence }] } };
      });
      await enrich(document, { description: enricher(() => 'x', more).made });
      return document.pictures.map(({ meta }) => meta?.['description'] !== undefined);
    };
    expect(await describedWith({ allow: ['photograph'] })).toEqual([false, true, true, false]);
    expect(await describedWith({ allow: ['photograph'], minConfidence: 0.5 })).toEqual([false, true, false, false]);
    expect(await describedWith({ deny: ['logo'] })).toEqual([false, true, true, true]);
  });
});

describe('do_picture_classification', () => {
  test('adds classes to meta and annotations; a picture with a known class is skipped', async () => {
    const document = withPictures(50, 50);
    document.pictures[1]!.meta = { classification: { predictions: [{ class_name: 'logo' }] } };
    const { asked, made } = enricher(() => '{"class_name": "bar_chart", "confidence": 0.8}');
    await enrich(document, { classification: made });
    expect(asked).toHaveLength(1);
    const prediction = { class_name: 'bar_chart', confidence: 0.8 };
    expect(document.pictures[0]?.meta).toEqual({
      classification: { predictions: [{ ...prediction, created_by: 'seer' }] },
    });
    expect(document.pictures[0]?.annotations).toEqual([
      { kind: 'classification', provenance: 'seer', predicted_classes: [prediction] },
    ]);
    expect(toMarkdown(document)).toContain('Bar chart');
  });
});

describe('do_chart_extraction', () => {
  const data = '| year | sold |\n|---|---|\n| 2024 | 7 |';

  test('adds the table to meta, for charts only', async () => {
    const document = withPictures(50, 50, 50, 50);
    const kinds = enricher((_question, nth) => ['bar_chart', 'photograph', 'line_chart', 'pie_chart'][nth - 1]!);
    const table = { table_cells: [tableCell(0, 0, 'own')], num_rows: 1, num_cols: 1 };
    document.pictures[3]!.meta = { tabular_chart: { chart_data: table } };
    const charts = enricher((_question, nth) => (nth === 1 ? data : 'none'));
    expect(await enrich(document, { classification: kinds.made, charts: charts.made })).toEqual([]);
    expect(charts.asked).toHaveLength(2);
    expect(document.pictures[0]?.meta?.['tabular_chart']).toMatchObject({ chart_data: { num_rows: 2, num_cols: 2 } });
    expect(document.pictures[0]?.annotations?.[1]).toMatchObject({ kind: 'tabular_chart_data', title: '' });
    expect(document.pictures[2]?.meta).not.toHaveProperty('tabular_chart');
    expect(document.pictures[3]?.meta?.['tabular_chart']).toEqual({ chart_data: table });
    expect(toMarkdown(document)).toContain('2024');
  });

  test('without classes every picture may be a chart', async () => {
    const { asked, made } = enricher(() => 'none');
    expect(await enrich(withPictures(50, 50), { charts: made })).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

describe('do_code_enrichment and do_formula_enrichment', () => {
  test('code and its language are read from its image', async () => {
    const builder = createDocument('d');
    builder.code('def f ( ) :\nretum 1');
    const { asked, made } = enricher(() => '```python\ndef f():\n    return 1\n```');
    await enrich(builder.document, { code: made });
    expect(asked).toEqual([{ prompt: 'Look.', image }]);
    expect(builder.document.texts[0]).toMatchObject({
      text: 'def f():\n    return 1',
      orig: 'def f ( ) :\nretum 1',
      code_language: 'Python',
    });
  });

  test('for code without an image only the language is requested, if it is unknown', async () => {
    const builder = createDocument('d');
    builder.code('let x = 1');
    builder.code('x = 1', { language: 'Python' });
    const { asked, made } = enricher(() => 'TypeScript');
    await enrich(builder.document, { code: made }, unseen);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.prompt).toContain('let x = 1');
    expect(builder.document.texts.map(({ text, code_language }) => [text, code_language])).toEqual([
      ['let x = 1', 'TypeScript'],
      ['x = 1', 'Python'],
    ]);
  });

  test('a formula becomes LaTeX; existing LaTeX is kept', async () => {
    const builder = createDocument('d');
    builder.text('formula', '', { orig: 'a2 + b2' });
    builder.text('formula', 'x^2');
    const { asked, made } = enricher(() => '$$a^2 + b^2$$');
    await enrich(builder.document, { formulas: made });
    expect(asked).toEqual([{ prompt: 'Look.', image }]);
    expect(builder.document.texts.map(({ text, orig }) => [text, orig])).toEqual([
      ['a^2 + b^2', 'a2 + b2'],
      ['x^2', 'x^2'],
    ]);
  });

  test('a formula that has only its words becomes LaTeX; the words are LaTeX that shows them', async () => {
    expect(toFormulaWords('50 % {a_1} ~ \\b^2')).toBe(
      '\\text{50 \\% \\{a\\_1\\} }\\sim \\text{ }\\backslash \\text{b}\\wedge \\text{2}',
    );
    expect(toFormulaWords(' ')).toBe('');
    const builder = createDocument('d');
    builder.text('formula', toFormulaWords('a2 + b2'), { orig: 'a2 + b2' });
    expect(toMarkdown(builder.document)).toBe('$$\\text{a2 + b2}$$');
    await enrich(builder.document, { formulas: enricher(() => 'a^2 + b^2').made });
    expect(builder.document.texts[0]?.text).toBe('a^2 + b^2');
  });
});

describe('failures', () => {
  test('an item with an invalid, empty or truncated answer is reported with its page and not changed', async () => {
    const document = withPictures(50, 50, 50, 50);
    const answers: Answer[] = ['I like it.', '', { text: 'bar_chart', isTruncated: true }, 'logo'];
    const { made } = enricher((_question, nth) => answers[nth - 1]!);
    expect(await enrich(document, { classification: made })).toEqual([
      {
        enrichment: 'classification',
        pageNo: 1,
        message: '#/pictures/0: the answer names no class of pictures: I like it.',
      },
      { enrichment: 'classification', pageNo: 1, message: '#/pictures/1: the model gave an empty answer.' },
      {
        enrichment: 'classification',
        pageNo: 1,
        message: '#/pictures/2: the answer was cut off at its length limit.',
      },
    ]);
    expect(document.pictures.map(({ meta }) => meta === null)).toEqual([true, true, true, false]);
  });

  test('a rejected key ends only the current stage', async () => {
    const document = withPictures(50, 50, 50);
    const refused = enricher(() => {
      throw new AppError('HOSTEDMODEL_AUTH_FAILED', 'The key is refused.');
    });
    const described = enricher(() => 'x');
    expect(await enrich(document, { classification: refused.made, description: described.made })).toEqual([
      { enrichment: 'classification', pageNo: 1, message: '#/pictures/0: The key is refused.' },
      {
        enrichment: 'classification',
        pageNo: 1,
        message: '#/pictures/1: it and 1 more were not sent to the model: The key is refused.',
      },
    ]);
    expect([refused.asked.length, described.asked.length]).toEqual([1, 3]);
  });

  test('a host that fails repeatedly is given up, one that recovers is not', async () => {
    const away = enricher(() => {
      throw new AppError('CONNECTION_ERROR', 'away');
    });
    expect(await enrich(withPictures(...Array<number>(20).fill(50)), { description: away.made })).toHaveLength(6);
    expect(away.asked).toHaveLength(5);
    const shaky = enricher((_question, nth) => {
      if (nth % 3 > 0) throw new AppError('CONNECTION_ERROR', 'away');
      return 'x';
    });
    expect(await enrich(withPictures(...Array<number>(12).fill(50)), { description: shaky.made })).toHaveLength(8);
    expect(shaky.asked).toHaveLength(12);
  });

  test('several items are processed in parallel', async () => {
    let open = 0;
    let most = 0;
    const { made } = enricher(
      async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return 'x';
      },
      { concurrency: 3 },
    );
    await enrich(withPictures(50, 50, 50, 50, 50), { description: made });
    expect(most).toBe(3);
  });
});
