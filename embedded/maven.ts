import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Context } from './server';
import { findTool, runTool } from './tools';

/** A Maven Central artifact; `without` lists groups to exclude from its dependencies. */
export interface Artifact {
  group: string;
  id: string;
  version: string;
  type?: 'jar' | 'zip';
  without?: string;
}

/**
 * Copies artifacts of one type and all their dependencies to a folder. Zip files are kept and also unpacked there. Maven verifies
 * checksums.
 */
export async function copyArtifacts(
  title: string,
  artifacts: readonly Artifact[],
  { type, folder }: { type: 'jar' | 'zip'; folder: string },
  context: Context,
): Promise<void> {
  const options = ['dependency:copy-dependencies', ...(type === 'jar' ? [] : ['dependency:unpack-dependencies'])];
  const pom = path.join(folder, 'docloom-pom.xml');
  writeFileSync(pom, formatPom(artifacts));
  const mvn = findTool('mvn', context.env)?.path ?? 'mvn';
  const args = ['-q', '-B', '-C', '-f', pom, ...options, `-DincludeTypes=${type}`, `-DoutputDirectory=${folder}`];
  await runTool(title, [mvn, ...args], context, { cwd: folder });
  rmSync(pom, { force: true });
}

/** A project file that only lists the artifacts as dependencies. */
export function formatPom(artifacts: readonly Artifact[]): string {
  const dependencies = artifacts.map((artifact) => {
    const exclusion = artifact.without
      ? `<exclusions><exclusion><groupId>${artifact.without}</groupId><artifactId>*</artifactId></exclusion></exclusions>`
      : '';
    return `<dependency><groupId>${artifact.group}</groupId><artifactId>${artifact.id}</artifactId><version>${artifact.version}</version><type>${artifact.type ?? 'jar'}</type>${exclusion}</dependency>`;
  });
  const head =
    '<modelVersion>4.0.0</modelVersion><groupId>docloom</groupId><artifactId>embedded</artifactId><version>1</version><packaging>pom</packaging>';
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">${head}<dependencies>${dependencies.join('')}</dependencies></project>\n`;
}
