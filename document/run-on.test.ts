import { createDocument } from './builder';
import type { Formatting } from './model';
import { joinPlainText } from './pages';
import { runsOn } from './run-on';
import { toHtml } from './write/html';
import { toLatex } from './write/latex';
import { toMarkdown } from './write/markdown';
import { toText } from './write/text';

const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };
const bold = { ...plain, bold: true };
const italic = { ...plain, italic: true };
const raised = { ...plain, script: 'super' as const };

describe('runsOn', () => {
  test('white space at either end separates runs', () => {
    expect(runsOn({ text: 'jum' }, { text: 'ped' })).toBe(true);
    expect(runsOn({ text: 'jum ' }, { text: 'ped' })).toBe(false);
    expect(runsOn({ text: 'jum' }, { text: '\u00a0ped' })).toBe(false);
    expect(runsOn(undefined, { text: 'ped' })).toBe(false);
    expect(runsOn({ text: '' }, { text: 'ped' })).toBe(false);
  });

  test('a raised number does not become part of the number before it; punctuation follows it directly', () => {
    expect(runsOn({ text: '10' }, { text: '2', formatting: raised })).toBe(false);
    expect(runsOn({ text: 'the 2' }, { text: 'nd', formatting: raised })).toBe(true);
    expect(runsOn({ text: 'le 1' }, { text: 'er', formatting: raised })).toBe(true);
    expect(runsOn({ text: 'x' }, { text: 'th', formatting: raised })).toBe(false);
    expect(runsOn({ text: '10' }, { text: 'n', formatting: raised })).toBe(false);
    expect(runsOn({ text: '2', formatting: raised }, { text: '5' })).toBe(false);
    expect(runsOn({ text: '2', formatting: raised }, { text: ', and' })).toBe(true);
  });
});

type Run = [text: string, formatting?: Formatting, hyperlink?: string];

/** A paragraph of runs without white space between them. */
function paragraph(...runs: Run[]) {
  const builder = createDocument('sample');
  const group = builder.group('inline');
  for (const [index, [text, formatting = null, hyperlink = null]] of runs.entries())
    builder.text('text', text, { parent: group, formatting, hyperlink, isRunOn: index > 0 });
  return builder.document;
}

describe('writers', () => {
  test('a word with two styles stays one word, and a full stop stays at its link', () => {
    const document = paragraph(['see'], ['(', bold], ['x', bold, 'http://a.example'], ['.']);
    expect(toMarkdown(paragraph(['over'], ['joy', bold], ['ed']))).toBe('over**joy**ed');
    expect(toMarkdown(paragraph(['link', undefined, 'http://a.example'], ['.']))).toBe('[link](http://a.example).');
    expect(toText(paragraph(['over'], ['joy', bold], ['ed']))).toBe('overjoyed');
    expect(toHtml(paragraph(['over'], ['joy', bold], ['ed']))).toContain('over<strong>joy</strong>ed');
    expect(toLatex(paragraph(['over'], ['joy', bold], ['ed']))).toContain('over\\textbf{joy}ed');
    expect(joinPlainText(document, document.groups[0]!)).toBe('see(x.');
  });

  test.each<[string, Run[], string]>([
    [
      'two styles next to each other',
      [
        ['um', italic],
        ['ped', bold],
      ],
      '*um* **ped**',
    ],
    ['a style that ends with punctuation before a letter', [['(a)', bold], ['b']], '**(a)** b'],
    ['a style that ends with punctuation before punctuation', [['(a)', bold], [', b']], '**(a)**, b'],
    ['a style that ends with punctuation before a tag', [['(a)', bold], ['<b>']], '**(a)**&lt;b&gt;'],
    ['a style that starts with punctuation after a letter', [['a'], ['(b)', bold]], 'a **(b)**'],
    ['an exclamation mark before a link', [['Hi!'], ['a', undefined, 'http://a.example']], 'Hi! [a](http://a.example)'],
    ['an asterisk of the text before a letter', [['5*'], ['a', bold]], '5* **a**'],
  ])('Markdown keeps a blank where the marks would not be read: %s', (_, runs, expected) => {
    expect(toMarkdown(paragraph(...runs))).toBe(expected);
  });
});
