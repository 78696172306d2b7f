import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { accessLists, plainTexts, priceList, slides } from './plain-texts';
import { annualReport, designReview, gaugeManual, protectedMinutes, supplyContract } from './texts';
import { writeDocx } from './write-docx';
import { writePdf } from './write-pdf';
import { writePptx } from './write-pptx';
import { writeXlsx } from './write-xlsx';

/** Every sample document by its path; made from our own texts, byte for byte the same each time. */
async function makeSamples(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const text = (value: string) => new TextEncoder().encode(value);
  for (const [name, content] of Object.entries(plainTexts)) files.set(name, text(content));
  for (const [name, lists] of Object.entries(accessLists)) files.set(name, text(`${JSON.stringify(lists, null, 2)}\n`));
  files.set('public/company-profile.pptx', await writePptx('Company Profile', slides));
  files.set('finance/annual-report-2024.pdf', await writePdf('Annual Report 2024', annualReport));
  files.set('finance/board-minutes-protected.pdf', await writePdf('Minutes, closed session', protectedMinutes, 'tide'));
  files.set('finance/supply-contract.docx', await writeDocx('Framework Supply Contract', supplyContract));
  files.set('finance/price-list-2025.xlsx', writeXlsx(priceList));
  files.set('engineering/tg-210-manual.pdf', await writePdf('TG-210 Installation Manual', gaugeManual));
  files.set('engineering/design-review-tg-300.docx', await writeDocx('Design Review TG-300', designReview));
  return files;
}

/** Writes all samples below `folder`: `node -e "require('./dist/samples/make').writeSamples('samples/documents')"`. */
export async function writeSamples(folder: string): Promise<void> {
  for (const [name, bytes] of await makeSamples()) {
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}
