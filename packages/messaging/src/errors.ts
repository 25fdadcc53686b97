import { Unavailable } from '@gateway/contracts'

/** The broker is away, blocked by an alarm, or left before it confirmed: the message may or may not be stored. */
export class BrokerUnavailable extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('broker_unavailable', detail, options)
  }
}

/** No confirm came in time. The message may still be stored later, so sending it again can make a duplicate. */
export class PublishTimeout extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('publish_timeout', detail, options)
  }
}

/** No queue is bound for this routing key: no consumer would ever receive the message. */
export class PublishReturned extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('publish_returned', detail, options)
  }
}

/** A queue refused the message (`basic.nack`): it is full, or it has no leader now. */
export class PublishRefused extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('publish_refused', detail, options)
  }
}

/** Too many publishes wait for their confirms; the caller has to slow down. */
export class PublishOverloaded extends Unavailable {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('publish_overloaded', detail, options)
  }
}
