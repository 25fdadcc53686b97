import { Unavailable, AppError, Fault } from '@gateway/contracts'

/** The broker is away, blocked by an alarm, or left before it confirmed: the message may or may not be stored. */
export class BrokerUnavailable extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('broker_unavailable', detail, options)
  }
}

/** How amqplib quotes the broker, whose words name queues, users and our own arguments. */
const WORDS_OF_BROKER = /\b\d{3} \([A-Z_ -]+\) with message "[^"]*"/u
const MAX_LENGTH = 300

/** amqplib's messages that quote nothing. */
const FIXED: ReadonlySet<string> = new Set([
  'Heartbeat timeout',
  'Unexpected close',
  'Socket closed abruptly during opening handshake',
  'Channel ended, no reply will be forthcoming',
  'channel closed',
  'connect ETIMEDOUT',
  'hung up',
])

/**
 * Why a connection or a channel ended, for the log: what the broker said, the system's code, or the name of the error. Other messages
 * of amqplib quote frames, and with them the bodies of messages.
 */
export function endReason(reason: unknown): string {
  if (!(reason instanceof Error)) return typeof reason === 'string' && FIXED.has(reason) ? reason : 'closed'
  const { message, name } = reason
  if (reason instanceof AppError || reason instanceof Fault) return message
  const [words] = WORDS_OF_BROKER.exec(message) ?? []
  if (words !== undefined) return words.slice(0, MAX_LENGTH)
  if (FIXED.has(message)) return message
  const code: unknown = Reflect.get(reason, 'code')
  return typeof code === 'string' && /^[A-Z][A-Z_]{1,60}$/u.test(code) ? code : name
}
