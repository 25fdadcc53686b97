import fc from 'fast-check'
import { Network, type ServerEnd } from '../network.ts'
import { createVirtualWorld } from '../../test/virtual-world.ts'

const TARGET = 'server:1'

function start({ seed = 1, accepts = true } = {}) {
  const world = createVirtualWorld(seed)
  const network = new Network(world)
  const heard: string[] = []
  let end: ServerEnd | undefined
  const socket = network.open({ name: 'client', run: (work) => work() }, TARGET, (server) => {
    if (!accepts) return undefined
    end = server
    return { onData: (bytes) => void heard.push(bytes.toString()), onClose: () => void heard.push('closed') }
  })
  const events: string[] = []
  socket.on('connect', () => events.push('connect'))
  socket.on('data', (bytes: Buffer) => events.push(bytes.toString()))
  socket.on('end', () => events.push('end'))
  socket.on('error', (error: Error) => events.push(error.message))
  socket.on('close', () => events.push('close'))
  return { world, network, socket, heard, events, server: () => end }
}

test('bytes arrive in their order in both directions, however long each takes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean()), { maxLength: 30 }),
      async (seed, writes) => {
        const { world, socket, heard, events, server } = start({ seed })
        await world.advance(10)
        const sent = { up: '', down: '' }
        for (const [index, [pauseMs, up]] of writes.entries()) {
          const text = `${index};`
          if (up) socket.write(text)
          else server()?.send(Buffer.from(text))
          sent[up ? 'up' : 'down'] += text
          await world.advance(pauseMs / 4)
        }
        await world.advance(10)
        expect(heard.join('')).toBe(sent.up)
        expect(events.slice(1).join('')).toBe(sent.down)
      },
    ),
    { numRuns: 50 },
  )
})

test('a refused connection fails as that of a real socket', async () => {
  const { world, events } = start({ accepts: false })
  await world.advance(10)
  expect(events).toEqual(['connect ECONNREFUSED server:1', 'close'])
})

test('an end comes after all that was sent, a reset is an error', async () => {
  const orderly = start()
  await orderly.world.advance(10)
  orderly.server()?.send(Buffer.from('last'))
  orderly.server()?.close('end')
  await orderly.world.advance(10)
  expect(orderly.events).toEqual(['connect', 'last', 'end', 'close'])
  const cutOff = start()
  await cutOff.world.advance(10)
  cutOff.network.reset(() => true)
  await cutOff.world.advance(10)
  expect([cutOff.events, cutOff.heard]).toEqual([['connect', 'read ECONNRESET', 'close'], ['closed']])
})

test('a client that is gone hears nothing, and its server learns of it', async () => {
  const { world, network, heard, events, server } = start()
  await world.advance(10)
  server()?.send(Buffer.from('too late'))
  network.vanish('client')
  await world.advance(10)
  expect([events, heard]).toEqual([['connect'], ['closed']])
})

test('a client that is gone before its connection was accepted leaves none behind', async () => {
  const { world, network, events, heard, server } = start()
  network.vanish('client')
  await world.advance(10)
  expect([events, heard, server()]).toEqual([[], [], undefined])
})

test('a cut network holds bytes and new connections until it is healed', async () => {
  const { world, network, socket, heard } = start()
  await world.advance(10)
  const heal = network.cut((client, target) => client === 'client' && target === TARGET)
  socket.write('1')
  await world.advance(5000)
  socket.write('2')
  expect(heard).toEqual([])
  heal()
  await world.advance(10)
  expect(heard.join('')).toBe('12')
})

test('a silent socket emits a timeout, an active one does not', async () => {
  const { world, socket } = start()
  const timeouts: number[] = []
  await world.advance(10)
  const startMs = world.now()
  socket.setTimeout(1000)
  socket.on('timeout', () => timeouts.push(world.now() - startMs))
  await world.advance(800)
  socket.write('x')
  await world.advance(800)
  expect(timeouts).toEqual([])
  await world.advance(300)
  expect(timeouts).toEqual([1800])
  socket.setTimeout(0)
  await world.advance(5000)
  expect(timeouts).toHaveLength(1)
})
