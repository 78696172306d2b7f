import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  ConfigurationError,
  type GraphStream,
  mostShown,
  sampleHtml,
  sampleStream,
  streamCypher,
  streamEdgesCsv,
  streamJson,
  streamNodesCsv,
  streamedFormats,
  streamOfFile,
} from '../../graph';
import type { GraphFormat } from '../../model/graph/graph-build';
import { readExportPath } from './files';

/** An export with more bytes is read record by record. Reading it whole takes about eight times its size in memory. */
const largeBytes = 128 * 2 ** 20;

/** The export as a stream if it is too large to be read whole. */
export async function findLargeExport(
  value: string,
  maxBytes = largeBytes,
): Promise<{ stream: GraphStream; path: string } | undefined> {
  const path = await readExportPath(value);
  const { size } = await stat(path);
  if (size <= maxBytes) return undefined;
  return { stream: streamOfFile(() => createReadStream(path, { highWaterMark: 2 ** 20 }), path), path };
}

/** The files of a large export in these formats, by name. Throws a ConfigurationError for formats that need the whole graph. */
export function convertLarge(stream: GraphStream, formats: readonly GraphFormat[]): [string, AsyncIterable<string>][] {
  const isStreamed = (format: string) => (streamedFormats as readonly string[]).includes(format);
  const other = formats.filter((format) => !isStreamed(format));
  if (other.length > 0)
    throw new ConfigurationError(
      `An export of more than ${largeBytes / 2 ** 20} MB is converted to ${streamedFormats.join(', ')}, not to ${other.join(', ')}`,
      { formats: other },
    );
  return formats.flatMap((format): [string, AsyncIterable<string>][] => {
    if (format === 'json') return [['graph.json', streamJson(stream)]];
    if (format === 'cypher')
      return [
        ['graph.cypher', streamCypher(stream)],
        ['graph.merge.cypher', streamCypher(stream, 'merge')],
      ];
    if (format === 'html') return [['graph.html', readSample(stream)]];
    return [
      ['nodes.csv', streamNodesCsv(stream)],
      ['edges.csv', streamEdgesCsv(stream)],
    ];
  });
}

async function* readSample(stream: GraphStream): AsyncGenerator<string> {
  yield sampleHtml(await sampleStream(stream, mostShown));
}
