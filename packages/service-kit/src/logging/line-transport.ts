import Transport from 'winston-transport'

/** How long a line waits for others, in milliseconds, so that several share one write. */
const FLUSH_AFTER_MS = 20
const FLUSH_AT_CHARACTERS = 32 * 1024

/** Where winston's formats leave the line of an entry. */
const LINE: unique symbol = Symbol.for('message')

export interface FormattedEntry {
  readonly [LINE]: string
}

/**
 * Writes log lines to standard output, several in one write. `flush` writes at once; the logger calls it when the process
 * exits, so that only SIGKILL loses lines. Winston's own stream transport costs a second stream and a timer for each line.
 */
export class LineTransport extends Transport {
  readonly #write: (text: string) => void
  #lines = ''
  #timer: NodeJS.Timeout | undefined

  constructor(write: (text: string) => void) {
    super()
    this.#write = write
  }

  override log(entry: FormattedEntry, done: () => void): void {
    this.#lines += `${entry[LINE]}\n`
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
