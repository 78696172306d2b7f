/** The files of a drop, including those in folders. Hidden files, such as `.DS_Store`, are left out of folders. */
export async function readDropped({ items, files }: Pick<DataTransfer, 'items' | 'files'>): Promise<File[]> {
  // Entries exist only until the first await.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files];
  return (await Promise.all(entries.map((entry) => readEntry(entry)))).flat();
}

async function readEntry(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  const files: File[] = [];
  for (const inner of await listFolder(entry as FileSystemDirectoryEntry))
    if (!inner.name.startsWith('.')) files.push(...(await readEntry(inner)));
  return files;
}

/** Browsers return up to 100 entries at a time, and an empty list at the end. */
async function listFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
