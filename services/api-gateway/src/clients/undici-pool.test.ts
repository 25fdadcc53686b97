import * as undici from 'undici'
import { Pool, request } from './undici-pool.ts'

test('what is loaded alone is what undici exports', () => {
  expect(Pool).toBe(undici.Pool)
  expect(undici.Dispatcher.prototype).toHaveProperty('request', request)
})
