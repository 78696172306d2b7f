import { toHtml } from './storage-format';

const getBody = (storage: string) => /<\/h1>\n(.*)\n<\/body>/s.exec(toHtml('T', storage))?.[1];

test('paragraphs, tables and entities stay; the title is escaped', () => {
  expect(getBody('<p>Caf&eacute; <strong>A &amp; B</strong></p>')).toBe(
    '<p>Caf&eacute; <strong>A &amp; B</strong></p>',
  );
  expect(toHtml('<b>A & B</b>', '')).toContain('<h1>&lt;b&gt;A &amp; B&lt;/b&gt;</h1>');
});

test('code blocks keep their text, and settings of macros are left out', () => {
  const code =
    '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">js</ac:parameter><ac:plain-text-body><![CDATA[if (a < b && c) { "</pre>" }]]></ac:plain-text-body></ac:structured-macro>';
  expect(getBody(code)).toBe('<pre>if (a &lt; b &amp;&amp; c) { "&lt;/pre&gt;" }</pre>');
});

test('a macro that includes another page adds neither its content nor its name', () => {
  const include =
    '<p>a</p><ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Secret"/></ac:link></ac:parameter></ac:structured-macro><p>b</p>';
  expect(getBody(include)).toBe('<p>a</p><p>b</p>');
});

test('links keep their text, tasks become a list, and nested settings end where they should', () => {
  expect(getBody('<ac:link><ri:page ri:content-title="X"/><ac:link-body>text</ac:link-body></ac:link>')).toBe('text');
  expect(
    getBody(
      '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-body>do it</ac:task-body></ac:task></ac:task-list>',
    ),
  ).toBe('<ul><li>do it</li></ul>');
  expect(getBody('<ac:parameter>x<ac:parameter>y</ac:parameter>z</ac:parameter>end')).toBe('end');
});

test('broken markup is closed, and text in it does not become an element', () => {
  for (const text of ['<', '<p', '<![CDATA[', '<!--', '<ac:parameter>', '< a', '</', '<p>'.repeat(10)])
    expect(typeof getBody(text)).toBe('string');
  expect(getBody('1 < 2')).toBe('1 &lt; 2');
});

test('a page of a million open brackets is converted quickly', () => {
  expect(getBody('<'.repeat(1_000_000))).toHaveLength(4_000_000);
  expect(getBody('<![CDATA['.repeat(100_000))).not.toContain('<![CDATA[');
  expect(getBody('<ac:parameter>'.repeat(100_000))).toBe('');
});
