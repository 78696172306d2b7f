import { convertBytes } from '../convert';

const convert = (inner: string, attributes = 'viewBox="10 0 200 100"', name = 'a.svg') =>
  convertBytes({ bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`), name });

test('title, description, and texts are read row by row at their transformed positions', async () => {
  const { document, format, pages } = await convert(
    '<title>Plan</title><desc>How it works</desc><style>.a{}</style><defs><text>unseen</text></defs>' +
      '<g transform="translate(100 0)"><text x="20" y="40" font-size="10">right</text></g>' +
      '<text x="20" y="42" font-size="10">left <tspan font-weight="bold">bold</tspan></text>' +
      '<text transform="matrix(2 0 0 2 0 0)" x="10" y="40" font-size="5"><tspan x="10">one</tspan><tspan x="10" dy="6">two</tspan></text>' +
      '<text display="none">hidden</text>' +
      '<foreignObject x="0" y="90"><div xmlns="http://www.w3.org/1999/xhtml">in a <b>box</b></div></foreignObject>',
    undefined,
    'drawing.xml',
  );
  expect([format, pages]).toEqual(['svg', 1]);
  expect(document.texts.map(({ text }) => text)).toEqual([
    'Plan',
    'How it works',
    'left bold',
    'right',
    'one\ntwo',
    'in a box',
  ]);
  expect(document.pages['1']!.size).toEqual({ width: 200, height: 100 });
  expect(document.texts[3]!.prov[0]!.bbox).toMatchObject({ l: 110, t: 30, b: 40 });
  expect(document.texts[4]!.prov[0]!.bbox).toMatchObject({ l: 10, t: 70, b: 80 });
});

test('endlessly nested groups are rejected, and entities are not expanded', async () => {
  const deep = '<g>'.repeat(2000) + '</g>'.repeat(2000);
  await expect(convert(deep)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  const bytes = Buffer.from(
    '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>a&x;</text></svg>',
  );
  const outcome = await convertBytes({ bytes, name: 'a.svg' }).then(
    ({ document }) => document.texts.map(({ text }) => text).join(),
    ({ code }: { code: string }) => code,
  );
  expect(outcome).not.toContain('root:');
});
