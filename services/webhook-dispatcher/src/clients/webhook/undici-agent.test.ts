import * as undici from 'undici'
import { Agent, request } from './undici-agent.ts'

test('the agent loaded on its own is the one that undici exports', () => {
  expect(Agent).toBe(undici.Agent)
  expect(undici.Dispatcher.prototype).toHaveProperty('request', request)
})
