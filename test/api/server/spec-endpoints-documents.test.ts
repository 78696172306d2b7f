import { bob, carol } from '../../support/api/server';
import { createSpecClient, type EndpointRow, testEndpoints } from '../../support/api/spec-client';

const { createLibrary, createSet, send, services } = createSpecClient();

const rows: EndpointRow[] = [
  [
    'POST /api/v1/document-libraries',
    'create a library',
    async () =>
      expect(await send('POST /api/v1/document-libraries', 201, { name: 'A library' })).toMatchObject({
        name: 'A library',
        document_set_count: 0,
      }),
  ],
  [
    'GET /api/v1/document-libraries',
    'list libraries',
    async () => {
      await createLibrary();
      expect((await send('GET /api/v1/document-libraries?limit=1', 200))['items']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/document-libraries/{library_id}',
    'get a library',
    async () => {
      const id = await createLibrary();
      expect(await send(`GET /api/v1/document-libraries/${id}`, 200)).toMatchObject({ library_id: id });
    },
  ],
  [
    'PATCH /api/v1/document-libraries/{library_id}',
    'update a library',
    async () =>
      expect(
        await send(`PATCH /api/v1/document-libraries/${await createLibrary()}`, 200, { purpose: 'x' }),
      ).toMatchObject({
        purpose: 'x',
      }),
  ],
  [
    'DELETE /api/v1/document-libraries/{library_id}',
    'delete a library',
    async () => {
      const id = await createLibrary();
      await send(`DELETE /api/v1/document-libraries/${id}`, 204);
      await send(`GET /api/v1/document-libraries/${id}`, 404);
    },
  ],
  [
    'PUT /api/v1/document-libraries/{library_id}/document-sets',
    'add a document set to a library',
    async () => {
      const [id, member] = [await createLibrary(), await createSet()];
      await send(`PUT /api/v1/document-libraries/${id}/document-sets`, 204, { document_set_ids: [member] });
      const again = await send(`PUT /api/v1/document-libraries/${id}/document-sets`, 200, {
        document_set_ids: [member],
      });
      expect(again).toMatchObject({ library_id: id, document_set_count: 1 });
      expect(await send(`GET /api/v1/document-libraries/${id}`, 200)).toMatchObject({ document_set_count: 1 });
    },
  ],
  [
    'DELETE /api/v1/document-libraries/{library_id}/document-sets',
    'remove a document set from a library',
    async () => {
      const [id, member] = [await createLibrary(), await createSet()];
      const sets = `/api/v1/document-libraries/${id}/document-sets`;
      await send(`PUT ${sets}?document_sets_ids=${member}`, 204);
      await send(`DELETE ${sets}?document_sets_ids=${member}`, 204);
      expect(await send(`GET ${sets}`, 200)).toMatchObject({ document_sets: [], total: 0 });
      await send(`GET /api/v1/document-sets/${member}`, 200);
    },
  ],
  [
    'GET /api/v1/document-libraries/{library_id}/document-sets',
    "list the library's document sets",
    async () => {
      const [id, member] = [await createLibrary(), await createSet()];
      await send(`PUT /api/v1/document-libraries/${id}/document-sets?document_sets_ids=${member}`, 204);
      expect(await send(`GET /api/v1/document-libraries/${id}/document-sets`, 200)).toMatchObject({
        document_sets: [{ id: member }],
        total: 1,
      });
    },
  ],
  [
    'POST /api/v1/document-sets',
    'create a document set',
    async () =>
      expect(await send('POST /api/v1/document-sets', 201, { name: 'A_set-1' })).toMatchObject({ name: 'A_set-1' }),
  ],
  [
    'GET /api/v1/document-sets',
    'list document sets',
    async () => {
      await createSet();
      expect((await send('GET /api/v1/document-sets?limit=1', 200))['items']).toHaveLength(1);
    },
  ],
  [
    'GET /api/v1/document-sets/{set_id}',
    'get a document set',
    async () => {
      const id = await createSet();
      expect(await send(`GET /api/v1/document-sets/${id}`, 200)).toMatchObject({ id, total_documents: 0 });
    },
  ],
  [
    'PATCH /api/v1/document-sets/{set_id}',
    'update a document set',
    async () =>
      expect(await send(`PATCH /api/v1/document-sets/${await createSet()}`, 200, { description: 'x' })).toMatchObject({
        description: 'x',
      }),
  ],
  [
    'DELETE /api/v1/document-sets/{set_id}',
    'delete a document set',
    async () => {
      const id = await createSet();
      await send(`DELETE /api/v1/document-sets/${id}`, 204);
      await send(`GET /api/v1/document-sets/${id}`, 404);
    },
  ],
  [
    'GET /api/v1/document-sets/{set_id}/preview',
    'preview document set data: the rows that the user may read',
    async () => {
      const id = await createSet();
      const origin = { jobId: 'j', runId: 'r', operator: 'o', startedAt: new Date().toISOString() };
      await services.documentSets.write(id, origin, [
        { id: 'mine', name: 'a', path: 'a', allowed_users: ['alice'] },
        { id: 'theirs', name: 'b', path: 'b', allowed_users: ['bob'] },
        { id: 'nobodys', name: 'c', path: 'c', allowed_users: [] },
      ]);
      expect(await send(`GET /api/v1/document-sets/${id}/preview`, 200)).toMatchObject({
        data: [{ id: 'mine' }],
        total_rows: 1,
      });
    },
  ],
  [
    'GET /api/v1/documents/{document_id}',
    'the document if the user is in its allowed_users; otherwise 404, as for a missing one',
    async () => {
      expect(await send('GET /api/v1/documents/of-alice', 200)).toMatchObject({ id: 'of-alice' });
      const sendMissing = async (id: string, as: typeof bob) => ({
        ...((await send(`GET /api/v1/documents/${id}`, 404, undefined, as)) as object),
        trace: '',
      });
      expect(await sendMissing('of-alice', bob)).toEqual(await sendMissing('missing', carol));
    },
  ],
  [
    'POST /api/v1/documents/search',
    'results match both the criteria and the access rule; an empty body object is valid',
    async () =>
      expect(await send('POST /api/v1/documents/search', 200, {}, bob)).toMatchObject({
        documents: [{ id: 'of-bob' }],
        total: 1,
      }),
  ],
];

testEndpoints(rows, 14 + 2);
