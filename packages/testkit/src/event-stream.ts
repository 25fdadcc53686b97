/** One server-sent event, or the last fields of a connection. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: unknown
}

/** An open stream of server-sent events. */
export type EventStreamClient = Awaited<ReturnType<typeof openEventStream>>

/** Opens a stream and reads it in the background. A refusal is in `response`, and the stream has ended then. */
export async function openEventStream(url: string, headers: Readonly<Record<string, string>>) {
  const controller = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: controller.signal })
  /** All events until now, in their order. */
  const events: StreamEvent[] = []
  /** Comment lines until now, which are heartbeats. */
  const comments: string[] = []
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  /** Resolves when the stream has ended, whichever side ended it. */
  const ended = isStream ? readAll(response, events, comments) : Promise.resolve()
  return { response, events, comments, ended, close: () => controller.abort() }
}

async function readAll(response: Response, events: StreamEvent[], comments: string[]): Promise<void> {
  let unread = ''
  try {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (unread + text).split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) comments.push(block)
        else events.push(parseEvent(block))
      }
    }
  } catch {
    // The connection was closed, by this client or by a server that was killed.
  }
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]))
  const data: unknown = JSON.parse(fields.get('data') ?? 'null')
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data }
}
