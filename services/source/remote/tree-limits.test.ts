import { createFolderLimit, type Tree, type TreeNode, walkTree } from './tree';

test('portions without entries are counted: a server could send them endlessly', () => {
  const check = createFolderLimit('/a');
  for (let count = 0; count < 1_000_000; count += 1) check([]);
  expect(() => check([])).toThrow(/more than 1000000 files/);
});

test('names count together, however short the list is', () => {
  const check = createFolderLimit('/a');
  check([{ name: 'x'.repeat(60 * 1024 * 1024) }]);
  expect(() => check([{ name: 'x'.repeat(5 * 1024 * 1024) }])).toThrow(/characters together/);
});

/** Each folder holds a subfolder and one long name. */
function createNarrowTree(characters: number): Tree {
  const nodes: TreeNode[] = [
    { name: 'a', kind: 'folder' },
    { name: `z${'x'.repeat(characters)}`, kind: 'other' },
  ];
  return {
    source: 'test',
    root: '/',
    list: async () => nodes,
    readSidecar: async () => undefined,
    buildPath: (file) => file.slice(0, 20),
  };
}

const walk = async (tree: Tree) => {
  let count = 0;
  const settings = { recursive: true, ignoreHidden: false, include: [], exclude: [] };
  for await (const _entry of walkTree(tree, settings, new AbortController().signal)) count += 1;
  return count;
};

test('the names of nested folders are in memory together, and are limited together', async () => {
  await expect(walk(createNarrowTree(10 * 1024 * 1024))).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  expect(await walk(createNarrowTree(1_000))).toBeGreaterThan(100);
});

test('folders count too, so that folders of folders without a document end', async () => {
  const tens = Array.from({ length: 10 }, (_, index): TreeNode => ({ name: `${index}`, kind: 'folder' }));
  let lists = 0;
  const tree: Tree = {
    ...createNarrowTree(1),
    list: async (folder) => {
      lists += 1;
      if (lists > 1_100_000) throw new Error('the listing does not end');
      return folder.split('/').length > 20 ? [] : tens;
    },
  };
  await expect(walk(tree)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
}, 60_000);
