import { readFileSync } from 'node:fs';
import path from 'node:path';
import { documentFromJson } from '../document/json/json';
import { documentToJson } from '../document/json/write';
import { checkTree } from '../document/validate';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from '../formats/convert';
import { AppError, errorCatalogue } from '../model/errors';
import { type Damaged, scrambleBytes, truncateBytes } from './damage';
import { listFiles } from './support/files';

const samples = listFiles(path.join(__dirname, '..', 'samples', 'documents')).map((file) => ({
  name: path.basename(file),
  bytes: new Uint8Array(readFileSync(file)),
}));

test('damage depends on the seed only', () => {
  const { name, bytes } = samples[0]!;
  expect([...scrambleBytes(name, bytes, 3, 5)]).toEqual([...scrambleBytes(name, bytes, 3, 5)]);
  expect([...scrambleBytes(name, bytes, 1, 5)]).not.toEqual([...scrambleBytes(name, bytes, 1, 6)]);
  expect([...truncateBytes(name, bytes, 3)].map(({ bytes: { length } }) => length / bytes.length)).toEqual([
    expect.closeTo(0.25, 1),
    expect.closeTo(0.5, 1),
    expect.closeTo(0.75, 1),
  ]);
});

/** Two hundred damaged samples: each file cut at four places, the rest with changed bytes. */
function damagedSamples(): Damaged[] {
  const cut = samples.flatMap(({ name, bytes }) => [...truncateBytes(name, bytes, 4)]);
  const perFile = Math.ceil((200 - cut.length) / samples.length);
  return [...cut, ...samples.flatMap(({ name, bytes }, index) => [...scrambleBytes(name, bytes, perFile, index)])];
}

test('200 damaged samples give a complete document or a coded error, in time', async () => {
  const cases = damagedSamples();
  expect(cases.length).toBeGreaterThanOrEqual(200);
  const problems: string[] = [];
  for (const { name, how, bytes } of cases) {
    const started = performance.now();
    try {
      const { document } = await convertBytes({ bytes, name });
      checkTree(document);
      toMarkdown(document);
      documentFromJson(documentToJson(document));
    } catch (error) {
      const isCoded = error instanceof AppError && errorCatalogue[error.code].scope === 'document';
      const isCrash = error instanceof AppError && error.cause instanceof TypeError;
      if (!isCoded || isCrash) problems.push(`${name}, ${how}: ${String(error)}`);
    }
    if (performance.now() - started > 20_000) problems.push(`${name}, ${how}: more than 20 s`);
  }
  expect(problems).toEqual([]);
}, 300_000);
