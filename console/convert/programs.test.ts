import { execFileSync } from 'node:child_process';
import { writePrograms } from './programs';

const name = `a 'b' "c" $(d) \\e.pdf`;
const options = {
  do_ocr: true,
  ocr_lang: ["d'e", 'en'],
  page_range: [1, 2] as [number, number],
  password: 'secret-canary',
};
const all = new Map(writePrograms(name, options, 'http://127.0.0.1:1'));

test('a shell passes the name of the file to curl as it is', () => {
  const command = all.get('curl')?.replace(/^curl/, 'printf %s\\\\n') ?? '';
  const given = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n');
  expect(given).toContain(`files=@"a 'b' \\"c\\" $(d) \\\\e.pdf"`);
  expect(given).toEqual(expect.arrayContaining(['do_ocr=true', "ocr_lang=d'e", 'page_range=1', 'page_range=2']));
});

test('Python reads the program and the name', () => {
  const line =
    all
      .get('Python')
      ?.split('\n')
      .find((line) => line.startsWith('file = ')) ?? '';
  const printed = execFileSync('python3', ['-c', `${line}\nprint(file)`], { encoding: 'utf8' });
  expect(printed).toBe(`${name}\n`);
  execFileSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: all.get('Python') });
});

test('the password comes from the environment', () => {
  expect([...all.values()].join()).not.toContain('secret-canary');
  for (const text of all.values()) expect(text).toContain('PASSWORD');
});
