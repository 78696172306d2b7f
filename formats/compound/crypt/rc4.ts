/** Returns the RC4 key stream from its start. The runtime's RC4 is not available where old ciphers are disabled. */
export function createRc4Stream(key: Uint8Array, length: number): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + state[at]! + key[at % key.length]!) & 0xff;
    [state[at], state[other]] = [state[other]!, state[at]!];
  }
  const stream = new Uint8Array(length);
  for (let at = 0, value = 0, other = 0; at < length; at += 1) {
    value = (value + 1) & 0xff;
    other = (other + state[value]!) & 0xff;
    [state[value], state[other]] = [state[other]!, state[value]!];
    stream[at] = state[(state[value]! + state[other]!) & 0xff]!;
  }
  return stream;
}
