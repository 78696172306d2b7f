import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// The package docloom-convert as people meet it: packed, and installed by npm into an empty project.
const root = path.join(__dirname, '..', '..');
const { packConvert } = require(path.join(root, 'scripts', 'pack-convert.js')) as {
  packConvert: (folder: string) => { manifest: { dependencies: Record<string, string> } };
};
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-package-'));
const project = path.join(folder, 'project');
const documents = path.join(root, 'samples', 'documents', 'finance');

beforeAll(() => {
  const packed = path.join(folder, 'docloom-convert');
  packConvert(packed);
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  npm(packed, 'pack', '--silent', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{"name": "example", "private": true}');
  npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', path.join(folder, archive));
  copyFileSync(path.join(documents, 'supply-contract.docx'), path.join(project, 'contract.docx'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function type(command: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

function megabytesIn(place: string): number {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0) / 1e6;
}

test('it takes less than 60 MB and converts', () => {
  expect(megabytesIn(path.join(project, 'node_modules'))).toBeLessThan(60);
  expect(type('npx', ['docloom-convert', 'contract.docx', '--to', 'md,json,html'])).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(project, 'contract.md'), 'utf8')).toContain('# Framework Supply Contract');
  expect(type('npx', ['docloom-convert', '--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d/),
  });
});

test('a feature whose package is not installed names the package', () => {
  const chunks = type('npx', ['docloom-convert', 'contract.docx', '--to', 'chunks']);
  expect(chunks.code).toBe(3);
  expect(chunks.stdout).toContain('npm install gpt-tokenizer.');
});

const program = `
const report = await convert(await readFile('contract.docx'), 'contract.docx');
console.log(report.format, report.toMarkdown().split('\\n')[0]);
await convert('none', 'broken.docx').catch((error) => console.log(error.code));
`;
const printed = 'docx # Framework Supply Contract\nDOCUMENT_CORRUPT\n';

test('programs of ES modules, of CommonJS and of TypeScript use the library', () => {
  const imports = `import { readFile } from 'node:fs/promises';\nimport { convert } from 'docloom-convert';\n`;
  writeFileSync(path.join(project, 'program.mjs'), imports + program);
  expect(type(process.execPath, ['program.mjs'])).toEqual({ code: 0, stdout: printed, stderr: '' });
  const same = imports.replace('docloom-convert', 'docloom-convert/formats');
  writeFileSync(path.join(project, 'same.mjs'), same + program);
  expect(type(process.execPath, ['same.mjs'])).toEqual({ code: 0, stdout: printed, stderr: '' });
  const requires = `const { readFile } = require('node:fs/promises');\nconst { convert } = require('docloom-convert');\n`;
  writeFileSync(path.join(project, 'program.cjs'), `${requires}(async () => {${program}})();`);
  expect(type(process.execPath, ['program.cjs'])).toEqual({ code: 0, stdout: printed, stderr: '' });
  writeFileSync(
    path.join(project, 'program.mts'),
    `import { convert, type Conversion } from 'docloom-convert';
import { toMarkdown } from 'docloom-convert/document';
const read: Conversion = await convert('# Title', 'note.md');
export const text: string = toMarkdown(read.document);
// @ts-expect-error a document has a name
await convert('# Title');
`,
  );
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--skipLibCheck',
    'program.mts',
  ];
  const checked = type(process.execPath, [path.join(root, 'node_modules', '.bin', 'tsc'), ...options]);
  expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('its code loads no undeclared package', () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(project, 'node_modules', 'docloom-convert', 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  expect(Object.keys(peerDependencies ?? {})).toContain('sharp');
  const heavy = /^(@temporalio|mongodb|@opensearch|koa|@aws-sdk|@duckdb|@swc)/;
  expect(Object.keys(dependencies ?? {}).filter((name) => heavy.test(name))).toEqual([]);
});
