import { Fault } from '@gateway/contracts'
import type { ChannelModel } from 'amqplib'
import type { Log } from './log.ts'

/** What a version of RabbitMQ means for this system; `reason` says why it is refused or warned about. */
export type VersionVerdict =
  { readonly kind: 'good' } | { readonly kind: 'warn' | 'refuse'; readonly version: string; readonly reason: string }

const REFUSED_BELOW = [4, 0] as const
const WARNED_BELOW = [4, 3] as const

/** Judges a version such as `4.3.1`. A text that is no version, such as another product's, is not judged. */
export function judgeVersion(version: string): VersionVerdict {
  if (isBelow(version, REFUSED_BELOW)) {
    return {
      kind: 'refuse',
      version,
      reason: 'below 4.0 a queue cannot be without a delivery limit, and dead queues would lose messages',
    }
  }
  if (isBelow(version, WARNED_BELOW)) {
    const reason =
      'below 4.3 a returned message counts for the delivery limit: a long outage of a database dead-letters healthy ones'
    return { kind: 'warn', version, reason }
  }
  return { kind: 'good' }
}

/** Throws for a broker that is too old to keep messages safe; logs a warning for one that keeps them less well. */
export function checkVersion(version: string, log: Pick<Log, 'warn' | 'error'>): void {
  const verdict = judgeVersion(version)
  if (verdict.kind === 'good') return
  const { kind, reason } = verdict
  if (kind === 'warn') {
    log.warn('broker version is old', { version, reason })
    return
  }
  log.error('broker version is refused', { version, reason })
  throw new Fault(`RabbitMQ ${version} is refused: ${reason}`)
}

/** The version that a broker names when a connection opens; empty when it names none. */
export function versionOf(model: ChannelModel): string {
  const connection: object = model.connection
  const properties: unknown = 'serverProperties' in connection ? connection.serverProperties : undefined
  const version = typeof properties === 'object' && properties !== null && 'version' in properties ? properties.version : ''
  return typeof version === 'string' ? version : ''
}

function isBelow(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ofMajor, ofMinor] = /^(\d+)\.(\d+)/u.exec(version) ?? []
  if (ofMajor === undefined) return false
  return Number(ofMajor) < major || (Number(ofMajor) === major && Number(ofMinor) < minor)
}
