import * as undici from 'undici'
import { Agent, request } from './undici-agent.ts'

test('what is loaded alone is what undici exports', () => {
  expect(Agent).toBe(undici.Agent)
  expect(undici.Dispatcher.prototype).toHaveProperty('request', request)
})
