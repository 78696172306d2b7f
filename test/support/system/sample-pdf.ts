import Pdf from 'pdfkit';

/** A PDF with one page for each text. */
export function samplePdf(texts: readonly string[]): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pdf = new Pdf({ autoFirstPage: false });
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
    for (const text of texts) pdf.addPage().text(text);
    pdf.end();
  });
}
