import { createRedactor } from './redact.ts'

/** One exchange that certify has seen: a webhook that it sent, a call that it passed on, or a question to the probe. */
export interface Entry {
  readonly at: string
  readonly kind: 'webhook' | 'call' | 'probe'
  /** What certify did with it, such as `answer dropped`. */
  readonly note: string
  readonly request: Message
  readonly response: Message
}

export interface Message {
  /** `POST /hook`, `200`, or why there was no answer. */
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MAX_ENTRIES = 100

/** Entries of one check, redacted as they are added. */
export type Transcript = ReturnType<typeof createTranscript>

/** @param secrets removed from every text: a receiver's error page may print its environment */
export function createTranscript(secrets: readonly string[]) {
  const kept: Entry[] = []
  const redactor = createRedactor(secrets)
  const redacted = ({ line, headers, body }: Message): Message => ({
    line: redactor.text(line),
    headers: redactor.headers(headers),
    body: redactor.body(body),
  })
  return {
    add(entry: Entry): void {
      if (kept.length < MAX_ENTRIES) kept.push({ ...entry, request: redacted(entry.request), response: redacted(entry.response) })
    },
    /** The oldest first. */
    entries: (): readonly Entry[] => kept.toSorted((one, other) => one.at.localeCompare(other.at)),
  }
}
