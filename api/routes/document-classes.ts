import { DocumentClasses } from '../../model/document-class';
import { route } from '../route';

export const listDocumentClasses = route({
  method: 'GET',
  path: '/api/v1/document_classes',
  summary: 'The kinds of documents that the server knows: their fields, and the tables that the facts go to.',
  tags: ['Document classes'],
  auth: 'user',
  replies: { 200: DocumentClasses },
  errors: [],
  handler: ({ services }) => services.documentClasses().slice(),
});
