import { trace as traces } from '@opentelemetry/api'
import winston from 'winston'
import Transport from 'winston-transport'
import { currentCorrelation } from './correlation.ts'
import { describeError } from './describe-error.ts'

/** Structured JSON logs on standard output. Fields are chosen by the caller: never a body, a header or a checkout path. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
}

export type LogFields = Readonly<Record<string, unknown>>

export function createLog(service: string, level = 'info'): Log {
  // Looked up at each write, since tests replace it. Files and pipes are written synchronously, also at exit.
  const transport = new LineTransport((lines) => void process.stdout.write(lines))
  process.once('exit', () => transport.flush())
  const logger = winston.createLogger({
    level,
    format: winston.format.printf((entry) => JSON.stringify(toLine(service, entry))),
    transports: transport,
  })
  return {
    info: (message, fields) => void logger.info(message, fields),
    warn: (message, fields) => void logger.warn(message, fields),
    error: (message, fields) => {
      logger.error(message, fields)
      transport.flush()
    },
    debug: (message, fields) => void logger.debug(message, fields),
  }
}

/** Discards everything; for tests and tools. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined }

function toLine(service: string, { level, message, ...fields }: winston.Logform.TransformableInfo): object {
  const { requestId, correlationId, trace } = currentCorrelation()
  const line: Record<string, unknown> = {
    time: new Date().toISOString(),
    level,
    service,
    message,
    request_id: requestId,
    correlation_id: correlationId,
    trace_id: trace && traces.getSpanContext(trace)?.traceId,
    ...fields,
  }
  for (const name of Object.keys(fields)) if (needsDescription(name, line[name])) line[name] = describeError(line[name])
  return line
}

/** A code of ours in the field `error`, such as `address_refused: private`. Other texts there were thrown by a library. */
const ERROR_CODE = /^(?!.*\d{10})[\w-]{1,60}(?:: [\w -]{1,60})?$/u

function needsDescription(name: string, value: unknown): boolean {
  return value instanceof Error || (name === 'error' && typeof value === 'string' && !ERROR_CODE.test(value))
}

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
