import { mongo } from 'mongoose'

/** What servers of every kind say. */
const commonOf = (now: number, isWritablePrimary: boolean) => ({
  helloOk: true,
  isWritablePrimary,
  ismaster: isWritablePrimary,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  // MongoDB 8.0.
  maxWireVersion: 25,
  readOnly: false,
  localTime: new Date(now),
  connectionId: 1,
  ok: 1,
})

/** What a mongos tells of itself. */
export function helloOfRouter(now: number): Record<string, unknown> {
  return { ...commonOf(now, true), msg: 'isdbgrid' }
}

interface HelloOf {
  readonly hosts: readonly string[]
  readonly me: string
  /** The address of the primary that this member believes in. */
  readonly primary: string | undefined
  /** Of the election that made this member the primary. */
  readonly term: number
  readonly now: number
}

/**
 * What a member tells of itself. It has no `topologyVersion`, so that drivers ask again every ten seconds, and after an error; they
 * would be told of a failover sooner by a real server, or just as late when the network is slow.
 */
export function hello({ hosts, me, primary, term, now }: HelloOf): Record<string, unknown> {
  const isWritablePrimary = primary === me
  const common = commonOf(now, isWritablePrimary)
  if (hosts.length === 1) return common
  return {
    ...common,
    hosts,
    setName: 'rs0',
    setVersion: 1,
    secondary: !isWritablePrimary,
    ...(primary !== undefined && { primary }),
    me,
    // It grows with the term, so that drivers recognise a primary that has been replaced.
    ...(isWritablePrimary && { electionId: new mongo.ObjectId(`7fffffff${term.toString(16).padStart(16, '0')}`) }),
  }
}
