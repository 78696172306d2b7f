import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readCacheFolder } from '../../embedded/paths';

const helmVersion = 'v3.22.0';
const validateVersion = '1.37.0';
const temporalVersion = 'v1.29.1';

/** Runs a program and returns its output. The error of a failure contains the standard error output. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
}

/** The program in a folder of the cache, which `make` fills if it is missing. */
function cached(folder: string, program: string, make: (folder: string) => void): string {
  const place = path.join(readCacheFolder(process.env), folder);
  const file = path.join(place, program);
  if (existsSync(file)) return file;
  mkdirSync(place, { recursive: true });
  make(place);
  return file;
}

/** Helm, built from its Go module. */
export function helm(): string {
  return cached(`helm-${helmVersion}`, 'helm', (folder) =>
    run('go', ['install', `helm.sh/helm/v3/cmd/helm@${helmVersion}`], { env: { ...process.env, GOBIN: folder } }),
  );
}

/** kubernetes-validate, whose package has the schemas of Kubernetes. */
export function kubernetesValidate(): string {
  return cached(`kubernetes-validate-${validateVersion}`, path.join('bin', 'kubernetes-validate'), (folder) => {
    run('python3', ['-m', 'venv', folder]);
    run(path.join(folder, 'bin', 'pip'), ['install', '--quiet', `kubernetes-validate==${validateVersion}`]);
  });
}

/** Temporal's server and its tool for SQL databases, built from their Go module in some minutes. */
export function temporalServer(): { server: string; sqlTool: string } {
  const server = cached(`temporal-server-${temporalVersion}`, 'server', (folder) => {
    const programs = ['cmd/tools/sql', 'cmd/server'].map((name) => `go.temporal.io/server/${name}@${temporalVersion}`);
    run('go', ['install', ...programs], { env: { ...process.env, GOBIN: folder } });
  });
  return { server, sqlTool: path.join(path.dirname(server), 'sql') };
}

/** The programs of PostgreSQL from the packages of Debian, unpacked into the cache, and the library that they need. */
export function postgres(): { programs: string; libraries: string } {
  const major = /^ *Depends: postgresql-(\d+)$/m.exec(run('apt-cache', ['depends', 'postgresql']))?.[1] ?? '';
  const programs = path.join('usr', 'lib', 'postgresql', major, 'bin');
  const server = cached(`postgresql-${major}`, path.join(programs, 'postgres'), (folder) => {
    run('apt-get', ['download', `postgresql-${major}`, 'libpq5'], { cwd: folder });
    for (const archive of readdirSync(folder).filter((name) => name.endsWith('.deb')))
      run('dpkg-deb', ['-x', path.join(folder, archive), folder]);
  });
  const lib = path.join(server, '..', '..', '..', '..');
  const [platform = ''] = readdirSync(lib).filter((name) => name.endsWith('-linux-gnu'));
  return { programs: path.dirname(server), libraries: path.join(lib, platform) };
}

/** Prometheus and promtool of the system, else of the package of Debian, unpacked into the cache. */
export function prometheus(): { server: string; promtool: string } {
  const installed = '/usr/bin/prometheus';
  if (existsSync(installed)) return { server: installed, promtool: '/usr/bin/promtool' };
  const server = cached('prometheus', path.join('usr', 'bin', 'prometheus'), (folder) => {
    run('apt-get', ['download', 'prometheus'], { cwd: folder });
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    run('dpkg-deb', ['-x', path.join(folder, archive), folder]);
  });
  return { server, promtool: path.join(path.dirname(server), 'promtool') };
}
