import { startJsonServer } from './json-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

test('a proxy passes bytes on, refuses while it is cut, waits while it is frozen, and works again when restored', async () => {
  const server = await startJsonServer(() => ({ status: 200, body: { ok: true } }))
  const proxy = await startTcpProxy({ targetHost: '127.0.0.1', targetPort: Number(new URL(server.url).port) })
  const ask = (timeoutMs = 5000) => fetch(`http://127.0.0.1:${proxy.port}/`, { signal: AbortSignal.timeout(timeoutMs) })
  expect((await ask()).status).toBe(200)
  proxy.cut()
  await expect(ask()).rejects.toThrow()
  proxy.restore()
  expect((await ask()).status).toBe(200)
  for (const stall of [() => proxy.freeze(), () => proxy.swallow()]) {
    stall()
    await expect(ask(100)).rejects.toThrow()
    proxy.restore()
    expect((await ask()).status).toBe(200)
  }
  proxy.slow(5)
  expect((await ask()).status).toBe(200)
  await Promise.all([proxy.stop(), server.stop()])
})
