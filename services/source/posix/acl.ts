import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AppError } from '../../../model/errors';
import type { PosixAcl } from '../../../model/source/rights/posix-rights';

const run = promisify(execFile);
/** The length of a command line is limited. */
const pathsPerCall = 200;
const limits = {
  timeout: 60_000,
  maxBuffer: 64 * 1024 * 1024,
  encoding: 'buffer' as const,
};

/**
 * The access control lists of files and folders by path; paths with only mode bits are absent. Throws SOURCE_RIGHTS_UNKNOWN
 * without the program `getfacl`: the mode alone may show more rights than the owning group has.
 */
export async function readAcls(paths: readonly string[]): Promise<Map<string, PosixAcl>> {
  const acls = new Map<string, PosixAcl>();
  for (let start = 0; start < paths.length; start += pathsPerCall) {
    const requestedPaths = new Set(paths.slice(start, start + pathsPerCall));
    for (const [path, acl] of parseAcls(await runGetfacl([...requestedPaths]))) {
      // Otherwise, the list of a file whose name was parsed wrongly would be ignored.
      if (!requestedPaths.has(path))
        throw new AppError('SOURCE_RIGHTS_UNKNOWN', `getfacl reported '${path}', which was not requested.`);
      acls.set(path, acl);
    }
  }
  return acls;
}

async function runGetfacl(paths: readonly string[]): Promise<Buffer> {
  try {
    const options = ['--absolute-names', '--numeric', '--skip-base', '--no-effective', '--physical', '--access', '--'];
    return (await run('getfacl', [...options, ...paths], limits)).stdout;
  } catch (error) {
    const { code, stdout, message } = error as NodeJS.ErrnoException & { stdout?: Buffer };
    // 1: some of the files are gone. The listing will find that out, too.
    if (Number(code) === 1 && stdout) return stdout;
    const reason = code === 'ENOENT' ? 'the program getfacl is missing on the worker (package acl)' : message;
    throw new AppError(
      'SOURCE_RIGHTS_UNKNOWN',
      `The access control lists of files cannot be read: ${reason}. If there are none, set \`acl\` of the identity map to \`none\`.`,
      {},
      error,
    );
  }
}

/** Parses the output of `getfacl --numeric`. Files without extended entries have no mask and are skipped. */
export function parseAcls(output: Buffer): Map<string, PosixAcl> {
  const acls = new Map<string, PosixAcl>();
  for (const block of output.toString('latin1').split('\n\n')) {
    const lines = block.split('\n');
    const file = lines.find((line) => line.startsWith('# file: '));
    if (file === undefined) continue;
    const entries = lines.flatMap((line) => {
      const [, kind = '', id = '', bits = ''] = /^(user|group|mask|other):([^:]*):([r-][w-][x-])/.exec(line) ?? [];
      return kind === '' ? [] : [{ kind, id, bits: computeBits(bits) }];
    });
    const listNamed = (kind: string) =>
      new Map(entries.filter((entry) => entry.kind === kind && entry.id !== '').map(({ id, bits }) => [id, bits]));
    const mask = entries.find(({ kind }) => kind === 'mask')?.bits;
    const owningGroup = entries.find(({ kind, id }) => kind === 'group' && id === '')?.bits;
    if (mask === undefined || owningGroup === undefined) continue;
    acls.set(unescapeName(file.slice('# file: '.length)), {
      users: listNamed('user'),
      groups: listNamed('group'),
      owningGroup,
      mask,
    });
  }
  return acls;
}

function computeBits(text: string): number {
  return (text[0] === 'r' ? 4 : 0) + (text[1] === 'w' ? 2 : 0) + (text[2] === 'x' ? 1 : 0);
}

/** `getfacl` writes special bytes as a backslash and three octal digits, and a backslash as two. */
function unescapeName(text: string): string {
  const bytes = text.replaceAll(/\\(\\|[0-7]{3})/g, (_all, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
