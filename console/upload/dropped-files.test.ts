import { readDropped } from './dropped-files';

const file = (name: string) =>
  ({ name, isFile: true, file: (done: (file: File) => void) => done({ name } as File) }) as unknown as FileSystemEntry;

/** A folder that lists its entries two at a time. */
function folder(name: string, entries: FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    let from = 0;
    const readEntries = (done: (some: FileSystemEntry[]) => void) => {
      from += 2;
      done(entries.slice(from - 2, from));
    };
    return { readEntries };
  };
  return { name, isFile: false, createReader } as unknown as FileSystemEntry;
}

const drop = (entries: (FileSystemEntry | null)[], files: string[] = []) =>
  readDropped({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: files.map((name) => ({ name })),
  } as unknown as DataTransfer);

test('files in folders and in folders of these are read, hidden ones are not', async () => {
  const inner = folder('b', [file('3.pdf'), file('.DS_Store'), file('4.pdf')]);
  const files = await drop([file('1.pdf'), folder('a', [file('2.pdf'), inner, folder('.git', [file('config')])])]);
  expect(files.map(({ name }) => name)).toEqual(['1.pdf', '2.pdf', '3.pdf', '4.pdf']);
});

test('a drop without entries has its files', async () => {
  expect((await drop([null], ['1.pdf'])).map(({ name }) => name)).toEqual(['1.pdf']);
});
