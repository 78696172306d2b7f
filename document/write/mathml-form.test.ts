import { toMathml } from './mathml';

const inside = (tex: string) => /<mrow>(.*)<\/mrow><annotation/s.exec(toMathml(tex, 'block') ?? '')?.[1];
const bracketed = (inner: string) => `<mo stretchy="false">&#x00028;</mo>${inner}<mo stretchy="false">&#x00029;</mo>`;

test.each([
  ['signs are numbered, letters are not', 'a=\\pi', '<mi>a</mi><mo>&#x0003D;</mo><mi>&#x003C0;</mi>'],
  ['brackets are beside what they enclose', 'f(x)', `<mi>f</mi>${bracketed('<mi>x</mi>')}`],
  [
    'a script belongs to the closing bracket',
    '(x)^2',
    '<mo stretchy="false">&#x00028;</mo><mi>x</mi><msup><mo stretchy="false">&#x00029;</mo><mn>2</mn></msup>',
  ],
  ['braces of scripts are groups', 'r^{2}_0', '<msubsup><mi>r</mi><mn>0</mn><mrow><mn>2</mn></mrow></msubsup>'],
  [
    'primes are scripts without a sign',
    "x'_{1}",
    '<msubsup><mi>x</mi><mrow><mn>1</mn></mrow><mo>&#x02032;</mo></msubsup>',
  ],
  [
    'parts of fractions and roots are groups',
    '\\frac{1}{\\sqrt{x}}',
    '<mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mi>x</mi></mrow></msqrt></mrow></mfrac>',
  ],
  ['numbers in a row are parted', '0,1.5', '<mn>0</mn><mo>&#x0002C;</mo><mn>1.5</mn>'],
  ['names that take limits are operators', '\\max a', '<mo>max</mo><mi>a</mi>'],
  ['other names are not', '\\sin a', '<mi>sin</mi><mi>a</mi>'],
  ['one line of an environment is not a table', '\\begin{eqnarray}a.\\end{eqnarray}', '<mi>a</mi><mo>&#x0002E;</mo>'],
  [
    'stretching brackets are marked as such',
    '\\left(a\\right)',
    '<mo stretchy="true" fence="true" form="prefix">&#x00028;</mo><mi>a</mi><mo stretchy="true" fence="true" form="postfix">&#x00029;</mo>',
  ],
])('%s', (_name, tex, expected) => {
  expect(inside(tex)).toBe(expected);
});

test('text keeps its markup characters', () => {
  expect(inside('\\text{a<b \\& c}')).not.toMatch(/<b|& /);
});
