import { EventQueue, Kernel } from './kernel.ts'
import { Network, NoAnswer } from './network.ts'
import { SimulatedProcess } from './process.ts'

const event = (atMs: number, number: number) => ({ atMs, tie: 0, number, owner: '', run: () => undefined, cancelled: false })

test('events leave the queue in the order of time, and those of one moment as they were planned', () => {
  const queue = new EventQueue()
  const times = [5, 3, 9, 3, 1, 7, 3, 0]
  times.forEach((atMs, number) => queue.push(event(atMs, number)))
  const left = Array.from(times, () => queue.pop())
  expect(left.map((one) => [one?.atMs, one?.number])).toEqual([
    [0, 7],
    [1, 4],
    [3, 1],
    [3, 3],
    [3, 6],
    [5, 0],
    [7, 5],
    [9, 2],
  ])
  expect(queue.pop()).toBeUndefined()
})

/** Two processes that do something at random moments; the digest covers their order. */
async function digestOf(seed: number): Promise<string> {
  const kernel = new Kernel(seed)
  const world = kernel.world('model')
  let done = 0
  for (let count = 0; count < 20; count++)
    world.after(Math.floor(world.random() * 5), () => {
      kernel.trace('model', `event ${count}`)
      done += 1
    })
  await kernel.runUntil(() => done === 20)
  return kernel.digest()
}

// Proves: faults/simulation-repeats-a-seed
test('the same seed gives the same order, another seed another one', async () => {
  expect(await digestOf(1)).toBe(await digestOf(1))
  expect(await digestOf(1)).not.toBe(await digestOf(2))
})

test('a dead process gets nothing more, and makes no call', async () => {
  const kernel = new Kernel(1)
  const process = new SimulatedProcess(kernel, 'service 1')
  const seen: string[] = []
  process.crashAtCall(2, 'after')
  process.onEnd(() => seen.push('ended'))
  for (const call of ['first', 'second', 'third'])
    expect(process.outside(call, () => seen.push(call))).toBe(call === 'first' ? 1 : undefined)
  process.deliver(() => seen.push('answer'))
  expect(seen).toEqual(['first', 'second', 'ended'])
})

test('a paused process gets everything later, in order', async () => {
  const kernel = new Kernel(1)
  const process = new SimulatedProcess(kernel, 'service 1')
  const seen: (readonly [string, number])[] = []
  const note = (what: string) => () => void seen.push([what, kernel.elapsedMs])
  process.pause(100)
  process.deliver(note('first'))
  kernel.after(50, 'outside', () => process.deliver(note('second')))
  kernel.after(100, 'a', () => process.deliver(note('third')))
  kernel.after(200, 'outside', () => process.deliver(note('fourth')))
  await kernel.runUntil(() => seen.length === 4)
  expect(seen).toEqual([
    ['first', 100],
    ['second', 100],
    ['third', 100],
    ['fourth', 200],
  ])
})

test('an exchange is answered, refused, reset when the server dies, or stays without an answer', async () => {
  const kernel = new Kernel(3)
  const network = new Network(kernel.world('network'))
  const [client, server] = [new SimulatedProcess(kernel, 'client 1'), new SimulatedProcess(kernel, 'server 1')]
  const request = { method: 'GET', host: 'server', port: 80, path: '/', headers: {}, body: '' }
  const results: string[] = []
  const send = async () => {
    results.push(
      await network.request(client, request, 5000).then(
        ({ body }) => body,
        (error: unknown) => (error instanceof NoAnswer ? error.code : 'other'),
      ),
    )
  }
  void send()
  await kernel.runUntil(() => results.length === 1)
  network.listen('server', 80, server, async () => ({ status: 200, body: 'answer' }))
  void send()
  await kernel.runUntil(() => results.length === 2)
  network.faultOf = () => 'lose answer'
  void send()
  await kernel.runUntil(() => results.length === 3, kernel.nowMs + 1000)
  network.faultOf = () => undefined
  server.pause(60_000)
  void send()
  kernel.after(50, 'outside', () => server.end('is killed'))
  await kernel.runUntil(() => results.length === 3, kernel.nowMs + 1000)
  expect(results).toEqual(['ECONNREFUSED', 'answer', 'ECONNRESET'])
})
