import { parse } from 'yaml';
import { convertBytes } from '../../formats/convert';
import { createDocument } from '../builder';
import { documentToJson } from '../json/write';
import { toHtmlPages } from './html-pages';
import { toVtt } from './vtt';
import { documentToYamlPieces } from './yaml';

const toYaml = (...input: Parameters<typeof documentToYamlPieces>) =>
  Buffer.concat([...documentToYamlPieces(...input)]).toString();

describe('pages as sections', () => {
  const image = { mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri: 'data:image/png;base64,aaaa' };
  const paged = () => {
    const built = createDocument('a');
    for (const number of [1, 2, 3]) built.page(number, 100, 100);
    built.document.pages['2']!.image = image;
    const prov = (page_no: number) => [{ page_no, bbox: { l: 0, t: 0, r: 1, b: 1 }, charspan: [0, 1] }];
    built.text('text', 'no page yet');
    built.text('text', 'on two', { prov: prov(2) });
    built.text('text', 'still on two');
    return built.document;
  };

  test('content is on the page where it begins, and empty pages are kept', () => {
    const sections = toHtmlPages(paged(), { imageMode: 'embedded' }).split('<section').slice(1);
    expect(sections.map((section) => [...section.matchAll(/<p>(.*?)<\/p>/g)].map(([, text]) => text))).toEqual([
      ['no page yet'],
      ['on two', 'still on two'],
      [],
    ]);
    expect(sections.map((section) => section.includes('<img src="data:image/png;base64,aaaa"'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('placeholders show no picture, and URLs of scripts are never loaded', () => {
    expect(toHtmlPages(paged())).not.toContain('<img');
    const document = paged();
    document.pages['2']!.image = { ...image, uri: 'javascript:alert(1)' };
    expect(toHtmlPages(document, { imageMode: 'referenced' })).not.toContain('<img');
  });
});

describe('YAML', () => {
  test('contains the same data as the JSON', async () => {
    const text =
      '# Head\n\n- yes\n- 1e3\n- "a: b" #c\n\n| x | y |\n|---|---|\n| ~ | 12:30 |\n\n```\na\n  b\u2028\n```\n';
    const { document } = await convertBytes({ bytes: Buffer.from(text), name: 'no.md' });
    document.body.meta = { nested: [[1, [], {}], [{ a: null, $b: 'on' }]], empty: '' };
    const numbers = { intAsBigInt: true };
    const json = (options: object) => parse(documentToJson(document, options), numbers) as unknown;
    expect(parse(toYaml(document), numbers)).toEqual(json({}));
    expect(parse(toYaml(document, { omitNulls: true }), numbers)).toEqual(json({ omitNulls: true }));
    expect(parse(toYaml(document, { emptyPlaces: true }), { ...numbers, version: '1.1' })).toEqual(
      json({ emptyPlaces: true }),
    );
  });
});

describe('WebVTT', () => {
  const read = (text: string) => convertBytes({ bytes: Buffer.from(text), name: 'talk.vtt' });

  test('subtitles keep times, speakers, identifiers and styles', async () => {
    const text =
      'WEBVTT - A talk\n\nintro\n00:00:01.500 --> 00:00:02.000\n<v Ann>Good &lt;day&gt;</v>\n\n' +
      '00:00:04.000 --> 26:00:06.250\n<v Ben>Hee!</v> <i>laughs <b>loud</b></i>\n';
    const { document } = await read(text);
    const written = toVtt(document);
    expect(written).toContain('intro\n00:00:01.500 --> 00:00:02.000\n<v Ann>Good &lt;day&gt;</v>\n');
    expect(written).toContain('26:00:06.250\n<v Ben>Hee!</v> <i>laughs </i><i><b>loud</b></i>\n');
    const again = (await read(written)).document;
    expect(again.texts).toEqual(document.texts);
  });

  test('texts cannot begin a cue or a comment', () => {
    const built = createDocument('a');
    const item = built.text('text', 'one\n\n00:00:09.000 --> 00:00:10.000\ntwo');
    item.source = [{ kind: 'track', start_time: 1, end_time: 2, identifier: 'NOTE\n\nx --> y', voice: 'A>\n\nB' }];
    expect(toVtt(built.document)).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v A&gt; B>one\n00:00:09.000 --&gt; 00:00:10.000\ntwo</v>\n',
    );
  });

  test('a document without times is rejected with the reason', () => {
    const built = createDocument('report');
    built.text('text', 'a');
    built.text('text', 'b').source = [{ kind: 'track', start_time: Number.NaN, end_time: 1 }];
    expect(() => toVtt(built.document)).toThrow(
      "'report' cannot be written as vtt: none of its texts has a start and an end time.",
    );
  });
});
