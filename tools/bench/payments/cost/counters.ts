/** Numbers that only grow, by name, such as milliseconds of CPU by process. */
export type Counters = Readonly<Record<string, number>>

/** What is counted, and in what unit. A section that cannot be read on this machine is empty. */
export const SECTIONS = {
  cpu: 'CPU, ms by process',
  events: 'events and requests, as the services count them',
  commands: 'commands to the database, all services together',
  written: 'documents written, by collection',
  stored: 'bytes the database has grown by, by collection',
  log: "the database's log: bytes, forced to disk, transactions",
  disk: 'bytes to disk in whole pages, by process; services write logs',
  wire: 'bytes over TCP, by who connects to whom',
} as const
export type Section = keyof typeof SECTIONS

export type Readings = Readonly<Record<Section, Counters>>

/** How much every counter has grown, and in what time. */
export interface Interval {
  readonly seconds: number
  readonly growth: Readings
}

const names = Object.keys(SECTIONS) as Section[]

export function eachSection(of: (section: Section) => Counters): Readings {
  // All of them are named above, and nothing else.
  return Object.fromEntries(names.map((section) => [section, of(section)])) as Record<Section, Counters>
}

/** A counter that was not there before began at zero. */
export function growthOf(before: Readings, after: Readings): Readings {
  return eachSection((section) => mapValues(after[section], (value, name) => value - (before[section][name] ?? 0)))
}

export function perSecond({ seconds, growth }: Interval): Readings {
  return eachSection((section) => mapValues(growth[section], (value) => value / seconds))
}

/**
 * What each of so many payments cost: the growth of a busy interval, less what an idle system would have used in that time,
 * which is polls, probes and sweeps and does not belong to any payment.
 */
export function perUnit(busy: Interval, idle: Interval, units: number): Readings {
  const unused = perSecond(idle)
  return eachSection((section) =>
    mapValues(busy.growth[section], (value, name) => (value - (unused[section][name] ?? 0) * busy.seconds) / units),
  )
}

function mapValues(counters: Counters, change: (value: number, name: string) => number): Counters {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, change(value, name)]))
}
