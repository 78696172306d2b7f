// pdfkit ships no types; these are the parts that the samples and the tests use.
declare module 'pdfkit' {
  import type { Readable } from 'node:stream';
  interface TextOptions {
    indent?: number;
    width?: number;
    lineBreak?: boolean;
    align?: 'left' | 'center' | 'right' | 'justify';
  }
  interface Document extends Readable {
    x: number;
    y: number;
    page: { width: number; height: number; margins: { left: number; right: number; top: number; bottom: number } };
    font(name: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    text(text: string, options?: TextOptions): this;
    text(text: string, x: number, y: number, options?: TextOptions): this;
    widthOfString(text: string): number;
    link(x: number, y: number, width: number, height: number, url: string): this;
    moveDown(lines?: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): this;
    save(): this;
    restore(): this;
    lineWidth(width: number): this;
    rect(x: number, y: number, width: number, height: number): this;
    circle(x: number, y: number, radius: number): this;
    roundedRect(x: number, y: number, width: number, height: number, radius: number): this;
    ellipse(x: number, y: number, radiusX: number, radiusY: number): this;
    stroke(): this;
    fill(color?: string): this;
    image(source: Uint8Array | string, x?: number, y?: number, options?: { width?: number; height?: number }): this;
    addPage(options?: Record<string, unknown>): this;
    heightOfString(text: string, options?: TextOptions): number;
    end(): void;
  }
  const PDFDocument: new (options?: Record<string, unknown>) => Document;
  export = PDFDocument;
}
