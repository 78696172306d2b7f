import { pictureClasses } from '../../page/picture-classes';
import type { Enrichment, PageFormat } from '../../page/vision';

/** Default prompts for page models. The first is the one DocTags models were trained on. */
export const pagePrompts: Readonly<Record<PageFormat, string>> = {
  doctags: 'Convert this page to docling.',
  doclang: 'Convert this page to doclang.',
  otsl: 'Convert table to OTSL.',
  markdown:
    'Write out this page as Markdown: all of its text in reading order, headings with their levels, tables as Markdown tables, formulas as LaTeX between $$. Write nothing but the Markdown.',
  html: 'Write out this page as HTML: all of its text in reading order, with headings, lists and tables. Write nothing but the HTML.',
  plaintext: 'Write out all of the text on this page in reading order, and nothing else.',
};

/** Default prompts for pictures, code and formulas. */
export const enrichmentPrompts: Readonly<Record<Enrichment, string>> = {
  description: 'Describe this image in a few sentences.',
  classification: `Of which of these kinds is this picture? ${pictureClasses.join(', ')}. Answer with JSON and nothing else, such as {"class_name": "bar_chart", "confidence": 0.9}; confidence is from 0 to 1.`,
  charts:
    'If this picture is a chart, write its data as a Markdown table with a header row: one column for each series, one row for each category or point. Write nothing but the table. If it is no chart, answer with the word none.',
  code: 'Write out the code in this image exactly as it stands, with its indentation, in a code fence that names its language. Write nothing else.',
  formulas: 'Write the formula in this image as LaTeX, without signs around it. Write nothing else.',
};

/** Prompts of models made only for code and formulas, by preset name. */
export const codeFormulaPrompts: Readonly<Record<string, Readonly<{ code: string; formulas: string }>>> = {
  codeformulav2: { code: '<code>', formulas: '<formula>' },
  granite_docling: { code: 'Convert code to text.', formulas: 'Convert formula to LaTeX.' },
};
