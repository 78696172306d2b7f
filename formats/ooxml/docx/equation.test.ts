import { parseXml } from '../../xml/xml';
import { toLatex } from './equation';

const uri = 'http://schemas.openxmlformats.org/officeDocument/2006/math';
const getLatex = (inner: string) =>
  toLatex(
    parseXml(`<m:oMath xmlns:m="${uri}">${inner}</m:oMath>`, {
      source: 'test',
      maxDepth: 50,
      prefixes: { [uri]: 'm' },
    }),
  );
const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const e = (text: string) => `<m:e>${r(text)}</m:e>`;

test.each([
  ['a fraction', `<m:f><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, '\\frac{a}{b}'],
  [
    'a fraction on a line',
    `<m:f><m:fPr><m:type m:val="lin"/></m:fPr><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`,
    '{a}/{b}',
  ],
  ['a power', `<m:sSup>${e('x')}<m:sup>${r('2')}</m:sup></m:sSup>`, 'x^{2}'],
  [
    'a power of a fraction',
    `<m:sSup><m:e><m:f><m:num>${r('1')}</m:num><m:den>${r('v')}</m:den></m:f></m:e><m:sup>${r('2')}</m:sup></m:sSup>`,
    '{\\frac{1}{v}}^{2}',
  ],
  ['both scripts', `<m:sSubSup>${e('x')}<m:sub>${r('i')}</m:sub><m:sup>${r('n')}</m:sup></m:sSubSup>`, 'x_{i}^{n}'],
  ['a square root', `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e('x')}</m:rad>`, '\\sqrt{x}'],
  ['a cube root', `<m:rad><m:deg>${r('3')}</m:deg>${e('x')}</m:rad>`, '\\sqrt[3]{x}'],
  [
    'a sum',
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e('i')}</m:nary>`,
    '\\sum_{i=1}^{n} i',
  ],
  ['brackets', `<m:d>${e('x')}</m:d>`, '\\left(x\\right)'],
  [
    'an open bracket',
    `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e('x')}</m:d>`,
    '\\left\\{x\\right.',
  ],
  ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e('x')}</m:func>`, '\\sin(x)'],
  [
    'a limit',
    `<m:func><m:fName><m:limLow>${e('lim')}<m:lim>${r('n→∞')}</m:lim></m:limLow></m:fName>${e('x')}</m:func>`,
    '\\lim_{n \\rightarrow \\infty } x',
  ],
  [
    'a matrix',
    `<m:m><m:mr>${e('a')}${e('b')}</m:mr><m:mr>${e('c')}${e('d')}</m:mr></m:m>`,
    '\\begin{matrix}a&b\\\\c&d\\end{matrix}',
  ],
  ['an accent', `<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr>${e('v')}</m:acc>`, '\\vec{v}'],
  ['a bar', `<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e('x')}</m:bar>`, '\\overline{x}'],
  ['Greek letters and signs', r('α±β'), '\\alpha \\pm \\beta'],
  ['letters of the mathematical alphabets', r('𝑎𝛽'), 'a \\beta'],
  ['signs that mean something to LaTeX', r('50% {a_b}'), '50\\% \\{a\\_b\\}'],
  ['nothing', '', ''],
])('%s', (_, omml, latex) => {
  expect(getLatex(omml)).toBe(latex);
});
