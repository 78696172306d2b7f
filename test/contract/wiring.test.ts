import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSources } from '../support/code/source-files';

const root = path.join(__dirname, '..', '..');

describe('unit tests', () => {
  const sources = new Map(readSources(root).map((file) => [file.name.replace(/\.tsx?$/, ''), file]));

  /** Every file that the file imports, directly or not. */
  function listReached(name: string, reached = new Set<string>()): Set<string> {
    const file = sources.get(name);
    if (!file || reached.has(name)) return reached;
    reached.add(name);
    for (const { specifier } of file.imports.filter((item) => item.specifier.startsWith('.'))) {
      const target = path.posix.join(path.posix.dirname(file.name), specifier);
      listReached(sources.has(target) ? target : `${target}/index`, reached);
    }
    return reached;
  }

  test('reach no benchmark', () => {
    const unitTests = [...sources.keys()].filter((name) => /\.test$/.test(name) && !/^(?:test|bench)\//.test(name));
    expect(unitTests.length).toBeGreaterThan(500);
    const reaching = unitTests.filter((name) => [...listReached(name)].some((reached) => reached.startsWith('bench/')));
    expect(reaching).toEqual([]);
  });
});

describe('the services of a process', () => {
  // Sources with and without hidden folders, and limits of different requests, are several on purpose.
  const several = ['createSources', 'createLoginLimit'];

  test.each(['api/connect.ts', 'activities/services.ts'])('%s creates each of them once', (name) => {
    const text = readFileSync(path.join(root, name), 'utf8').replaceAll(/^(?:import|function) [^;{]+/gm, '');
    const created = [...text.matchAll(/\b(create[A-Z]\w+)\(/g)].map(([, called]) => called ?? '');
    expect(created.length).toBeGreaterThan(30);
    const repeated = created.filter((called, index) => created.indexOf(called) !== index);
    expect(repeated.filter((called) => !several.includes(called))).toEqual([]);
  });
});
