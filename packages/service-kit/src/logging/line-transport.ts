import { Writable } from 'node:stream'

/** How long a line waits for others, in milliseconds, so that several share one write. */
const FLUSH_AFTER_MS = 20
const FLUSH_AT_CHARACTERS = 32 * 1024

/**
 * Writes log lines to standard output, several in one write. `flush` writes at once; the logger calls it when the process
 * exits, so that only SIGKILL loses lines.
 */
export class LineStream extends Writable {
  readonly #write: (text: string) => void
  #lines = ''
  #timer: NodeJS.Timeout | undefined

  constructor(write: (text: string) => void) {
    super({ decodeStrings: false })
    this.#write = write
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    this.#lines += line
    if (this.#lines.length >= FLUSH_AT_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref()
    done()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#lines
    this.#lines = ''
    if (lines !== '') this.#write(lines)
  }
}
