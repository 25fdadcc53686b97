import { findLeaks } from './leaks.ts'

const clean =
  '{"message":"request","route":"/checkout/:token","request_id":"c98978f8-17a5-4efb-8a9f-987654321098","time":1793000000000}'

test('a line without private data passes', () => {
  expect(findLeaks(new Map([['checkout', clean]]), ['a secret'])).toEqual([])
})

test.each([
  'asha@example.com',
  'success@sandbox',
  '"9876543210"',
  '"+919876543210"',
  'Bearer eyJhbGciOiJkaXIi.x',
  'whsec_abc',
  'GET /checkout/01M7YMXHAF4NEXXRM5921PFE2G4K-bam',
  'here is a secret',
  'card 4111 1111 1111 1111',
])('%s is found', (text) => {
  expect(findLeaks(new Map([['order-api', `${clean}\n{"message":"${text}"}`]]), ['a secret'])).toHaveLength(1)
})
