import { Type } from '@sinclair/typebox';
import type { Payload } from '@temporalio/common';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { CodecPayloads } from '../../model/run/wire-codec';
import { requireAdmin } from '../http/policies';
import { type Exchange, reply, route } from '../http/route';
import { createCodecCookie, codecPath } from '../login/codec-cookie';

const action = 'see the payloads of workflows in clear text';
const common = {
  method: 'POST',
  body: CodecPayloads,
  replies: { 200: CodecPayloads },
  errors: ['FORBIDDEN'],
} as const;

export const openCodec = route({
  method: 'POST',
  path: `${codecPath}/session`,
  operationId: 'openCodecSession',
  scope: 'login',
  summary: 'Lets the Temporal UI in this browser show decrypted payloads.',
  description:
    'For administrators. Sets a cookie with the token of the request, which the browser sends to the codec only. Then set the address of the codec in the Temporal UI and include cross-origin credentials.',
  replies: { 204: Type.Null() },
  errors: ['FORBIDDEN'],
  handler: ({ user, options, header, baseUrl }) => {
    requireAdmin({ user, options }, action);
    const [, token] = (header('Authorization') ?? '').split(' ');
    if (!token) throw new AppError('UNAUTHORIZED', 'Send a bearer token: the cookie for the codec holds it.');
    return reply(204, null, { 'Set-Cookie': createCodecCookie(token, baseUrl) });
  },
});

export const decodePayloads = route({
  ...common,
  path: `${codecPath}/decode`,
  operationId: 'decodePayloads',
  audit: 'read',
  summary: 'Decrypts payloads of Temporal, for its UI and command line.',
  description:
    'For administrators. Payloads that were not encrypted, or with a key that DOCLOOM_PAYLOAD_KEYS does not hold, come back as they are.',
  handler: async ({ user, options, services, body }) => {
    requireAdmin({ user, options }, action);
    return { payloads: await Promise.all(body.payloads.map((payload) => decodePayload(payload, services))) };
  },
});

export const encodePayloads = route({
  ...common,
  path: `${codecPath}/encode`,
  operationId: 'encodePayloads',
  audit: 'none',
  summary: 'Encrypts payloads for Temporal, for its UI and command line.',
  description: 'For administrators. Without DOCLOOM_PAYLOAD_KEYS payloads come back as they are.',
  handler: async ({ user, options, services, body }) => {
    requireAdmin({ user, options }, action);
    const encoded = await services.payloadCodec?.encode(body.payloads.map((payload) => buildBytes(payload)));
    return encoded ? { payloads: encoded.map((payload) => buildText(payload)) } : body;
  },
});

type WirePayload = CodecPayloads['payloads'][number];

async function decodePayload(
  payload: WirePayload,
  { payloadCodec }: Pick<Exchange<unknown, unknown, unknown, User>['services'], 'payloadCodec'>,
): Promise<WirePayload> {
  try {
    const [clear] = (await payloadCodec?.decode([buildBytes(payload)])) ?? [];
    return clear ? buildText(clear) : payload;
  } catch {
    // Encrypted with a former key, or not our data: shown as stored.
    return payload;
  }
}

function buildBytes({ metadata = {}, data = '' }: WirePayload): Payload {
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')])),
    data: Buffer.from(data, 'base64'),
  };
}

function buildText({ metadata, data }: Payload): WirePayload {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}
