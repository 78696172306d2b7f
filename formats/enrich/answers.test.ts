import { parseChart, parseCode, isNoChart, readLanguage, extractLatex, readPredictions } from './answers';

test.each([
  ['bar_chart', [{ class_name: 'bar_chart' }]],
  ['This is a **pie chart**.', [{ class_name: 'pie_chart' }]],
  ['Geographical map', [{ class_name: 'geographical_map' }]],
  ['{"class_name": "logo", "confidence": 0.93}', [{ class_name: 'logo', confidence: 0.93 }]],
  ['```json\n{"label": "Line Chart", "score": "88"}\n```', [{ class_name: 'line_chart', confidence: 0.88 }]],
  ['[{"class":"icon","confidence":0.2},{"class":"logo","confidence":0.7}]', [{ class_name: 'logo', confidence: 0.7 }, { class_name: 'icon', confidence: 0.2 }]], // prettier-ignore
  ['{"predictions":["stamp"]}', [{ class_name: 'stamp' }]],
  ['{"class_name": "unicorn"}', []],
  ['it may be a logo or an icon', []],
  ['I cannot help with that.', []],
  ['{"class_name": ', []],
])('picture classes in %j', (answer, expected) => {
  expect(readPredictions(answer)).toEqual(expected);
});

const cells = (answer: string) => parseChart(answer)?.chart_data.table_cells.map(({ text }) => text);
test.each([
  ['Markdown', '## Sales\n\n| year | sold |\n|---|---|\n| 2024 | 7 |'],
  [
    'a fence with text around it',
    'Here is the data:\n```markdown\n| year | sold |\n|---|---|\n| 2024 | 7 |\n```\nDone.',
  ],
  [
    'HTML',
    '<table><caption>Sales</caption><tr><th>year</th><th>sold</th></tr><tr><td>2024</td><td>7</td></tr></table>',
  ],
  ['DocTags', '<chart><bar_chart><ched>year<ched>sold<nl><fcel>2024<fcel>7<nl></chart>'],
  ['OTSL alone', '<ched>year<ched>sold<nl><fcel>2024<fcel>7<nl>'],
  ['CSV', '```csv\nyear,sold\n2024,7\n```'],
  ['lines with semicolons', 'year;sold\n2024;7'],
])('chart data as %s', (_name, answer) => {
  expect(cells(answer)).toEqual(['year', 'sold', '2024', '7']);
  expect(parseChart(answer)?.chart_data.table_cells[0]?.column_header).toBe(true);
});

test('the title of a chart, if the answer has one', () => {
  expect(parseChart('## Sales\n\n| a | b |\n|---|---|\n| 1 | 2 |')?.title).toBe('Sales');
  expect(parseChart('Title: Sales\n\n| a | b |\n|---|---|\n| 1 | 2 |')?.title).toBe('Sales');
  expect(parseChart('| a | b |\n|---|---|\n| 1 | 2 |')).not.toHaveProperty('title');
});

test.each(['The bars rise from left to right, and the last is highest.', '| a | b |\n|---|---|', '', '{"a": 1}'])(
  'no chart data in %j',
  (answer) => {
    expect(parseChart(answer)).toBeUndefined();
  },
);

test('answers that a picture is not a chart', () => {
  expect(['none', 'None.', 'No chart in this picture', 'This image is not a chart.'].map(isNoChart)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['| none | a |', 'nonetheless', '12'].map(isNoChart)).toEqual([false, false, false]);
});

test.each([
  ['```python\ndef f():\n    return 1\n```', { text: 'def f():\n    return 1', language: 'Python' }],
  ['```\nx = 1\n```', { text: 'x = 1' }],
  ['<code><loc_1><loc_2><loc_3><loc_4><_C++_>int x;</code>', { text: 'int x;', language: 'C++' }],
  ['<_JavaScript_>\nlet x', { text: 'let x', language: 'JavaScript' }],
  ['    indented\n  less', { text: '    indented\n  less' }],
  ['```sql\nselect 1', { text: 'select 1', language: 'SQL' }],
])('code in %j', (answer, expected) => {
  expect(parseCode(answer)).toEqual(expected);
});

test('a language in a short answer', () => {
  expect(['Python', '`typescript`', 'C#.', 'no idea'].map(readLanguage)).toEqual([
    'Python',
    'TypeScript',
    'C#',
    undefined,
  ]);
});

test.each([
  ['a^2 + b^2', 'a^2 + b^2'],
  ['$$\\frac{1}{2}$$', '\\frac{1}{2}'],
  ['```latex\n\\[ x = 1 \\]\n```', 'x = 1'],
  ['The formula is $$ e = mc^2 $$ as known.', 'e = mc^2'],
  ['<formula><loc_1><loc_2><loc_3><loc_4>\\alpha</formula>', '\\alpha'],
  ['\\(y\\)', 'y'],
  ['$y$', 'y'],
  ['$a$ and $b$', '$a$ and $b$'],
  ['', ''],
])('the formula in %j', (answer, expected) => {
  expect(extractLatex(answer)).toBe(expected);
});
