import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** A span as received by a collector. */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for a span that begins its trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
  startNs: bigint;
  endNs: bigint;
}

/** Receives OTLP over HTTP as a collector does (`POST /v1/traces`, protobuf), and keeps the spans. */
export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Everything received, as text. */
  raw: string[];
  /** Headers of the requests. */
  headers: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The messages of opentelemetry/proto/collector/trace/v1 that a trace needs. */
const proto = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;
const failed = 2;

interface Sent {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}
interface Pair {
  key: string;
  value: Record<string, unknown>;
}
interface SentSpan {
  traceId: Buffer;
  spanId: Buffer;
  parentSpanId: Buffer;
  name: string;
  attributes: Pair[];
  status?: { code: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const type = protobuf.parse(proto).root.lookupType('Request');
  const spans: ReceivedSpan[] = [];
  const raw: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/x-protobuf' }).end();
      if (!isTraces) return;
      headers.push(request.headers);
      raw.push(bytes.toString('latin1'));
      spans.push(...read(type.toObject(type.decode(bytes), { longs: String, bytes: Buffer, arrays: true }) as Sent));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw,
    headers,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function read({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(getMembers(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service,
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        attributes: getMembers(span.attributes),
        hasFailed: span.status?.code === failed,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
      })),
    );
  });
}

function getMembers(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function hex(bytes: Buffer | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex');
}
