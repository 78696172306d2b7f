import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDocx } from '../write-docx';
import { writePdf } from '../write-pdf';
import { writePptx } from '../write-pptx';
import { writeXlsx } from '../write-xlsx';
import { application, calibration, loggerManual, maintenance, onboarding, radar, spareParts } from './texts';

/** Writes those documents of the collection that are not text files: `node -e "require('./dist/samples/relevance/make').writeDocuments('samples/relevance/documents')"`. */
export async function writeDocuments(folder: string): Promise<void> {
  const files: Record<string, Uint8Array> = {
    'english/sl-40-manual.pdf': await writePdf('SL-40 Salinity Logger', loggerManual),
    'english/calibration.docx': await writeDocx('Calibrating pressure gauges', calibration),
    'english/application.docx': await writeDocx('Application', application),
    'english/first-week.pptx': await writePptx('Welcome', onboarding),
    'english/spare-parts.xlsx': writeXlsx(spareParts),
    'german/radarpegel.pdf': await writePdf('Radarpegel RP-7', radar),
    'french/contrat-maintenance.docx': await writeDocx('Contrat de maintenance', maintenance),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}
