import { describe } from './finder/find-cards.ts'
import type { ScannedSource } from './scan-stack.ts'

/** More than this many numbers of one source are only counted. */
const SHOWN_PER_SOURCE = 20

/** One line for each group of sources and one for each number; no number is ever shown. */
export function reportLines(scanned: readonly ScannedSource[]): string[] {
  const groups = Map.groupBy(scanned, ({ group }) => group)
  const rows = [...groups].map(([group, sources]) => [
    group,
    `${sources.length}`,
    sum(sources.map(({ bytes }) => bytes)).toLocaleString('en'),
    `${sum(sources.map(({ findings }) => findings.length))}`,
  ])
  return [...table([['source', 'files or collections', 'bytes read', 'hits'], ...rows]), ...scanned.flatMap(hitLines)]
}

function hitLines({ group, name, findings }: ScannedSource): string[] {
  const shown = findings.slice(0, SHOWN_PER_SOURCE)
  const lines = shown.map((finding) => `hit: ${group}, ${name} at byte ${finding.start}: ${finding.form}, ${describe(finding)}`)
  return findings.length > shown.length ? [...lines, `hit: ${group}, ${name}: ${findings.length - shown.length} more`] : lines
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
