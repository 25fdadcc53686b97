import { keyIdOf, type MasterKeys, type Sealer } from '../secrets/seal.ts'

/** One secret at rest. */
export interface SealedValue {
  /** Names it to a person; never the secret. */
  readonly id: string
  readonly sealed: string
  /** What it was sealed with, and opens with alone. */
  readonly context: string
  /** Puts another text in the place of exactly this one; false when it is not there any more: changed or removed meanwhile. */
  replace(sealed: string): Promise<boolean>
}

/** Where a service keeps secrets: one field of one collection. */
export interface SealedPlace {
  readonly name: string
  /** All that is there, `size` documents at a time. */
  pages(size: number): AsyncIterable<readonly SealedValue[]>
}

/** What is in one place. */
export interface PlaceSurvey {
  readonly place: string
  /** How many values are sealed under each key id. */
  readonly counts: ReadonlyMap<string, number>
  /** Names some of the values that no given key opens. */
  readonly closed: readonly string[]
}

export interface Resealed {
  readonly surveys: readonly PlaceSurvey[]
  readonly replaced: number
}

const PAGE_SIZE = 100
const MAX_NAMED = 20

/** While replicas still seal with an old key, passes could go on for ever. */
const MAX_PASSES = 5

/** Counts what is sealed under which key, and tries whether all of it opens. Changes nothing. */
export async function surveySeals(places: readonly SealedPlace[], sealer: Sealer): Promise<PlaceSurvey[]> {
  const surveys: PlaceSurvey[] = []
  for (const place of places) surveys.push(await surveyPlace(place, sealer))
  return surveys
}

/**
 * Seals everything under the first key. Each value is replaced only where it still is what was read, so a concurrent change is
 * never undone; killed at any point, the next run goes on with what is left. What no key opens is left alone and named.
 */
export async function reseal(places: readonly SealedPlace[], keys: MasterKeys, sealer: Sealer): Promise<Resealed> {
  const [currentId] = [...keys.keys()]
  let replaced = 0
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let found = 0
    for (const place of places) {
      for await (const values of place.pages(PAGE_SIZE)) {
        for (const value of values.filter(({ sealed }) => keyIdOf(sealed) !== currentId)) {
          const plain = tryOpen(sealer, value)
          if (!plain) continue
          found += 1
          if (await value.replace(sealer.seal(plain, value.context))) replaced += 1
        }
      }
    }
    // What others sealed under an old key behind this pass is for the next one.
    if (found === 0) break
  }
  return { surveys: await surveySeals(places, sealer), replaced }
}

async function surveyPlace(place: SealedPlace, sealer: Sealer): Promise<PlaceSurvey> {
  const counts = new Map<string, number>()
  const closed: string[] = []
  for await (const values of place.pages(PAGE_SIZE)) {
    for (const value of values) {
      const keyId = keyIdOf(value.sealed) ?? 'unreadable'
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
      if (closed.length < MAX_NAMED && !tryOpen(sealer, value)) closed.push(value.id)
    }
  }
  return { place: place.name, counts, closed }
}

function tryOpen(sealer: Sealer, { sealed, context }: SealedValue): Buffer | undefined {
  try {
    return sealer.open(sealed, context)
  } catch {
    return undefined
  }
}
