import { mathToLatex } from './mathml';
import { parseXml } from './xml';

const latex = (inner: string) => mathToLatex(parseXml(`<math>${inner}</math>`, { source: 'math', maxDepth: 100 }));

test.each([
  ['<mfrac><mi>a</mi><msqrt><mi>c</mi></msqrt></mfrac>', '\\frac{a}{\\sqrt{c}}'],
  ['<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>', 'x_{i}^{2}'],
  ['<mi>α</mi><mo>≤</mo><mn>1</mn>', '\\alpha \\le 1'],
  ['<mover><mi>r</mi><mo>→</mo></mover>', '\\vec{r}'],
  ['<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>', '\\sum_{i}^{n}'],
  ['<mi>sin</mi><mi>x</mi>', '\\sin x'],
  ['<semantics><mi>x</mi><annotation>y</annotation></semantics>', 'x'],
  ['<mtext>where</mtext>', '\\text{where}'],
])('%s is %s', (math, expected) => {
  expect(latex(math)).toBe(expected);
});
