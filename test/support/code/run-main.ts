import { main } from '../../../cli/main';

/** Runs `docloom` in this process. Returns its exit code and what it wrote to standard output and standard error. */
export async function runMain(...argv: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const text = { out: '', err: '' };
  const [out, err] = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)];
  process.stdout.write = (chunk) => Boolean((text.out += String(chunk)));
  process.stderr.write = (chunk) => Boolean((text.err += String(chunk)));
  process.exitCode = 0;
  try {
    await main(['node', 'docloom', ...argv]);
    return { code: process.exitCode, ...text };
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
    process.stdout.removeAllListeners('error');
    process.exitCode = 0;
  }
}
