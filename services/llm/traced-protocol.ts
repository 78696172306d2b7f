import { type OpenSpan, getTracing } from '../tracing/tracing';
import type { ModelHost } from './host';
import type { ModelProtocol } from './protocol';

/** The protocol with a span around each call. Spans have the model and the token counts, never the question or the answer. */
export function traceProtocol(protocol: ModelProtocol): ModelProtocol {
  return {
    chat: (call) =>
      getTracing().runInSpan(startSpan('chat', call.host), async (span) => {
        const reply = await protocol.chat(call);
        countTokens(span, reply);
        return reply;
      }),
    embed: (call) =>
      getTracing().runInSpan(startSpan('embeddings', call.host), async (span) => {
        span.set({ 'docloom.texts': call.texts.length });
        const reply = await protocol.embed(call);
        countTokens(span, reply);
        return reply;
      }),
  };
}

function startSpan(operation: 'chat' | 'embeddings', { modelId, protocol }: ModelHost) {
  return {
    name: `${operation} ${modelId}`,
    kind: 'client' as const,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': modelId,
      'docloom.model_protocol': protocol,
    },
  };
}

function countTokens(span: OpenSpan, { inputTokens, outputTokens }: { inputTokens?: number; outputTokens?: number }) {
  span.set({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens });
}
