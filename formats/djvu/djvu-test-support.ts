import { zoneKind } from './text-layer';

/** A zone by its box: left, bottom, right, top in pixels. Smaller zones or a text. */
export interface TestZone {
  kind: keyof typeof zoneKind;
  box: readonly [number, number, number, number];
  text?: string;
  zones?: TestZone[];
}

const stacked = new Set(['page', 'paragraph', 'line']);

/** BZZ streams, written by the program `bzz` of DjVuLibre 3.5.28. */
export const streams = {
  /** Four components: shared.iff, then the pages one.djvu, two.djvu with the title `ii`, three.djvu. */
  directory: '///Dv4ofvYwb5YnIAp0krPT3zsj56puUL97qU7tVxkaNMnXfImhvCPFzjyc=',
  /** Tides (#one.djvu), in it High water (#3), then Index (#ii). */
  outline: '///F/y1/DqoBpuF/ZIcU4y9yJuUpbsIrQOVC4Z/XrD5CFBrU2/14x1jEYRRq6YMSSms=',
  /** `Sand and shingle.` */
  short: '///t/o3kna/m4+1noFoopN76aJdIfw==',
  /** The content of a text chunk without positions: `Compressed on every page.` */
  text: '///h3/2YOFPCoDudxvoALcco8eCS4UcNjs9fOI7lfw==',
  /** `The tide rises twice a day. ` 1,200 times, in four blocks. */
  blocks:
    '/9f//zmD5dIquDplkNFYePaSJRhpvrFAWx4HmSmek7IE0uNOxOi/meU1OD+kPppXX8LSJI4YxAJOsiBtWbU6Oez4wZ2K15tECQ/ApAoC7ldlZ8yw9iNPcQYKCsViFREpNpUp4hG7eqbX1kZYYPqYCpPQqmP0jKa+4f/hPBoQHI/0LXhisPaZhJVmzqyB1exPyrG1+wGHjSoqf/h8TY9CQ0UvI5V3JzV3bRprBCYN9+iHoVAyv/7oL2CZObErefjhG1uYjy55a2v4lUQfotm13KoKYajZyyZfGS1lui4N0B4zbAHNWhw=',
};

/** The bytes of one of the streams. */
export function stream(name: keyof typeof streams): Buffer {
  return Buffer.from(streams[name], 'base64');
}

const u16 = (value: number) => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const u24 = (value: number) => Buffer.from([(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]);
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);

/** A chunk with its padding. */
export function chunk(id: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id), u32(data.length), data, Buffer.alloc(data.length % 2)]);
}

/** A form of this kind with these chunks. */
export function form(kind: string, chunks: readonly Buffer[]): Buffer {
  return chunk('FORM', Buffer.concat([Buffer.from(kind), ...chunks]));
}

/** A file whose only form this is. */
export function file(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from('AT&T'), content]);
}

/** `INFO` of a page of 850 by 1,100 pixels at 100 dpi. */
export function info({ rotation = 1, width = 850, height = 1100 } = {}): Buffer {
  return chunk('INFO', Buffer.concat([u16(width), u16(height), Buffer.from([26, 0, 100, 0, 22, rotation])]));
}

/** `TXTa` with the text of the zones, each followed by a line end or a blank. */
export function text(root: TestZone): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  const write = (zone: TestZone, parent: TestZone | undefined, before: TestZone | undefined): Buffer => {
    const start = length;
    const [l, b, r, t] = zone.box;
    const [x, y] = measureOffsets(zone, parent, before);
    const children = zone.zones ?? [];
    if (zone.text !== undefined) {
      const own = Buffer.from(`${zone.text}${zone.kind === 'word' ? ' ' : '\n'}`);
      parts.push(own);
      length += own.length;
    }
    const inner = children.map((child, index) => write(child, zone, children[index - 1]));
    const numbers = [x, y, r - l, t - b, 0].map((value) => u16(value + 0x8000));
    return Buffer.concat([
      Buffer.from([zoneKind[zone.kind]]),
      ...numbers,
      u24(length - start),
      u24(children.length),
      ...inner,
    ]);
  };
  const zones = write(root, undefined, undefined);
  return chunk('TXTa', Buffer.concat([u24(length), ...parts, Buffer.from([1]), zones]));
}

/** Position of a zone in relation to the zone before it, or around it. */
function measureOffsets({ kind, box: [l, b, , t] }: TestZone, parent?: TestZone, before?: TestZone): [number, number] {
  if (before && stacked.has(kind)) return [l - before.box[0], before.box[1] - t];
  if (before) return [l - before.box[2], b - before.box[1]];
  return parent ? [l - parent.box[0], parent.box[3] - t] : [l, b];
}

/** Text without positions. */
export function plainText(content: string): Buffer {
  const bytes = Buffer.from(content);
  return chunk('TXTa', Buffer.concat([u24(bytes.length), bytes, Buffer.from([1])]));
}

const wide = 8;

/** A line of words, each letter 8 pixels wide, with the baseline at `y`. */
export function line(content: string, x: number, y: number): TestZone {
  let at = x;
  const zones = content.split(' ').map((word): TestZone => {
    const l = at;
    at += (word.length + 1) * wide;
    const b = /[gjpqy,]/.test(word) ? y - 3 : y;
    const t = /^[acegmnopqrsuvwxyz.,]+$/.test(word) ? y + 7 : y + 10;
    return { kind: 'word', box: [l, b, l + word.length * wide, t], text: word };
  });
  return { kind: 'line', box: [x, y - 3, at - wide, y + 10], zones };
}

/** A page with lines from the top, 18 pixels apart; empty texts leave a gap. */
export function linesFrom(texts: readonly string[], { x = 100, top = 1000 } = {}): TestZone {
  const zones = texts.flatMap((content, index) => (content === '' ? [] : [line(content, x, top - 18 * index)]));
  return { kind: 'page', box: [0, 0, 850, 1100], zones };
}

/** A page of these chunks. */
export function page(...chunks: Buffer[]): Buffer {
  return form('DJVU', [info(), ...chunks]);
}

/** A file of one page with these chunks. */
export function single(...chunks: Buffer[]): Buffer {
  return file(page(...chunks));
}

/** A file of the components that `streams.directory` lists. `places` replaces the positions in the directory. */
export function bundle(
  components: readonly Buffer[],
  {
    outline,
    directory = stream('directory'),
    places,
  }: { outline?: Buffer; directory?: Buffer; places?: number[] } = {},
): Buffer {
  const head = (at: readonly number[]) =>
    chunk(
      'DIRM',
      Buffer.concat([Buffer.from([0x81]), u16(4), ...[0, 1, 2, 3].map((index) => u32(at[index] ?? 0)), directory]),
    );
  const navm = outline ? chunk('NAVM', outline) : Buffer.alloc(0);
  let next = 16 + head([]).length + navm.length;
  const positions = components.map((component) => {
    next += component.length;
    return next - component.length;
  });
  return file(form('DJVM', [head(places ?? positions), navm, ...components]));
}

/** A list of the pages one.djvu, two.djvu and three.djvu, which are in other files. */
export function indirect(): Buffer {
  return file(form('DJVM', [chunk('DIRM', Buffer.concat([Buffer.from([1]), u16(4), stream('directory')]))]));
}
