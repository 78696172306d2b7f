import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';
import { defaultLimits } from '../format';
import { read } from './read';

const readText = (text: string, name = 'talk.vtt') => read(Buffer.from(text), { name, limits: defaultLimits });
const getTexts = async (text: string, name?: string) => (await readText(text, name)).texts.map((item) => item.text);

describe('WebVTT', () => {
  test('a cue is a text with its times, speaker and identifier', async () => {
    const { texts, name } = await readText(
      'WEBVTT - Talk\n\nintro\n01:00:00.500 --> 01:00:02.000 align:start\n<v.loud Mary &amp; Ann>Good\nday!\n',
    );
    expect(name).toBe('talk');
    expect(texts[0]).toMatchObject({ label: 'title', text: 'Talk' });
    expect(texts.map(({ text }) => text)).toEqual(['Talk', 'Good', 'day!']);
    expect(texts.slice(1, 2)).toMatchObject([
      {
        source: [{ kind: 'track', start_time: 3600.5, end_time: 3602, identifier: 'intro', voice: 'Mary & Ann' }],
      },
    ]);
  });

  test('a cue with several styles or voices is a group of runs that keeps the blanks between them', async () => {
    const document = await readText('WEBVTT\n\n00:04.000 --> 00:06.000\n<v Esme>Hee!</v> <i>laughs <b>loud</b></i>\n');
    expect(document.groups).toMatchObject([{ label: 'inline', name: 'WebVTT cue span' }]);
    expect(document.texts.map(({ text }) => text)).toEqual(['Hee!', ' ', 'laughs ', 'loud']);
    expect(document.texts[3]!.formatting).toMatchObject({ bold: true, italic: true });
    expect(document.texts.map(({ source }) => (source?.[0] as { voice?: string } | undefined)?.voice)).toEqual([
      'Esme',
      undefined,
      undefined,
      undefined,
    ]);
    expect(toMarkdown(document)).toContain('***loud***');
  });

  test('lines before the first style are separate texts, a line with styles is a group', async () => {
    const document = await readText('WEBVTT\n\n00:04.000 --> 00:06.000\n- a\n- b\n<v Ann>c</v>\n<v Bo>d</v>\n');
    expect(document.texts.map(({ text, parent }) => [text, parent?.$ref])).toEqual([
      ['- a', '#/body'],
      ['- b', '#/body'],
      ['c', '#/groups/0'],
      ['d', '#/groups/0'],
    ]);
  });

  test('a megabyte of blanks is read in time', async () => {
    const blanks = ' '.repeat(1_000_000);
    expect(await getTexts(`WEBVTT\n\n00:04.000 --> 00:06.000\na${blanks}b <i>c</i>\n`)).toHaveLength(2);
  });

  test('notes, styles, regions and blocks without times are not cues', async () => {
    const text =
      'WEBVTT\n\nNOTE a --> b\n00:01.000 --> 00:02.000\nnot said\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\n' +
      'words only\n\n00:01.000 --> nonsense\nno\n\n00:02.000 --> 00:03.000\nsaid\n';
    expect(await getTexts(text)).toEqual(['said']);
  });

  test('classes, languages and times within a cue are dropped, other tags and numbers are kept', async () => {
    const text =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red>a</c> <lang en>b</lang> <00:01.500>c <x>d</x> 1 < 2 &lt;e&gt; &#65;&#x42;&unknown;\n';
    expect(await getTexts(text)).toEqual(['a b c <x>d</x> 1 < 2 <e> AB&unknown;']);
  });

  test('a file with only the header is an empty document', async () => {
    expect(await getTexts('WEBVTT\n')).toEqual([]);
  });

  test('a cue of 200,000 unclosed tags is read in linear time', async () => {
    const text = `WEBVTT\n\n00:01.000 --> 00:02.000\n${'word <b><i>'.repeat(200_000)}\n`;
    const started = process.cpuUsage();
    const texts = await getTexts(text);
    const { user } = process.cpuUsage(started);
    expect(texts.map((part) => part.length)).toEqual([5, 200_000 * 5 - 6]);
    expect(user / 1e6).toBeLessThan(20);
  });

  test('a tag of 150,000 spaces that never ends is read in linear time', async () => {
    const text = `WEBVTT\n\n00:01.000 --> 00:02.000\n<b${' '.repeat(150_000)}x\n`;
    const started = process.cpuUsage();
    await getTexts(text);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
  });
});

describe('SubRip', () => {
  test('cues have times with commas, numbers and tags', async () => {
    const { texts } = await readText(
      '\ufeff1\r\n00:00:01,000 --> 00:00:02,250\r\n<i>First</i>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n- Two\r\nlines\r\n',
      'film.srt',
    );
    expect(texts).toMatchObject([
      { text: 'First', formatting: { italic: true }, source: [{ start_time: 1, end_time: 2.25, identifier: '1' }] },
      { text: '- Two lines', source: [{ start_time: 3, identifier: '2' }] },
    ]);
  });

  test('a file without times is rejected', async () => {
    expect(() => readText('Only words.', 'film.srt')).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }));
  });
});

test('times start a cue even without an empty line before them', async () => {
  const cues = async (text: string, name: string) =>
    (await convertBytes({ bytes: new TextEncoder().encode(text), name })).document.texts.map((item) => [
      item.text,
      (item.source as { start_time: number }[] | undefined)?.[0]?.start_time,
    ]);
  expect(
    await cues('WEBVTT\n\n00:01.000 --> 00:02.000\none\n00:02.000 --> 00:03.000\ntwo --> three\n', 'a.vtt'),
  ).toEqual([
    ['one', 1],
    ['two --> three', 2],
  ]);
  expect(await cues('1\n00:00:01,000 --> 00:00:02,000\none\n2\n00:00:02,000 --> 00:00:03,000\ntwo\n', 'a.srt')).toEqual(
    [
      ['one', 1],
      ['two', 2],
    ],
  );
});
