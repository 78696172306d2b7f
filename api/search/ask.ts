import { PassThrough, pipeline, Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { asAppError } from '../../model/errors';
import { AnswerEndEvent, AnswerSentence, AskBody } from '../../model/search/wire-ask';
import type { DocumentReply, SearchReply } from '../../services/search/ports';
import { formatEvent } from '../http/event-stream';
import { reply, route } from '../http/route';
import type { ApiServices } from '../services';
import { readFacts } from './facts';
import { readScope } from './scope';

const defaultPassages = 8;

const Events = Type.Unsafe<Readable>({
  type: 'object',
  contentMediaType: 'text/event-stream',
  description: 'A stream of these events.',
  properties: {
    event: { type: 'string', enum: ['sentence', 'end', 'error'] },
    data: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: Type.Union([
        AnswerSentence,
        AnswerEndEvent,
        Type.Object({ code: Type.String(), message: Type.String() }, { $id: 'AnswerError' }),
      ]),
    },
  },
});

export const askDocuments = route({
  method: 'POST',
  path: '/api/v1/documents/ask',
  scope: 'read',
  audit: 'read',
  summary: 'Answers a question from documents that you may read, each sentence with its sources.',
  description:
    'A stream of events: `sentence` as soon as one is complete and its citations are checked, then `end`, or `error`. 503 where the operator set no DOCLOOM_ANSWER_MODEL; 429 while you have two answers open.',
  body: AskBody,
  replies: { 200: Events },
  errors: [
    'FLOW_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'DOCUMENT_SET_NOT_FOUND',
    'GRAPH_NOT_FOUND',
    'GRAPH_NOT_READY',
    'FORBIDDEN',
    'TABLE_NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'LOCALMODEL_CONNECTION_FAILED',
    'EXTERNAL_SERVICE_ERROR',
    'INVALID_RESPONSE',
    'SERVICE_UNAVAILABLE',
    'TOO_MANY_REQUESTS',
  ],
  handler: async (exchange) => {
    const { body, user, services, options } = exchange;
    const turn = services.answers.open(user.username);
    try {
      const { question, filters, mode = 'hybrid', graph, store, rerank, passages: limit = defaultPassages } = body;
      const scope = await readScope(body, exchange);
      const facts = await readFacts({ mode, graph, query: question }, exchange);
      const request = {
        query: question,
        ...facts,
        limit,
        provenance: true,
        ...scope,
        ...(filters ? { filters } : {}),
        ...(store === 'pgvector' ? { store } : {}),
        ...(rerank ? { rerank } : {}),
      };
      const found = await services.search.search(user, request, exchange.signal);
      exchange.signal.throwIfAborted();
      const gone = new AbortController();
      const signal = options.closing ? AbortSignal.any([gone.signal, options.closing]) : gone.signal;
      const events = new PassThrough();
      // A generator that waits for the model cannot be ended; what it writes to can, and at once.
      events.once('close', () => {
        gone.abort();
        turn.close();
      });
      // Without a client, there is nobody to report an error to.
      pipeline(Readable.from(answerEvents(question, found, services, signal)), events, () => undefined);
      return reply(200, events, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
      });
    } catch (error) {
      turn.close();
      throw error;
    }
  },
});

/** The signal aborts the call of the model: the client has left, or the server stops. */
async function* answerEvents(
  question: string,
  { documents, warnings }: SearchReply,
  services: ApiServices,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  try {
    const sentences = services.answers.answer(question, documents, signal);
    for (;;) {
      const step = await sentences.next();
      if (step.done) {
        const { usage, ...answer } = step.value;
        const { requests, inputTokens: input_tokens, outputTokens: output_tokens, cost } = usage;
        const end: AnswerEndEvent = {
          ...answer,
          passages: documents.length,
          ...(warnings ? { warnings } : {}),
          usage: { requests, input_tokens, output_tokens, cost },
        };
        yield formatEvent('end', end);
        return;
      }
      const { text, passages } = step.value;
      yield formatEvent('sentence', {
        text,
        citations: passages.flatMap((number) => listCitations(documents[number - 1])),
      });
    }
  } catch (error) {
    const { code, message: text, status } = asAppError(error);
    yield formatEvent('error', { code, message: status === 500 ? 'The answer failed.' : text });
  }
}

function listCitations(document: DocumentReply | undefined): AnswerSentence['citations'] {
  if (!document) return [];
  const { id, title, provenance: { document_id, pages, boxes } = { pages: [], boxes: [] } } = document;
  return [{ id, title, pages, boxes, ...(document_id === undefined ? {} : { document_id }) }];
}
