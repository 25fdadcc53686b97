import fc from 'fast-check'
import { readEvents, type StreamEvent } from '../src/listen/session.ts'

async function read(chunks: readonly Uint8Array[]): Promise<StreamEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const events: StreamEvent[] = []
  for await (const event of readEvents(stream, () => undefined)) events.push(event)
  return events
}

test('events are read whole, however the stream is cut, and comments are none', async () => {
  const text =
    ': heartbeat\n\nevent: ready\nid: 7\ndata: {"a":"नीली: x"}\n\n: heartbeat\n\ndata: one\ndata: two\n\nevent: webhook\ndata: half'
  const bytes = new TextEncoder().encode(text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
      const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end))
      expect(await read(chunks)).toEqual([
        { event: 'ready', id: '7', data: '{"a":"नीली: x"}' },
        { event: 'message', id: undefined, data: 'one\ntwo' },
      ])
    }),
  )
})

test('an event that never ends is refused', async () => {
  await expect(read([new Uint8Array(1024 * 1024 + 1).fill(97)])).rejects.toThrow(/too long/u)
})
