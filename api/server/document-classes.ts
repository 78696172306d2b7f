import { DocumentClasses } from '../../model/entity/document-class';
import { route } from '../http/route';

export const listDocumentClasses = route({
  method: 'GET',
  path: '/api/v1/document_classes',
  summary: 'The document classes of the server: their fields and target tables.',
  tags: ['Document classes'],
  replies: { 200: DocumentClasses },
  handler: ({ services }) => services.documentClasses().slice(),
});
