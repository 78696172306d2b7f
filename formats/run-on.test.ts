import { toMarkdown } from '../document';
import { convertBytes } from './convert';
import { flatOdf } from './odf/test-support';
import { wordFile } from './ooxml/test-support';

const wordRun = (text: string, look = '') => `<w:r><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const automatic =
  '<office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>';

const files: readonly (readonly [string, Uint8Array])[] = [
  [
    'a.docx',
    wordFile(
      `<w:p>${wordRun('over')}${wordRun('joy', '<w:b/>')}${wordRun('ed, or')}${wordRun(' not', '<w:b/>')}</w:p>`,
    ),
  ],
  ['a.html', Buffer.from('<p>over<b>joy</b>ed, or<b> not</b></p>')],
  ['a.rtf', Buffer.from('{\\rtf1\\ansi over{\\b joy}ed, or{\\b  not}\\par}')],
  [
    'a.fodt',
    Buffer.from(
      Buffer.from(
        flatOdf(
          'text',
          '<text:p>over<text:span text:style-name="B">joy</text:span>ed, or<text:span text:style-name="B"> not</text:span></text:p>',
        ),
      )
        .toString()
        .replace('<office:body>', `${automatic}<office:body>`),
    ),
  ],
];

test.each(files)('a word that is partly bold stays one word: %s', async (name, bytes) => {
  expect(toMarkdown((await convertBytes({ bytes, name })).document)).toBe('over**joy**ed, or **not**');
});

test.each(files)('the reference separates all styles by blanks: %s', async (name, bytes) => {
  const { document } = await convertBytes({ bytes, name, profile: 'reference' });
  expect(document.texts.every(({ meta }) => meta === null)).toBe(true);
  expect(toMarkdown(document)).toMatch(/^over \*\*joy\*\* ed, or +\*\*/);
});
