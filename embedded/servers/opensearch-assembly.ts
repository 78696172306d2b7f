import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { verifyArtifacts } from '../artifact-checksums';
import { withLock } from '../lock';
import { copyArtifacts } from '../maven';
import { versions } from '../releases';
import type { Context } from '../server';

const analysisModule = 'analysis-common';

/**
 * Assembles OpenSearch in the folder: the minimal distribution, the k-NN plugin, the scripting module that the plugin extends,
 * and language analyzers.
 */
export async function assembleOpensearch(title: string, folder: string, context: Context): Promise<void> {
  const version = versions.opensearch;
  const unpacked = path.join(folder, 'unpacked');
  mkdirSync(unpacked);
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.distribution.integ-test-zip', id: 'opensearch', version, type: 'zip' }],
    { type: 'zip', folder: unpacked },
    context,
  );
  verifyArtifacts(title, unpacked, 'zip');
  const root = path.join(unpacked, `opensearch-${version}`);
  for (const name of readdirSync(root)) renameSync(path.join(root, name), path.join(folder, name));
  rmSync(unpacked, { recursive: true });
  const knn = path.join(folder, 'plugins', 'opensearch-knn');
  mkdirSync(knn, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'opensearch-knn', version: `${version}.0`, type: 'zip' }],
    { type: 'zip', folder: knn },
    context,
  );
  verifyArtifacts(title, knn, 'zip');
  rmSync(path.join(knn, `opensearch-knn-${version}.0.zip`));
  // The plugin extends the scripting module, which this distribution does not include.
  const painless = path.join(folder, 'modules', 'lang-painless');
  mkdirSync(painless, { recursive: true });
  await copyArtifacts(
    title,
    [{ group: 'org.opensearch.plugin', id: 'lang-painless', version, without: 'org.opensearch' }],
    { type: 'jar', folder: painless },
    context,
  );
  verifyArtifacts(title, painless, 'jar');
  writeDescriptor(painless, {
    name: 'lang-painless',
    description: 'Painless scripting language',
    classname: 'org.opensearch.painless.PainlessPlugin',
    extends: '',
  });
  const permissions = ['createClassLoader', 'getClassLoader', 'accessDeclaredMembers'].map(
    (name) => `  permission java.lang.RuntimePermission "${name}";\n`,
  );
  writeFileSync(
    path.join(painless, 'plugin-security.policy'),
    `grant {\n${permissions.join('')}  permission org.opensearch.script.ClassPermission "<<STANDARD>>";\n};\n`,
  );
  await addAnalysis(title, folder, context);
}

/**
 * Adds the module with stemmers, stop words and language analyzers, which this distribution does not include, with its library.
 */
async function addAnalysis(title: string, folder: string, context: Context): Promise<void> {
  const module = path.join(folder, 'modules', analysisModule);
  const part = path.join(folder, `${analysisModule}.part`);
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  try {
    const artifact = { group: 'org.opensearch.plugin', id: analysisModule, version: versions.opensearch, without: '*' };
    await copyArtifacts(title, [artifact], { type: 'jar', folder: part }, context);
    verifyArtifacts(title, part, 'jar');
    writeDescriptor(part, {
      name: analysisModule,
      description: 'Analyzers of languages',
      classname: 'org.opensearch.analysis.common.CommonAnalysisPlugin',
      extends: 'lang-painless',
    });
    renameSync(part, module);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/**
 * Adds modules that installations of earlier versions lack. Search works without them, but only with unstemmed words, so a
 * failure is only logged.
 */
export async function completeOpensearch(title: string, folder: string, context: Context): Promise<void> {
  const isComplete = () => existsSync(path.join(folder, 'modules', analysisModule));
  if (isComplete()) return;
  await withLock(path.join(context.cacheDir, 'locks', `${path.basename(folder)}-analysis`), async () => {
    if (isComplete()) return;
    context.log(`${title}: adding analyzers of languages from Maven Central (1 MB, a few seconds, once)`);
    try {
      await addAnalysis(title, folder, context);
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
      context.log(`${title}: searches do without analyzers of languages: ${reason}`);
    }
  });
}

function writeDescriptor(
  folder: string,
  plugin: { name: string; description: string; classname: string; extends: string },
): void {
  const lines = [
    `description=${plugin.description}`,
    `version=${versions.opensearch}`,
    `name=${plugin.name}`,
    `classname=${plugin.classname}`,
    'java.version=11',
    `opensearch.version=${versions.opensearch}`,
    `extended.plugins=${plugin.extends}`,
    'has.native.controller=false',
  ];
  writeFileSync(path.join(folder, 'plugin-descriptor.properties'), `${lines.join('\n')}\n`);
}
