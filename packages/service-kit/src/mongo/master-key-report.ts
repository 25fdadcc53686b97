import type { PlaceSurvey } from './reseal.ts'

/** The report for an operator, and whether the old keys can be removed. */
export interface MasterKeyReport {
  readonly lines: readonly string[]
  /** True when no stored secret needs another key than the first. */
  readonly done: boolean
}

/** `keyIds` in the order of `MASTER_KEYS`: the key that seals comes first. */
export function reportMasterKeys(surveys: readonly PlaceSurvey[], keyIds: readonly string[]): MasterKeyReport {
  const [currentId = '', ...oldIds] = keyIds
  const total = (keyId: string): number => surveys.reduce((sum, { counts }) => sum + (counts.get(keyId) ?? 0), 0)
  const stored = new Set(surveys.flatMap(({ counts }) => [...counts.keys()]))
  const unknownIds = [...stored].filter((keyId) => !keyIds.includes(keyId))
  const closed = surveys.flatMap(({ place, closed: ids }) => ids.map((id) => `cannot be opened: ${place} of ${id}`))
  const done = closed.length === 0 && [...stored].every((keyId) => keyId === currentId)
  return {
    lines: [
      ...surveys.map(({ place, counts }) => `${place}: ${countsOf(counts, currentId)}`),
      ...closed,
      ...unknownIds.map((keyId) => `${keyId}: ${total(keyId)} need it and it is not in MASTER_KEYS: put it back`),
      ...oldIds.map((keyId) => verdictOn(keyId, total(keyId), done)),
      ...(done && oldIds.length === 0 ? [`everything is sealed under ${currentId}, the only key`] : []),
    ],
    done,
  }
}

function countsOf(counts: ReadonlyMap<string, number>, currentId: string): string {
  if (counts.size === 0) return 'nothing'
  const sorted = [...counts].toSorted(([one], [other]) => Number(other === currentId) - Number(one === currentId))
  return sorted.map(([keyId, count]) => `${count} under ${keyId}${keyId === currentId ? ' (seals)' : ''}`).join(', ')
}

function verdictOn(keyId: string, count: number, done: boolean): string {
  if (count > 0) return `${keyId}: must stay, ${count} need it: reseal`
  if (!done) return `${keyId}: must stay until everything above is settled`
  return `${keyId}: can be removed from this service's MASTER_KEYS, once every replica seals with the new key`
}
