/** Returns the RC4 key stream from its start. The runtime's RC4 is not available where old ciphers are disabled. */
export function rc4Stream(key: Uint8Array, length: number): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + state[at]! + key[at % key.length]!) & 0xff;
    [state[at], state[other]] = [state[other]!, state[at]!];
  }
  const stream = new Uint8Array(length);
  for (let at = 0, one = 0, other = 0; at < length; at += 1) {
    one = (one + 1) & 0xff;
    other = (other + state[one]!) & 0xff;
    [state[one], state[other]] = [state[other]!, state[one]!];
    stream[at] = state[(state[one]! + state[other]!) & 0xff]!;
  }
  return stream;
}
