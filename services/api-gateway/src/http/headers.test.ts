import { withCorrelation } from '@gateway/service-kit'
import { apiRequestHeaders, pageRequestHeaders } from './headers.ts'

const sent = {
  host: 'pay.example',
  connection: 'keep-alive, x-hop, cookie2',
  authorization: 'Bearer secret',
  'content-type': 'application/json',
  'webhook-signature': 'v1,abc',
  'x-forwarded-for': '203.0.113.9',
  'x-merchant-id': 'mer_1',
  'x-request-id': 'chosen-by-the-caller',
  forwarded: 'for=203.0.113.9',
  cookie: 'a=1',
  cookie2: 'b=2',
  'last-event-id': '7',
  'transfer-encoding': 'chunked',
}

// Proves: api/only-token-is-trusted
test('a service gets only the allowed headers of an API call, and the gateway’s request id', () => {
  expect(apiRequestHeaders(sent, 'made-by-the-gateway')).toEqual({
    'content-type': 'application/json',
    'webhook-signature': 'v1,abc',
    'x-request-id': 'made-by-the-gateway',
  })
})

test('a service gets the client’s network from the gateway alone', () => {
  const forged = { ...sent, 'x-address-prefix': '10.0.0.0/24' }
  expect(apiRequestHeaders(forged, 'r')).not.toHaveProperty('x-address-prefix')
  const caller = { addressPrefix: '203.0.113.0/24' }
  withCorrelation({ caller }, () => {
    expect(apiRequestHeaders(forged, 'r')).toMatchObject({ 'x-address-prefix': '203.0.113.0/24' })
  })
})

test('checkout gets a browser’s headers, except hop-by-hop ones and those that only services may send', () => {
  expect(pageRequestHeaders(sent, 'made-by-the-gateway')).toEqual({
    'content-type': 'application/json',
    'webhook-signature': 'v1,abc',
    cookie: 'a=1',
    'last-event-id': '7',
    'x-request-id': 'made-by-the-gateway',
  })
})
