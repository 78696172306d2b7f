import { presign } from './s3-presign';

test('the address contains the signer, the lifetime and the encoded key', () => {
  const url = presign(
    {
      endpoint: new URL('https://s3.amazonaws.com'),
      region: 'us-east-1',
      bucket: 'examplebucket',
      accessKey: 'AKIAIOSFODNN7EXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    { key: 'folder/a b (1).txt', seconds: 86_400, now: new Date('2013-05-24T00:00:00Z') },
  );
  expect(url).toMatch(
    /^https:\/\/s3\.amazonaws\.com\/examplebucket\/folder\/a%20b%20%281%29\.txt\?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=[0-9a-f]{64}$/,
  );
});
