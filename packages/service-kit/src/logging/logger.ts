import { trace as traces } from '@opentelemetry/api'
import winston from 'winston'
import { currentCorrelation } from './correlation.ts'
import { LineTransport } from './line-transport.ts'

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
  for (const name of Object.keys(fields)) if (line[name] instanceof Error) line[name] = describeError(line[name])
  return line
}

/** Describes an error by name, message, code, stack and cause. Other fields, which libraries add, are left out. */
export function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : typeof error }
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : undefined
  return {
    name: error.name,
    message: error.message.slice(0, 500),
    code,
    stack: error.stack?.split('\n').slice(1, 8).join('\n'),
    cause: error.cause !== undefined && depth < 3 ? describeError(error.cause, depth + 1) : undefined,
  }
}
