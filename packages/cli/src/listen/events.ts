/** One event of a stream of server-sent events (HTML standard, section 9.2). */
export interface StreamEvent {
  readonly event: string
  /** `undefined` when the event has none. */
  readonly id: string | undefined
  readonly data: string
}

/** Far above any event of the gateway, whose bodies are a few kilobytes. */
const MAX_EVENT_LENGTH = 1024 * 1024

/**
 * Reads the events of a stream.
 *
 * @param onBytes called whenever anything arrives, comments included
 * @throws when a single event is too long
 */
export async function* readEvents(stream: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    onBytes()
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event) yield event
    }
    if (text.length > MAX_EVENT_LENGTH) throw new Error('an event of the stream is too long')
  }
}

/** `undefined` for a comment. */
function parseEvent(block: string): StreamEvent | undefined {
  let [event, id]: [string, string | undefined] = ['message', undefined]
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/su.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') }
}
