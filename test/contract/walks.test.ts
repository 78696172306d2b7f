import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSources } from '../support/code/source-files';

// docs/architecture.md lists the files that three requests pass through. Each step is a file that an earlier step imports,
// unless the page explains another link; the path goes down the floors, and up only when the page says that a call returns.
const root = path.join(__dirname, '..', '..');
const page = readFileSync(path.join(root, 'docs', 'architecture.md'), 'utf8');
const imports = new Map(
  readSources(root).map((file) => [
    file.name,
    file.imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => path.posix.join(path.posix.dirname(file.name), specifier)),
  ]),
);
const floors = ['api', 'workflows', 'activities', 'operators', 'services', 'threads', 'formats', 'document', 'model'];
const getFloor = (file: string) => floors.indexOf(file.split('/')[0] ?? '');

interface Step {
  number: number;
  file: string;
  /** How the way leads here if not by an import. */
  how?: string;
}

const walks = page
  .split(/^## /m)
  .map((section) => ({ title: section.split('\n')[0] ?? '', steps: getSteps(section) }))
  .filter(({ steps }) => steps.length > 0);

function getSteps(section: string): Step[] {
  return [...section.matchAll(/^(\d+)\. `([^`]+)`(?: \*\(([^)]+)\)\*)?: \S/gm)].map(([, number, file = '', how]) => ({
    number: Number(number),
    file,
    how,
  }));
}

test('the page shows three ways to install, none longer than its limit', () => {
  const most = [14, 12, 20];
  expect(walks).toHaveLength(most.length);
  expect(walks.filter(({ steps }, index) => steps.length > (most[index] ?? 0))).toEqual([]);
});

describe.each(walks)('$title', ({ steps }) => {
  test('the steps are numbered one by one', () => {
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_step, index) => index + 1));
  });

  test.each(steps)('$number. $file exists and is reachable', ({ number, file, how }) => {
    expect([...imports.keys()]).toContain(file);
    const earlier = steps.slice(0, number - 1);
    const before = earlier.at(-1);
    if (!before) return;
    const isImported = earlier.some((step) =>
      imports.get(step.file)?.some((target) => [`${target}.ts`, `${target}/index.ts`].includes(file)),
    );
    const leap = /^(over|behind|from the list|next activity)/.test(how ?? '');
    const isReturn = how?.startsWith('back in') ?? false;
    expect({ file, isReached: isImported || leap }).toEqual({ file, isReached: true });
    const mayClimb = leap || isReturn;
    expect({ file, climbs: getFloor(file) < getFloor(before.file) && !mayClimb }).toEqual({ file, climbs: false });
  });
});
