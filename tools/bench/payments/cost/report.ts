import { refusals, rounded } from '../report.ts'
import { SECTIONS, type Counters, type Readings, type Section } from './counters.ts'
import type { CostResult } from './cost.ts'

/** Below it a figure is noise, in the section's unit. */
const LEAST: Readonly<Record<Section, number>> = {
  cpu: 0.01,
  events: 0.02,
  commands: 0.005,
  written: 0.02,
  stored: 20,
  log: 0.02,
  disk: 100,
  wire: 40,
}

/** A table for people: what nothing happens costs per second, then what each payment and each search costs. */
export function describeCost({ idle, payments, search, documentBytes }: CostResult): string {
  const columns = [idle, ...payments.map(({ each }) => each), search]
  const heads = ['idle, per s', ...payments.map(({ perSecond }) => `payment @${perSecond}/s`), 'search']
  const runs = payments.map(
    ({ perSecond, count, missing, refused }) =>
      `${perSecond}/s: ${count} payments, ${missing} events missing${refusals(refused)}`,
  )
  const sections = (Object.keys(SECTIONS) as Section[]).flatMap((section) => [
    row(SECTIONS[section], heads),
    ...rowsOf(section, columns),
    '',
  ])
  const documents = Object.entries(documentBytes).map(([name, bytes]) => row(`  ${name}`, [show(bytes)]))
  return [...runs, '', ...sections, 'BSON bytes of one payment that is over', ...documents].join('\n')
}

/** The keys of the last line; everything that `describeCost` shows. */
export function costFigures({ idle, payments, search, documentBytes }: CostResult): Record<string, unknown> {
  return {
    cost_idle_per_second: figuresOf(idle),
    ...Object.fromEntries(payments.map(({ perSecond, each }) => [`cost_payment_at_${perSecond}`, figuresOf(each)])),
    cost_search: figuresOf(search),
    cost_document_bytes: roundedAll(documentBytes),
    cost_payments: payments.map(({ count }) => count),
    cost_missing: payments.reduce((sum, { missing }) => sum + missing, 0),
    cost_refused: payments.flatMap(({ refused }) => Object.values(refused)).reduce((sum, count) => sum + count, 0),
  }
}

function rowsOf(section: Section, columns: readonly Readings[]): string[] {
  const names = [...new Set(columns.flatMap((readings) => Object.keys(readings[section])))]
  const values = (name: string): number[] => columns.map((readings) => readings[section][name] ?? 0)
  return names
    .filter((name) => values(name).some((value) => Math.abs(value) >= LEAST[section]))
    .map((name) => row(`  ${name}`, values(name).map(show)))
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(66)}${cells.map((cell) => cell.padStart(16)).join('')}`
}

function show(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3)
}

function figuresOf(readings: Readings): Record<string, Counters> {
  const sections = Object.entries(readings) as [Section, Counters][]
  return Object.fromEntries(sections.map(([section, counters]) => [section, roundedAll(counters, LEAST[section])]))
}

function roundedAll(counters: Counters, least = 0): Counters {
  const told = Object.entries(counters).filter(([, value]) => Math.abs(value) >= least)
  return Object.fromEntries(told.map(([name, value]) => [name, rounded(value)]))
}
