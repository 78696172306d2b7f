import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createServerError } from './server';

/** SHA-256 of every file that the servers need from Maven Central. */
export const artifactChecksums: Readonly<Record<string, string>> = {
  'analysis-common-2.19.1.jar': '13fdc1071af42946b13153a62491a5e9b0ad214d44f7c8153d3afef60f558821',
  'antlr4-runtime-4.13.1.jar': '54665d2838cc66458343468efc539e454fc95b46a8a04b13c6ac43fc9be63505',
  'asm-9.7.jar': 'adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d',
  'asm-analysis-9.7.jar': '7bc6bcbc21379948a0c8c467fb0f864206e5b818f6bc0b546872f5c9f941556f',
  'asm-commons-9.7.jar': '389bc247958e049fc9a0408d398c92c6d370c18035120395d4cba1d9d9304b7a',
  'asm-tree-9.7.jar': '62f4b3bc436045c1acb5c3ba2d8ec556ec3369093d7f5d06c747eb04b56d52b1',
  'asm-util-9.7.jar': '37a6414d36641973f1af104937c95d6d921b2ddb4d612c66c5a9f2b13fc14211',
  'h2-2.3.232.jar': '8dae62d22db8982c3dcb3826edb9c727c5d302063a67eef7d63d82de401f07d3',
  'lang-painless-2.19.1.jar': '3cf5e02efa40ff5b88e74e1ab66a0bc462de3509fab4a6a4ffe90b8d13777a9a',
  'mongo-java-server-1.47.0.jar': '37fc487ab0ef924dee0acdc62e2de1ef1daffa7eb2fdf9b56e5d2f3bdc2b909b',
  'mongo-java-server-core-1.47.0.jar': '9a34c9ad6ac6261906295481838256033ec1efc8c93a3e3828e5d47a006b0bd4',
  'mongo-java-server-h2-backend-1.47.0.jar': '58ca6760a25f8a05adfe8a0f7a8a042ca22bd472869028755931507cdce20e71',
  'mongo-java-server-memory-backend-1.47.0.jar': '82864f8a2ede1514f64c2cd3a70e8022c259eb3d78975cfa208c1668ac1f12bb',
  'netty-buffer-4.2.2.Final.jar': '4820eeb2d3db269b20b30711e3d7d21979664249aaf10fc67f90dee935810747',
  'netty-codec-4.2.2.Final.jar': '6a4ea3cedc831a377e20e32da5df4d2a47b954810e941138e3358e313db3a7f9',
  'netty-codec-base-4.2.2.Final.jar': '76987614ccb2fda7d3292b69ba5b61351f30e91bf5c7d8fa4b51bc32c9f67456',
  'netty-codec-compression-4.2.2.Final.jar': '005734e20aceb5e2c030033f7e042c81ee444497efd110cfca8de445642652ac',
  'netty-codec-marshalling-4.2.2.Final.jar': 'ae8bb7a077ca02357c922e3abc1acf1bf191d5e2776721d69cbca50a16281096',
  'netty-codec-protobuf-4.2.2.Final.jar': 'cfe0c7e6e68d83480a639b533eb7edaaf3252cfae8b73d0e362859673a4f9d97',
  'netty-common-4.2.2.Final.jar': '5d022f3acad74cb0f195f60213500a4000d1340e5e941edaf1a0e756686b9bae',
  'netty-handler-4.2.2.Final.jar': 'd4ef582c78125457baa0cfa52992b5fb1bb9172d1a2c03b726e8b26e17d3fe2c',
  'netty-resolver-4.2.2.Final.jar': 'fa7841ffe2e39d52251814fb8560d6936b10ae7c67453ee50426b83fd5170ba0',
  'netty-transport-4.2.2.Final.jar': '116d766a1af4722fe76a4cdaed969644985d44e08ec1337d2dbab697dd109603',
  'netty-transport-native-unix-common-4.2.2.Final.jar':
    'aa8821a7ea2ca47f62740bd1f37d67deb97824cc77e76dde6ae2c439a923fc9d',
  'opensearch-scripting-painless-spi-2.19.1.jar': 'c2598797a5f6f897ce7e8d05f593ff96de3fbc56c52f299d63cddcae41556dda',
  'slf4j-api-2.0.17.jar': '7b751d952061954d5abfed7181c1f645d336091b679891591d63329c622eb832',
  'slf4j-nop-2.0.17.jar': '3716f83649ec66161a2edefd4f49df34d1dd1c51cdcf941996c6987260f0a829',
  'unboundid-ldapsdk-7.0.2.jar': 'cabb9655c2318efde185b23ba1f9b49934925075bfc7091d39ec2b830c09271e',
  'opensearch-knn-2.19.1.0.zip': 'eab8c9818865bc035212eab5068cdacae164baa09d4c152f49b736d6f6b0e85c',
  'opensearch-2.19.1.zip': 'af7152d8b7f6f1cee09d47276b32b70479fe6dd8cdbb61213f84eb7f8098b261',
};

/**
 * Throws if the folder contains an archive of this type whose hash differs from the known one. Maven only compares with checksums
 * from the same repository.
 */
export function verifyArtifacts(
  title: string,
  folder: string,
  type: 'jar' | 'zip',
  checksums = artifactChecksums,
): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(`.${type}`));
  if (names.length === 0) throw createServerError(title, `Maven put no archive into ${folder}`);
  for (const name of names) {
    const expected = checksums[name];
    if (expected === undefined)
      throw createServerError(title, `Maven downloaded ${name}, whose checksum is unknown; it is not used`);
    const actual = hash('sha256', readFileSync(path.join(folder, name)));
    if (actual !== expected)
      throw createServerError(title, `${name} has sha256 ${actual}, but ${expected} was expected; it is not used`);
  }
}
