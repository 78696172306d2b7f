import { type ChatQuestion, chatModel } from './chat-model';

test('a chat service gets a schema name that hosts allow; its answer is passed on unchanged', async () => {
  const questions: ChatQuestion[] = [];
  const model = chatModel(async (question) => {
    questions.push(question);
    return { text: 'Here: {"a": 1,}', isTruncated: true };
  });
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  await expect(model.ask({ name: 'Model of pages!', system: 'Read.', user: 'one', schema })).resolves.toEqual({
    text: 'Here: {"a": 1,}',
    isTruncated: true,
  });
  expect(questions).toEqual([
    {
      messages: [
        { role: 'system', content: 'Read.' },
        { role: 'user', content: 'one' },
      ],
      schema: { name: 'Model_of_pages_', schema },
      isUnchecked: true,
    },
  ]);
});
