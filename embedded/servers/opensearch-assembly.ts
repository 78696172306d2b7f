import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyArtifacts } from '../maven';
import { versions } from '../releases';
import type { Context } from '../server';

/** Puts an OpenSearch together in the folder: the minimal distribution, the k-NN plugin, and the scripting module that the plugin extends. */
export async function assembleOpensearch(title: string, folder: string, context: Context): Promise<void> {
  const version = versions.opensearch;
  const unpacked = path.join(folder, 'unpacked');
  mkdirSync(unpacked);
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.distribution.integ-test-zip', id: 'opensearch', version, type: 'zip' }],
    'zip',
    unpacked,
    context,
  );
  const root = path.join(unpacked, `opensearch-${version}`);
  for (const name of readdirSync(root)) renameSync(path.join(root, name), path.join(folder, name));
  rmSync(unpacked, { recursive: true });
  const knn = path.join(folder, 'plugins', 'opensearch-knn');
  mkdirSync(knn, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'opensearch-knn', version: `${version}.0`, type: 'zip' }],
    'zip',
    knn,
    context,
  );
  // The plugin extends the scripting module, which this distribution lacks.
  const painless = path.join(folder, 'modules', 'lang-painless');
  mkdirSync(painless, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'lang-painless', version, without: 'org.opensearch' }],
    'jar',
    painless,
    context,
  );
  const descriptor = [
    'description=Painless scripting language',
    `version=${version}`,
    'name=lang-painless',
    'classname=org.opensearch.painless.PainlessPlugin',
  ];
  descriptor.push(
    'java.version=11',
    `opensearch.version=${version}`,
    'extended.plugins=',
    'has.native.controller=false',
  );
  writeFileSync(path.join(painless, 'plugin-descriptor.properties'), `${descriptor.join('\n')}\n`);
  const permissions = ['createClassLoader', 'getClassLoader', 'accessDeclaredMembers'].map(
    (name) => `  permission java.lang.RuntimePermission "${name}";\n`,
  );
  writeFileSync(
    path.join(painless, 'plugin-security.policy'),
    `grant {\n${permissions.join('')}  permission org.opensearch.script.ClassPermission "<<STANDARD>>";\n};\n`,
  );
}
