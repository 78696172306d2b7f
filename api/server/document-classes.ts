import { DocumentClasses } from '../../model/entity/document-class';
import { route } from '../http/route';

export const listDocumentClasses = route({
  method: 'GET',
  path: '/api/v1/document_classes',
  summary: 'The document classes of the server: their fields and target tables.',
  replies: { 200: DocumentClasses },
  handler: ({ services }) => services.documentClasses().slice(),
});
