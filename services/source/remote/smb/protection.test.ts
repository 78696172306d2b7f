import { computeAesCmac, createProtection } from './protection';

const key = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex');
const text = Buffer.from(
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  'hex',
);

test.each([
  [0, 'bb1d6929e95937287fa37d129b756746'],
  [16, '070a16b46b4d4144f79bdd9dd04a287c'],
  [40, 'dfa66747de9ae63030ca32611497c827'],
  [64, '51f0bebf7e3b9d92fc49741779363cfe'],
])('the code of %d bytes is that of RFC 4493', (length, code) => {
  expect(computeAesCmac(key, text.subarray(0, length)).toString('hex')).toBe(code);
});

test.each([0x0210, 0x0302])('a changed message no longer has a valid signature in dialect %d', (dialect) => {
  const protection = createProtection(key, dialect, 7n);
  const message = Buffer.concat([Buffer.alloc(64), text]);
  expect(protection.isSigned(message)).toBe(false);
  protection.sign(message);
  expect(protection.isSigned(message)).toBe(true);
  message[70]! ^= 1;
  expect(protection.isSigned(message)).toBe(false);
});

test('an envelope of the client, a changed one and one of another session do not open as one of the server', () => {
  const protection = createProtection(key, 0x0302, 7n);
  const envelope = protection.encrypt(text);
  expect(envelope.includes(text.subarray(0, 16))).toBe(false);
  expect(protection.decrypt(envelope)).toBeUndefined();
  expect(createProtection(key, 0x0302, 8n).decrypt(envelope)).toBeUndefined();
  expect(protection.decrypt(envelope.subarray(0, 40))).toBeUndefined();
});
