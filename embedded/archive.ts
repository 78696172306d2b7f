import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Download, download } from './download';
import type { Context, InstallStep } from './server';
import { createServerError } from './server';
import { findTool, runTool } from './tools';

/** Downloads a .tar.gz and unpacks it into the folder, without a single top-level folder that contains everything. */
export async function fetchArchive(title: string, file: Download, folder: string, context: Context): Promise<void> {
  const archive = path.join(folder, 'download.tar.gz');
  const unpacked = path.join(folder, 'unpacked');
  await download(title, file, archive, { log: context.log });
  mkdirSync(unpacked);
  await runTool(title, ['tar', '-xzf', archive, '-C', unpacked], context);
  rmSync(archive);
  const names = readdirSync(unpacked);
  const root =
    names.length === 1 && readdirSync(unpacked, { withFileTypes: true })[0]?.isDirectory()
      ? path.join(unpacked, names[0] as string)
      : unpacked;
  for (const name of readdirSync(root)) renameSync(path.join(root, name), path.join(folder, name));
  rmSync(unpacked, { recursive: true, force: true });
}

/** A step that downloads a release archive; none if the vendor publishes none for this platform. */
export function createArchiveStep(
  title: string,
  file: Download | undefined,
  size: string,
  time: string,
): InstallStep[] {
  if (!file) return [];
  const run = (folder: string, context: Context): Promise<void> => fetchArchive(title, file, folder, context);
  return [
    {
      origin: 'download',
      text: `downloading ${new URL(file.url).host}${new URL(file.url).pathname.replace(/^.*\//, '/…/')}`,
      size,
      time,
      needs: [],
      asks: [file.checksumUrl ?? file.url],
      run,
    },
  ];
}

/** A step that builds one program of a Go module into the folder. */
export function createGoStep(title: string, program: string, size: string, time: string): InstallStep {
  const run = async (folder: string, context: Context): Promise<void> => {
    const go = findTool('go', context.env)?.path;
    if (!go) throw createServerError(title, 'go is no longer on PATH');
    await runTool(title, [go, 'install', program], context, { env: { GOBIN: folder } });
  };
  return { origin: 'build', text: `building with 'go install ${program}'`, size, time, needs: ['go'], run };
}
