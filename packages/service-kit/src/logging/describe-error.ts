import { AppError, Fault } from '@gateway/contracts'

const MAX_CAUSES = 3
const MAX_MESSAGE = 500
const MAX_FRAMES = 7

/** A stack frame: a position in a module, never a line of a message. */
const FRAME = /^ {4}at .*(?:(?:node:|file:\/\/|\/)[^\s()]+:\d+:\d+\)?|\(<anonymous>\))$/u
const MAX_FRAME = 500
/** Codes, names, hosts and system calls. A space, an @ or ten digits in a row may be personal data. */
const PLAIN = /^(?!.*\d{10})[\w.:%-]{1,255}$/u

/**
 * Describes an error for the log. Of our own errors the message is shown. A message of a library, or of JavaScript itself, may quote the
 * value that was wrong, such as a card number: such an error is described by name, code, stack and cause, and by what a system
 * error says about the connection.
 */
export function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: typeof error }
  const isOurs = error instanceof AppError || error instanceof Fault
  return {
    name: plain(error.name),
    ...(isOurs && { message: error.message.slice(0, MAX_MESSAGE) }),
    ...factsOf(error),
    stack: framesOf(error),
    cause: error.cause !== undefined && depth < MAX_CAUSES ? describeError(error.cause, depth + 1) : undefined,
  }
}

/** `syscall`, `hostname`, `address` and `port` are those of a system error, `codeName` is MongoDB's name of a code. */
const FACTS = ['code', 'codeName', 'syscall', 'hostname', 'address', 'port'] as const

function factsOf(error: Error): Record<string, unknown> {
  return Object.fromEntries(FACTS.map((name) => [name, plain(Reflect.get(error, name))]))
}

function plain(value: unknown): string | number | undefined {
  if (typeof value === 'number') return Math.abs(value) < 1e6 ? value : undefined
  return typeof value === 'string' && PLAIN.test(value) ? value : undefined
}

function framesOf({ stack = '', message }: Error): string {
  // The message comes before the frames, and may have lines that look like frames.
  const start = stack.indexOf(message)
  const below = start < 0 ? stack : stack.slice(start + message.length)
  const frames = below.split('\n').filter((line) => line.length < MAX_FRAME && FRAME.test(line))
  return frames.slice(0, MAX_FRAMES).join('\n')
}
