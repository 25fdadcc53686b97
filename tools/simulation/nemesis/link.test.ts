import { startJsonServer } from '@gateway/testkit'
import { startLink } from './link.ts'

test('a link passes bytes on, refuses while it is cut, and works again when healed', async () => {
  const server = await startJsonServer(() => ({ status: 200, body: { ok: true } }))
  const link = await startLink()
  link.target = Number(new URL(server.url).port)
  const ask = (timeoutMs = 5000) => fetch(`http://127.0.0.1:${link.port}/`, { signal: AbortSignal.timeout(timeoutMs) })
  expect((await ask()).status).toBe(200)
  link.cut()
  await expect(ask()).rejects.toThrow()
  link.heal()
  expect((await ask()).status).toBe(200)
  link.freeze()
  await expect(ask(100)).rejects.toThrow()
  link.heal()
  link.slow(5)
  expect((await ask()).status).toBe(200)
  await Promise.all([link.stop(), server.stop()])
})
