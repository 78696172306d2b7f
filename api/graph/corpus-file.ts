import { once } from 'node:events';
import { Readable } from 'node:stream';
import { exportTexts, type TextFormat, textFormats } from '../../graph';
import { readWholeGraph } from '../../graph/corpus/ask';
import { AppError } from '../../model/errors';
import { createZip } from '../../services/storage/zip-stream';
import { type RequestContext, authorize, graphPolicy } from '../http/policies';
import type { Reply } from '../http/route';
import { createAttachmentReply } from './reply';
import { openCorpusView } from './view';

/** A larger graph belongs in a graph database, which can be filled from the pages of its nodes. */
const maxNodes = 200_000;

/** The formats of the files in the archive `zip`. */
const zipFormats = ['json', 'csv', 'cypher', 'report', 'html'] as const;

/**
 * A graph of a corpus in one format, or in several as a zip archive. Contains only facts from documents that the user
 * may read.
 */
export async function sendCorpusFile(id: string, format: string, context: RequestContext): Promise<Reply<Readable>> {
  const record = await authorize(graphPolicy, 'askCorpus', id, context);
  if (format !== 'zip' && !isText(format))
    throw new AppError(
      'NOT_FOUND',
      `A graph of a corpus is not written as ${format}; expected one of ${textFormats.join(', ')}, zip.`,
    );
  const graph = await readWholeGraph(await openCorpusView(record, context), maxNodes);
  if (!graph)
    throw new AppError('PAYLOAD_TOO_LARGE', `The graph has more than ${maxNodes} nodes; read them page by page.`);
  if (graph.nodes.size === 0) throw new AppError('GRAPH_NOT_READY', 'The graph has nothing that you may see.');
  graph.attributes = { format: 'v2', template_name: record.template };
  const facts = {
    profile: 'spec',
    sourceModels: 1,
    createdAt: record.corpus?.updated_at ?? record.created_at,
  } as const;
  const formats = format === 'zip' ? zipFormats : [format];
  const files = formats.flatMap((textFormat) => exportTexts(textFormat, graph, facts));
  const [first] = files;
  if (first && (files.length === 1 || format === 'cypher'))
    return createAttachmentReply(Readable.from(first[1]), first[0]);
  const archive = createZip(
    files.map(([name, pieces]) => ({
      name,
      open: async () => Readable.from(iterateBytes(pieces)),
      isCompressed: false,
    })),
  );
  await once(archive, 'readable');
  return createAttachmentReply(archive, `graph-${id}${format === 'zip' ? '' : `-${format}`}.zip`);
}

function* iterateBytes(pieces: Iterable<string>): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

function isText(format: string): format is TextFormat {
  return (textFormats as readonly string[]).includes(format);
}
