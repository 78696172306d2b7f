import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { createPayloadCodec } from './payload-codec';

const newKey = () => randomBytes(32).toString('base64');
const secret = defaultPayloadConverter.toPayload({ flow: 'invoices', owner: 'älice' });

test('encrypted data reveal nothing and survive a round trip', async () => {
  const codec = createPayloadCodec([newKey()]);
  const [sealed] = await codec.encode([secret]);
  expect(Buffer.from(sealed?.data ?? []).toString('latin1')).not.toContain('invoices');
  expect(Buffer.from(sealed?.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
  const [opened] = await codec.decode([sealed ?? {}]);
  expect(defaultPayloadConverter.fromPayload(opened ?? {})).toEqual({ flow: 'invoices', owner: 'älice' });
});

test('a new first key still reads data of the previous key and unencrypted data', async () => {
  const [old, next] = [newKey(), newKey()];
  const [sealed] = await createPayloadCodec([old]).encode([secret]);
  const both = createPayloadCodec([next, old]);
  const opened = await both.decode([sealed ?? {}, secret]);
  expect(opened.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual([
    { flow: 'invoices', owner: 'älice' },
    { flow: 'invoices', owner: 'älice' },
  ]);
  await expect(createPayloadCodec([next]).decode([sealed ?? {}])).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  });
});

test('an empty payload stays empty in each form that a decoder returns', async () => {
  const codec = createPayloadCodec([newKey()]);
  const encoding = new TextEncoder().encode('binary/null');
  const forms = [[], new Uint8Array(), Buffer.alloc(0), undefined, null] as unknown as (Uint8Array | undefined)[];
  for (const data of forms) {
    const [sealed] = await codec.encode([{ metadata: { encoding }, data }]);
    const [opened] = await codec.decode([sealed ?? {}]);
    expect(opened).toEqual({ metadata: { encoding }, data: new Uint8Array() });
  }
});

test('an altered payload is rejected', async () => {
  const codec = createPayloadCodec([newKey()]);
  const [sealed] = await codec.encode([secret]);
  const data = Uint8Array.from(sealed?.data ?? []);
  data[data.length - 1] = (data.at(-1) ?? 0) ^ 1;
  await expect(codec.decode([{ ...sealed, data }])).rejects.toThrow(/authenticate/);
});

test('a key of the wrong length is rejected with the expected length, without the key', () => {
  expect(() => createPayloadCodec(['c2hvcnQ='])).toThrow(/has 5 bytes: expected 32 bytes in base64/);
});
