import type { Download } from './download';

/** Versions of everything that is fetched or built. */
export const versions = {
  temporal: '1.5.1',
  mongoJavaServer: '1.47.0',
  slf4j: '2.0.17',
  opensearch: '2.19.1',
  ldapSdk: '7.0.2',
  versitygw: '1.8.0',
} as const;

const goArchitectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/** Release archive of the Temporal CLI with its dev server; undefined where the project publishes none. */
export function temporalRelease(platform = process.platform, arch: string = process.arch): Download | undefined {
  const goArch = goArchitectures[arch];
  if (!goArch || (platform !== 'linux' && platform !== 'darwin')) return undefined;
  const base = `https://github.com/temporalio/cli/releases/download/v${versions.temporal}`;
  return {
    url: `${base}/temporal_cli_${versions.temporal}_${platform}_${goArch}.tar.gz`,
    algorithm: 'sha256',
    checksumUrl: `${base}/checksums.txt`,
  };
}

/** Release archive of the S3 gateway. */
export function versitygwRelease(platform = process.platform, arch: string = process.arch): Download | undefined {
  const system = platform === 'linux' ? 'Linux' : platform === 'darwin' ? 'Darwin' : undefined;
  const machine = arch === 'x64' ? 'x86_64' : arch === 'arm64' ? 'arm64' : undefined;
  if (!system || !machine) return undefined;
  const base = `https://github.com/versity/versitygw/releases/download/v${versions.versitygw}`;
  return {
    url: `${base}/versitygw_v${versions.versitygw}_${system}_${machine}.tar.gz`,
    algorithm: 'sha256',
    checksumUrl: `${base}/checksums.txt`,
  };
}

/** The minimal distribution of OpenSearch with its own Java; published for Linux only. */
export function opensearchRelease(platform = process.platform, arch: string = process.arch): Download | undefined {
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) return undefined;
  const url = `https://artifacts.opensearch.org/releases/core/opensearch/${versions.opensearch}/opensearch-min-${versions.opensearch}-linux-${arch}.tar.gz`;
  return { url, algorithm: 'sha512', checksumUrl: `${url}.sha512` };
}

/** The k-NN plugin, which the minimal distribution lacks. */
export const knnRelease: Download = {
  url: `https://repo1.maven.org/maven2/org/opensearch/plugin/opensearch-knn/${versions.opensearch}.0/opensearch-knn-${versions.opensearch}.0.zip`,
  algorithm: 'sha256',
  checksum: 'eab8c9818865bc035212eab5068cdacae164baa09d4c152f49b736d6f6b0e85c',
};
