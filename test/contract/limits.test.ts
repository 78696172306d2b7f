import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSource, readSources, type SourceFile } from '../support/code/source-files';

// The limits of CONTRIBUTING. limits.json lists the current violations and may only shrink: both a new violation and an
// obsolete entry fail this test.
const root = path.join(__dirname, '..', '..');
const listed = JSON.parse(readFileSync(path.join(__dirname, 'limits.json'), 'utf8')) as Record<string, string[]>;
const files = readSources(root);
const isTest = ({ name }: SourceFile) => name.endsWith('.test.ts') || name.startsWith('test/');
const product = files.filter((file) => !isTest(file));

const found: Record<string, string[]> = {
  'files of more than 400 lines': product.filter(({ lines }) => lines.length > 400).map(({ name }) => name),
  'functions of more than 60 lines': product.flatMap(({ name, functions }) =>
    functions.filter(({ lines }) => lines > 60).map((size) => `${name} ${size.name}`),
  ),
  'functions with more than four parameters': product.flatMap(({ name, functions }) =>
    functions.filter(({ parameters }) => parameters > 4).map((size) => `${name} ${size.name}`),
  ),
  'folders with more than 30 files': foldersOver(30),
  'circles of imports': findCircles(product, ({ typeOnly }) => !typeOnly),
  'circles of imports that types close': findCircles(product, () => true),
};

test.each(Object.entries(found))('no %s except those listed', (value, names) => {
  expect([...new Set(names)].toSorted()).toEqual(listed[value]);
});

function foldersOver(most: number): string[] {
  const counts = new Map<string, number>();
  for (const { name } of files) counts.set(path.posix.dirname(name), (counts.get(path.posix.dirname(name)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder]) => folder);
}

/** The path as imports name it. */
function getModule({ name }: Pick<SourceFile, 'name'>): string {
  return name.replace(/\.tsx?$/, '');
}

/** The groups of files that reach each other by imports, each as its members in order. */
function findCircles(among: readonly SourceFile[], counts: (item: SourceFile['imports'][number]) => boolean): string[] {
  const known = new Set(among.map(getModule));
  const targets = new Map(
    among.map((file) => [
      getModule(file),
      file.imports
        .filter((item) => item.specifier.startsWith('.') && counts(item))
        .map((item) => path.posix.join(path.posix.dirname(file.name), item.specifier))
        .map((target) => (known.has(target) ? target : `${target}/index`))
        .filter((target) => known.has(target)),
    ]),
  );
  return getGroups(targets)
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted().join(', '));
}

/** The strongly connected components of a graph (Tarjan 1972). */
function getGroups(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (name: string) => {
    const place = order.size;
    order.set(name, place);
    low.set(name, place);
    stack.push(name);
    for (const target of targets.get(name) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(name, Math.min(low.get(name) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(name) === place) groups.push(stack.splice(stack.indexOf(name)));
  };
  for (const name of targets.keys()) if (!order.has(name)) visit(name);
  return groups;
}

test('a circle of screens is found like one of other files', () => {
  const files = [
    parseSource('console/a.tsx', "import { b } from './b';\nexport const a = () => <p>{b()}</p>;"),
    parseSource('console/b.tsx', "import { a } from './a';\nexport const b = () => a;"),
  ];
  expect(findCircles(files, () => true)).toEqual(['console/a, console/b']);
});
